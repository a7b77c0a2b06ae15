from python_code import transpose as reference
from triton_code import transpose as candidate

import pytest
import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

# Relative and absolute, by the dtype of the inputs: values are moved, not computed.
TOLERANCE = {
    "float32": (0, 0),
    "float16": (0, 0),
}

CASES = [
    {"rows": 1, "cols": 1, "dtype": "float32", "layout": "contiguous", "seed": 0},
    {"rows": 5, "cols": 127, "dtype": "float16", "layout": "strided", "seed": 1},
    {"rows": 37, "cols": 300, "dtype": "float32", "layout": "strided", "seed": 2},
    {"rows": 64, "cols": 16, "dtype": "float16", "layout": "contiguous", "seed": 3},
    {"rows": 130, "cols": 45, "dtype": "float32", "layout": "contiguous", "seed": 4},
]

PERF_CASES = [
    {"rows": 4096, "cols": 8192, "dtype": "float32", "layout": "contiguous", "seed": 5},
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

    x = torch.randn((case["rows"], case["cols"]), generator=generator).to(dtype)
    return (laid_out(x),)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_equivalence(case):
    inputs = make_inputs(case, DEVICE)

    expected = reference(*inputs)
    actual = candidate(*inputs)

    rtol, atol = TOLERANCE[case["dtype"]]
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    assert actual.is_contiguous()
    assert torch.allclose(actual, expected, rtol=rtol, atol=atol)
