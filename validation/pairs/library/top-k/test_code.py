from python_code import top_k as reference
from triton_code import top_k as candidate

import pytest
import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

# Relative and absolute, by the dtype of the inputs.
TOLERANCE = {
    "float32": (0, 0),
    "float16": (0, 0),
}

CASES = [
    {"rows": 1, "cols": 1, "k": 1, "dtype": "float32", "layout": "contiguous", "seed": 0},
    {"rows": 5, "cols": 127, "k": 8, "dtype": "float16", "layout": "strided", "seed": 1},
    {"rows": 9, "cols": 300, "k": 10, "dtype": "float32", "layout": "strided", "seed": 2},
    {"rows": 16, "cols": 16, "k": 16, "dtype": "float16", "layout": "contiguous", "seed": 3},
    {"rows": 2, "cols": 1025, "k": 3, "dtype": "float32", "layout": "contiguous", "seed": 4},
]

# Sizes that stay as they are, because the operation depends on them.
FIXED = {"k"}


def make_inputs(case, device):
    """The arguments of one case: the same case gives the same values."""
    generator = torch.Generator().manual_seed(case["seed"])
    dtype = getattr(torch, case["dtype"])

    def laid_out(values):
        values = values.to(device)
        if case["layout"] == "strided":
            return values.repeat_interleave(2, dim=-1)[..., ::2]
        return values

    x = torch.randn((case["rows"], case["cols"]), generator=generator).to(dtype)
    return laid_out(x), min(case["k"], case["cols"])


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
