from python_code import rms_norm_rows as reference
from triton_code import rms_norm_rows as candidate

import pytest
import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

# Relative and absolute, by the dtype of the inputs.
TOLERANCE = {
    "float32": (1e-05, 1e-05),
    "float16": (0.002, 0.002),
    "bfloat16": (0.016, 0.016),
}

CASES = [
    {"rows": 1, "cols": 1, "dtype": "float32", "layout": "contiguous", "seed": 0},
    {"rows": 5, "cols": 127, "dtype": "float16", "layout": "strided", "seed": 1},
    {"rows": 37, "cols": 300, "dtype": "bfloat16", "layout": "strided", "seed": 2},
    {"rows": 64, "cols": 16, "dtype": "float32", "layout": "contiguous", "seed": 3},
    {"rows": 3, "cols": 1025, "dtype": "float16", "layout": "contiguous", "seed": 4},
]

PERF_CASES = [
    {"rows": 8192, "cols": 4096, "dtype": "float32", "layout": "contiguous", "seed": 5},
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
    weight = torch.randn((case["cols"],), generator=generator).to(dtype)
    return laid_out(x), laid_out(weight)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_equivalence(case):
    inputs = make_inputs(case, DEVICE)

    expected = reference(*inputs)
    actual = candidate(*inputs)

    rtol, atol = TOLERANCE[case["dtype"]]
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    assert torch.allclose(actual, expected, rtol=rtol, atol=atol)
