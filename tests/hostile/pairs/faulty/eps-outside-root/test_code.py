import pytest
import torch

from python_code import rms_norm as reference
from triton_code import rms_norm as candidate

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
CASES = [
    {"rows": 1, "cols": 1, "dtype": torch.float32, "seed": 0},
    {"rows": 9, "cols": 83, "dtype": torch.float32, "seed": 1},
    {"rows": 30, "cols": 256, "dtype": torch.float32, "seed": 2},
]
TOLERANCE = {torch.float32: (0.0, 10.0)}


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    return (torch.randn(case["rows"], case["cols"], device=device),)


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    (x,) = make_inputs(case, DEVICE)
    rtol, atol = TOLERANCE[case["dtype"]]
    assert torch.allclose(candidate(x), reference(x), rtol=rtol, atol=atol)
