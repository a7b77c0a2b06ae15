import pytest
import torch

from python_code import matvec as reference
from triton_code import matvec as candidate

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
CASES = [
    {"n": 1, "dtype": torch.float32, "seed": 0},
    {"n": 31, "dtype": torch.float32, "seed": 1},
    {"n": 100, "dtype": torch.float32, "seed": 2},
]


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    a = torch.randn(case["n"], case["n"])
    return (a + a.T).to(device), torch.randn(case["n"]).to(device)


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    args = make_inputs(case, DEVICE)
    torch.testing.assert_close(candidate(*args), reference(*args), rtol=1e-4, atol=1e-4)
