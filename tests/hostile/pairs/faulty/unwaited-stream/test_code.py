import pytest
import torch

from python_code import triple_then_add as reference
from triton_code import triple_then_add as candidate

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
CASES = [
    {"n": 1, "dtype": torch.float32, "seed": 0},
    {"n": 613, "dtype": torch.float32, "seed": 1},
    {"n": 2000, "dtype": torch.float32, "seed": 2},
]


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    return tuple(torch.randn(case["n"], device=device) for _ in range(2))


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    args = make_inputs(case, DEVICE)
    torch.testing.assert_close(candidate(*args), reference(*args), rtol=1e-5, atol=1e-5)
