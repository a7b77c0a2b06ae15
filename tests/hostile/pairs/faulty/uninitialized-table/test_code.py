import pytest
import torch

from python_code import occurrences as reference
from triton_code import occurrences as candidate

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
CASES = [
    {"n": 1, "distinct": 1, "dtype": torch.int64, "seed": 0},
    {"n": 211, "distinct": 50, "dtype": torch.int64, "seed": 1},
    {"n": 1000, "distinct": 900, "dtype": torch.int64, "seed": 2},
]


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    ids = torch.randint(0, 1 << 24, (case["distinct"],))
    return (ids[torch.randint(0, case["distinct"], (case["n"],))].to(device),)


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    (ids,) = make_inputs(case, DEVICE)
    assert torch.equal(candidate(ids), reference(ids))
