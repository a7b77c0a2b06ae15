from python_code import grouped_matmul as reference
from triton_code import grouped_matmul as candidate

import pytest
import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

# Relative and absolute, by the dtype of the inputs.
TOLERANCE = {
    "float32": (1e-05, 0.0001),
    "float16": (0.002, 0.005),
}

CASES = [
    {"groups": 1, "n": 1, "k": 1, "dtype": "float32", "layout": "contiguous", "seed": 0},
    {"groups": 3, "n": 31, "k": 13, "dtype": "float16", "layout": "strided", "seed": 1},
    {"groups": 5, "n": 45, "k": 70, "dtype": "float32", "layout": "strided", "seed": 2},
    {"groups": 2, "n": 64, "k": 32, "dtype": "float16", "layout": "contiguous", "seed": 3},
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

    lengths = torch.randint(0, 40, (case["groups"],), generator=generator)
    starts = torch.cat([torch.zeros(1, dtype=torch.int64), lengths.cumsum(0)])
    x = torch.randn((int(starts[-1]), case["k"]), generator=generator).to(dtype)
    weights = torch.randn((case["groups"], case["k"], case["n"]), generator=generator).to(dtype)
    return laid_out(x), laid_out(weights), starts.to(device)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_equivalence(case):
    inputs = make_inputs(case, DEVICE)

    expected = reference(*inputs)
    actual = candidate(*inputs)

    rtol, atol = TOLERANCE[case["dtype"]]
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    assert torch.allclose(actual, expected, rtol=rtol, atol=atol)
