from python_code import sum_whole as reference
from triton_code import sum_whole as candidate

import pytest
import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

# Relative and absolute, by the dtype of the inputs.
TOLERANCE = {
    "float32": (1e-05, 0.0001),
    "float16": (0.002, 0.02),
    "bfloat16": (0.016, 0.1),
}

CASES = [
    {"n": 1, "dtype": "float32", "layout": "contiguous", "seed": 0},
    {"n": 127, "dtype": "float16", "layout": "strided", "seed": 1},
    {"n": 1000, "dtype": "bfloat16", "layout": "strided", "seed": 2},
    {"n": 4096, "dtype": "float32", "layout": "contiguous", "seed": 3},
    {"n": 10007, "dtype": "float16", "layout": "contiguous", "seed": 4},
]


def make_inputs(case, device):
    """The arguments of one case: the same case gives the same values."""
    generator = torch.Generator().manual_seed(case["seed"])
    dtype = getattr(torch, case["dtype"])
    n = case["n"]

    def laid_out(values):
        values = values.to(device)
        if case["layout"] == "strided":
            return values.repeat_interleave(2, dim=-1)[..., ::2]
        return values

    x = torch.randn((n,), generator=generator).to(dtype)
    return (laid_out(x),)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_equivalence(case):
    inputs = make_inputs(case, DEVICE)

    expected = reference(*inputs)
    actual = candidate(*inputs)

    rtol, atol = TOLERANCE[case["dtype"]]
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    assert torch.allclose(actual, expected, rtol=rtol, atol=atol)
