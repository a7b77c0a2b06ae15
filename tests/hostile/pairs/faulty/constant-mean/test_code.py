import pytest
import torch

from python_code import row_mean as reference
from triton_code import row_mean as candidate

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
CASES = [
    {"rows": 1, "cols": 1, "value": 1.0, "dtype": torch.float32, "seed": 0},
    {"rows": 37, "cols": 11, "value": 2.5, "dtype": torch.float32, "seed": 1},
    {"rows": 64, "cols": 128, "value": -3.0, "dtype": torch.float32, "seed": 2},
]


def make_inputs(case, device):
    return (torch.full((case["rows"], case["cols"]), case["value"], device=device),)


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    (x,) = make_inputs(case, DEVICE)
    torch.testing.assert_close(candidate(x), reference(x), rtol=1e-5, atol=1e-5)
