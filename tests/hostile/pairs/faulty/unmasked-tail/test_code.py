import pytest
import torch

from python_code import row_sum as reference
from triton_code import row_sum as candidate

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
CASES = [
    {"rows": 1, "cols": 64, "dtype": torch.float32, "seed": 0},
    {"rows": 17, "cols": 128, "dtype": torch.float32, "seed": 1},
    {"rows": 31, "cols": 512, "dtype": torch.float32, "seed": 2},
]


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    return (torch.randn(case["rows"], case["cols"], device=device),)


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    (x,) = make_inputs(case, DEVICE)
    torch.testing.assert_close(candidate(x), reference(x), rtol=1e-4, atol=1e-4)
