from python_code import matmul as reference
from triton_code import matmul as candidate

import pytest
import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

# Relative and absolute, by the dtype of the inputs.
TOLERANCE = {
    "float32": (1e-05, 0.0001),
    "float16": (0.002, 0.005),
}

CASES = [
    {"m": 1, "n": 1, "k": 1, "dtype": "float32", "layout": "contiguous", "seed": 0},
    {"m": 17, "n": 31, "k": 13, "dtype": "float16", "layout": "strided", "seed": 1},
    {"m": 64, "n": 64, "k": 64, "dtype": "float32", "layout": "strided", "seed": 2},
    {"m": 70, "n": 45, "k": 100, "dtype": "float16", "layout": "contiguous", "seed": 3},
    {"m": 33, "n": 129, "k": 50, "dtype": "float32", "layout": "contiguous", "seed": 4},
]

PERF_CASES = [
    {"m": 4096, "n": 4096, "k": 4096, "dtype": "float16", "layout": "contiguous", "seed": 5},
]


def make_inputs(case, device):
    """The arguments of one case: the same case gives the same values."""
    generator = torch.Generator().manual_seed(case["seed"])
    dtype = getattr(torch, case["dtype"])
    m, n, k = case["m"], case["n"], case["k"]

    def laid_out(values):
        values = values.to(device)
        if case["layout"] == "strided":
            return values.repeat_interleave(2, dim=-1)[..., ::2]
        return values

    a = torch.randn((m, k), generator=generator).to(dtype)
    b = torch.randn((k, n), generator=generator).to(dtype)
    return laid_out(a), laid_out(b)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_equivalence(case):
    inputs = make_inputs(case, DEVICE)

    expected = reference(*inputs)
    actual = candidate(*inputs)

    rtol, atol = TOLERANCE[case["dtype"]]
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    assert torch.allclose(actual, expected, rtol=rtol, atol=atol)
