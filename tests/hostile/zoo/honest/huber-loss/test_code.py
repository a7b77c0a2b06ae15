from python_code import huber_loss as reference
from triton_code import huber_loss as candidate

import pytest
import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
CASES = [
    {"n": 1, "dtype": torch.float32, "delta": 1.0, "step": 1, "seed": 0},
    {"n": 251, "dtype": torch.float32, "delta": 0.5, "step": 2, "seed": 1},
    {"n": 3000, "dtype": torch.float32, "delta": 1.5, "step": 1, "seed": 2},
]
TOLERANCE = {torch.float32: (1e-5, 1e-6)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    x, y = torch.randn(2, case["n"] * case["step"], generator=generator).to(device, case["dtype"])
    return x[:: case["step"]], y[:: case["step"]], case["delta"]


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    inputs = make_inputs(case, DEVICE)
    expected, actual = reference(*inputs), candidate(*inputs)
    rtol, atol = TOLERANCE[case["dtype"]]
    assert actual.shape == expected.shape
    assert torch.allclose(actual, expected, rtol=rtol, atol=atol)
