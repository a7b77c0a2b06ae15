from python_code import int4_matmul as reference
from triton_code import int4_matmul as candidate

import pytest
import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

# Relative and absolute, by the dtype of the inputs.
TOLERANCE = {
    "float32": (1e-05, 0.0001),
}

CASES = [
    {"m": 1, "n": 1, "half_k": 1, "dtype": "float32", "layout": "contiguous", "seed": 0},
    {"m": 17, "n": 31, "half_k": 13, "dtype": "float32", "layout": "strided", "seed": 1},
    {"m": 40, "n": 70, "half_k": 50, "dtype": "float32", "layout": "strided", "seed": 2},
    {"m": 5, "n": 129, "half_k": 32, "dtype": "float32", "layout": "contiguous", "seed": 3},
]


def make_inputs(case, device):
    """The arguments of one case: the same case gives the same values."""
    generator = torch.Generator().manual_seed(case["seed"])
    dtype = getattr(torch, case["dtype"])
    m, n, half_k = case["m"], case["n"], case["half_k"]

    def laid_out(values):
        values = values.to(device)
        if case["layout"] == "strided":
            return values.repeat_interleave(2, dim=-1)[..., ::2]
        return values

    x = torch.randn((m, 2 * half_k), generator=generator).to(dtype)
    packed = torch.randint(0, 256, (half_k, n), generator=generator).to(torch.uint8)
    scale = torch.rand((n,), generator=generator) * 0.1
    return laid_out(x), laid_out(packed), laid_out(scale)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_equivalence(case):
    inputs = make_inputs(case, DEVICE)

    expected = reference(*inputs)
    actual = candidate(*inputs)

    rtol, atol = TOLERANCE[case["dtype"]]
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    assert torch.allclose(actual, expected, rtol=rtol, atol=atol)
