from python_code import sliding_window_attention as reference
from triton_code import sliding_window_attention as candidate

import pytest
import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

# Relative and absolute, by the dtype of the inputs.
TOLERANCE = {
    "float32": (0.0001, 2e-05),
    "float16": (0.004, 0.004),
}

CASES = [
    {
        "batch": 1,
        "heads": 1,
        "positions": 1,
        "dims": 1,
        "window": 1,
        "dtype": "float32",
        "layout": "contiguous",
        "seed": 0,
    },
    {
        "batch": 2,
        "heads": 3,
        "positions": 31,
        "dims": 13,
        "window": 7,
        "dtype": "float32",
        "layout": "strided",
        "seed": 1,
    },
    {
        "batch": 1,
        "heads": 2,
        "positions": 64,
        "dims": 16,
        "window": 16,
        "dtype": "float16",
        "layout": "strided",
        "seed": 2,
    },
    {
        "batch": 1,
        "heads": 2,
        "positions": 150,
        "dims": 20,
        "window": 40,
        "dtype": "float32",
        "layout": "contiguous",
        "seed": 3,
    },
    {
        "batch": 2,
        "heads": 1,
        "positions": 97,
        "dims": 32,
        "window": 3,
        "dtype": "float16",
        "layout": "contiguous",
        "seed": 4,
    },
]

# Sizes that stay as they are, because the operation depends on them.
FIXED = {"window"}


def make_inputs(case, device):
    """The arguments of one case: the same case gives the same values."""
    generator = torch.Generator().manual_seed(case["seed"])
    dtype = getattr(torch, case["dtype"])

    def laid_out(values):
        values = values.to(device)
        if case["layout"] == "strided":
            return values.repeat_interleave(2, dim=-1)[..., ::2]
        return values

    shape = (case["batch"], case["heads"], case["positions"], case["dims"])
    q, k, v = (torch.randn(shape, generator=generator).to(dtype) for _ in range(3))
    return laid_out(q), laid_out(k), laid_out(v), case["window"]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_equivalence(case):
    inputs = make_inputs(case, DEVICE)

    expected = reference(*inputs)
    actual = candidate(*inputs)

    rtol, atol = TOLERANCE[case["dtype"]]
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    assert torch.allclose(actual, expected, rtol=rtol, atol=atol)
