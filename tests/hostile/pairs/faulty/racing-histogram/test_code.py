import pytest
import torch

from python_code import histogram as reference
from triton_code import histogram as candidate

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
CASES = [
    {"n": 1, "bins": 1, "dtype": torch.int64, "seed": 0},
    {"n": 67, "bins": 5, "dtype": torch.int64, "seed": 1},
    {"n": 128, "bins": 16, "dtype": torch.int64, "seed": 2},
]


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    return torch.randint(0, case["bins"], (case["n"],)).to(device), case["bins"]


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    x, bins = make_inputs(case, DEVICE)
    assert torch.equal(candidate(x, bins), reference(x, bins))
