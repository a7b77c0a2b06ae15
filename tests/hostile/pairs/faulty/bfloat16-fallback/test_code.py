import pytest
import torch

from python_code import softsign as reference
from triton_code import softsign as candidate

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
CASES = [
    {"n": 1, "dtype": torch.float32, "seed": 0},
    {"n": 907, "dtype": torch.float32, "seed": 1},
    {"n": 1500, "dtype": torch.bfloat16, "seed": 2},
]
TOLERANCE = {torch.float32: (1e-5, 1e-6), torch.bfloat16: (1.6e-2, 1e-2)}


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    return (torch.randn(case["n"]).to(device, case["dtype"]),)


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    (x,) = make_inputs(case, DEVICE)
    rtol, atol = TOLERANCE[case["dtype"]]
    torch.testing.assert_close(candidate(x), reference(x), rtol=rtol, atol=atol)
