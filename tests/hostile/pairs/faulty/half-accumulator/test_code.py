import pytest
import torch

from python_code import dot_rows as reference
from triton_code import dot_rows as candidate

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
CASES = [
    {"rows": 1, "cols": 1, "dtype": torch.float32, "seed": 0},
    {"rows": 13, "cols": 17, "dtype": torch.float32, "seed": 1},
    {"rows": 40, "cols": 70, "dtype": torch.float32, "seed": 2},
]


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    return tuple(torch.randn(case["rows"], case["cols"], device=device) for _ in range(2))


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    a, b = make_inputs(case, DEVICE)
    torch.testing.assert_close(candidate(a, b), reference(a, b), rtol=2e-2, atol=5e-2)
