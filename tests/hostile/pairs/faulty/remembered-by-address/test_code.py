import pytest
import torch

from python_code import square as reference
from triton_code import square as candidate

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
CASES = [
    {"n": 1, "dtype": torch.float32, "seed": 0},
    {"n": 577, "dtype": torch.float32, "seed": 1},
    {"n": 2048, "dtype": torch.float32, "seed": 2},
]


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    return (torch.randn(case["n"], device=device),)


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    (x,) = make_inputs(case, DEVICE)
    assert torch.allclose(candidate(x), reference(x), rtol=1e-6, atol=1e-6)
