import pytest
import torch

from python_code import gelu as reference
from triton_code import gelu as candidate

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
CASES = [
    {"n": 1, "dtype": torch.float32, "seed": 0},
    {"n": 401, "dtype": torch.float32, "seed": 1},
    {"n": 2000, "dtype": torch.float32, "seed": 2},
]


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    return (torch.randn(case["n"], device=device) * 1e-3,)


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    (x,) = make_inputs(case, DEVICE)
    torch.testing.assert_close(candidate(x), reference(x), rtol=1e-3, atol=1e-5)
