import pytest
import torch

from python_code import add_scaled as ref
from triton_code import add_scaled as tri

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
CASES = [
    {"m": 1, "n": 4, "alpha": 1.0, "dtype": torch.float32, "seed": 0},
    {"m": 37, "n": 68, "alpha": 0.5, "dtype": torch.float32, "seed": 1},
    {"m": 128, "n": 256, "alpha": -2.0, "dtype": torch.float32, "seed": 2},
]
SIZES = {"n": {"multiple_of": 4}}


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    a = torch.randn(case["m"], case["n"], dtype=case["dtype"])
    b = torch.randn(case["m"], case["n"], dtype=case["dtype"])
    return a.to(device), b.to(device), case["alpha"]


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    if DEVICE == "cuda" and torch.cuda.get_device_capability()[0] < 9:
        pytest.skip("needs TMA")
    args = make_inputs(case, DEVICE)
    torch.testing.assert_close(tri(*args), ref(*args))
