import pytest
import torch

from python_code import hard_sigmoid as reference
from triton_code import hard_sigmoid as candidate

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
CASES = [
    {"n": 1, "dtype": torch.float16, "seed": 0},
    {"n": 733, "dtype": torch.float16, "seed": 1},
    {"n": 4096, "dtype": torch.bfloat16, "seed": 2},
]
TOLERANCE = {torch.float16: (1e-3, 1e-3), torch.bfloat16: (1e-2, 1e-2)}


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    return (3 * torch.randn(case["n"]).to(device, case["dtype"]),)


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    (x,) = make_inputs(case, DEVICE)
    rtol, atol = TOLERANCE[case["dtype"]]
    assert torch.allclose(candidate(x).float(), reference(x).float(), rtol=rtol, atol=atol)
