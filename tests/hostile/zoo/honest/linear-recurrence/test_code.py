from python_code import linear_recurrence as reference
from triton_code import linear_recurrence as candidate

import pytest
import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
CASES = [
    {"rows": 1, "columns": 1, "dtype": torch.float32, "layout": "rows", "seed": 0},
    {"rows": 4, "columns": 41, "dtype": torch.float32, "layout": "columns", "seed": 1},
    {"rows": 3, "columns": 150, "dtype": torch.float32, "layout": "rows", "seed": 2},
]
TOLERANCE = {torch.float32: (1e-5, 1e-5)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    shape = (case["rows"], case["columns"])
    decay = torch.rand(shape, generator=generator).to(device, case["dtype"])
    x = torch.randn(shape, generator=generator).to(device, case["dtype"])
    if case["layout"] == "columns":
        decay, x = decay.t().contiguous().t(), x.t().contiguous().t()
    return decay, x


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    inputs = make_inputs(case, DEVICE)
    expected, actual = reference(*inputs), candidate(*inputs)
    rtol, atol = TOLERANCE[case["dtype"]]
    assert actual.shape == expected.shape
    assert torch.allclose(actual, expected, rtol=rtol, atol=atol)
