from python_code import adam_step as reference
from triton_code import adam_step as candidate

import pytest
import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

# Relative and absolute, by the dtype of the inputs.
TOLERANCE = {
    "float32": (1e-05, 1e-06),
}

CASES = [
    {"n": 1, "step": 1, "dtype": "float32", "layout": "contiguous", "seed": 0},
    {"n": 127, "step": 2, "dtype": "float32", "layout": "strided", "seed": 1},
    {"n": 1000, "step": 10, "dtype": "float32", "layout": "strided", "seed": 2},
    {"n": 4096, "step": 100, "dtype": "float32", "layout": "contiguous", "seed": 3},
    {"n": 5003, "step": 3, "dtype": "float32", "layout": "contiguous", "seed": 4},
]

# Sizes that stay as they are, because the operation depends on them.
FIXED = {"step"}


def make_inputs(case, device):
    """The arguments of one case: the same case gives the same values."""
    generator = torch.Generator().manual_seed(case["seed"])
    dtype = getattr(torch, case["dtype"])

    def laid_out(values):
        values = values.to(device)
        if case["layout"] == "strided":
            return values.repeat_interleave(2, dim=-1)[..., ::2]
        return values

    parameter, grad, mean = (
        torch.randn((case["n"],), generator=generator).to(dtype) for _ in range(3)
    )
    square = torch.rand((case["n"],), generator=generator).to(dtype)
    return (*map(laid_out, (parameter, grad, mean, square)), case["step"])


@pytest.mark.parametrize("case", CASES, ids=str)
def test_equivalence(case):
    inputs = make_inputs(case, DEVICE)

    expected = reference(*inputs)
    actual = candidate(*inputs)

    rtol, atol = TOLERANCE[case["dtype"]]
    assert len(actual) == len(expected)
    for mine, wanted in zip(actual, expected):
        assert mine.dtype == wanted.dtype
        assert mine.shape == wanted.shape
        assert torch.allclose(mine, wanted, rtol=rtol, atol=atol)
