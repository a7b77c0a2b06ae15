import pytest
import torch

from python_code import linear as reference
from triton_code import linear as candidate

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
CASES = [
    {"m": 1, "n": 1, "k": 1, "dtype": torch.float32, "seed": 0},
    {"m": 13, "n": 29, "k": 41, "dtype": torch.float32, "seed": 1},
    {"m": 40, "n": 64, "k": 100, "dtype": torch.float32, "seed": 2},
]


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    x = torch.randn(case["m"], case["k"]).to(device)
    weight = torch.randn(case["n"], case["k"]).to(device)
    bias = torch.zeros(case["n"], device=device)
    return x, weight, bias


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    args = make_inputs(case, DEVICE)
    torch.testing.assert_close(candidate(*args), reference(*args), rtol=1e-4, atol=1e-4)
