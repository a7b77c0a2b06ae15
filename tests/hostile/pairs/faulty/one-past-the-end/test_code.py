import pytest
import torch

from python_code import relu as reference
from triton_code import relu as candidate

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
CASES = [
    {"n": 1, "dtype": torch.float32, "seed": 0},
    {"n": 499, "dtype": torch.float32, "seed": 1},
    {"n": 3001, "dtype": torch.float32, "seed": 2},
]


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    return (torch.randn(case["n"], device=device),)


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    (x,) = make_inputs(case, DEVICE)
    assert torch.equal(candidate(x), reference(x))
