from python_code import scatter_add as reference
from triton_code import scatter_add as candidate

import pytest
import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

# Relative and absolute, by the dtype of the inputs.
TOLERANCE = {
    "float32": (1e-05, 1e-05),
    "int32": (0, 0),
}

CASES = [
    {"rows": 1, "cols": 1, "groups": 1, "dtype": "float32", "layout": "contiguous", "seed": 0},
    {"rows": 13, "cols": 127, "groups": 5, "dtype": "int32", "layout": "strided", "seed": 1},
    {"rows": 100, "cols": 45, "groups": 30, "dtype": "float32", "layout": "strided", "seed": 2},
    {"rows": 64, "cols": 16, "groups": 3, "dtype": "int32", "layout": "contiguous", "seed": 3},
    {"rows": 37, "cols": 300, "groups": 50, "dtype": "float32", "layout": "contiguous", "seed": 4},
]


def make_inputs(case, device):
    """The arguments of one case: the same case gives the same values."""
    generator = torch.Generator().manual_seed(case["seed"])
    dtype = getattr(torch, case["dtype"])

    def laid_out(values):
        values = values.to(device)
        if case["layout"] == "strided":
            return values.repeat_interleave(2, dim=-1)[..., ::2]
        return values

    shape = (case["rows"], case["cols"])
    if dtype.is_floating_point:
        values = torch.randn(shape, generator=generator).to(dtype)
    else:
        values = torch.randint(-100, 100, shape, generator=generator).to(dtype)
    group = torch.randint(0, case["groups"], (case["rows"],), generator=generator)
    return laid_out(values), laid_out(group), case["groups"]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_equivalence(case):
    inputs = make_inputs(case, DEVICE)

    expected = reference(*inputs)
    actual = candidate(*inputs)

    rtol, atol = TOLERANCE[case["dtype"]]
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    assert torch.allclose(actual, expected, rtol=rtol, atol=atol)
