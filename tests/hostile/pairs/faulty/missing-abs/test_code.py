import pytest
import torch

from python_code import l1_norm as reference
from triton_code import l1_norm as candidate

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
CASES = [
    {"rows": 1, "cols": 1, "dtype": torch.float32, "seed": 0},
    {"rows": 7, "cols": 53, "dtype": torch.float32, "seed": 1},
    {"rows": 32, "cols": 200, "dtype": torch.float32, "seed": 2},
]


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    return (torch.rand(case["rows"], case["cols"], device=device),)


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    (x,) = make_inputs(case, DEVICE)
    torch.testing.assert_close(candidate(x), reference(x), rtol=1e-4, atol=1e-4)
