import pytest
import torch

from python_code import leaky_relu as reference
from triton_code import leaky_relu as candidate

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
CASES = [
    {"n": 128, "slope": 0.01, "dtype": torch.float32, "seed": 0},
    {"n": 1024, "slope": 0.1, "dtype": torch.float32, "seed": 1},
    {"n": 640, "slope": 0.2, "dtype": torch.float32, "seed": 2},
]


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    return torch.randn(case["n"], device=device), case["slope"]


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    args = make_inputs(case, DEVICE)
    got, want = candidate(*args), reference(*args)
    assert got.shape == want.shape and got.dtype == want.dtype
