from python_code import weighted_sum as reference
from triton_code import weighted_sum as candidate

import pytest
import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
CASES = [
    {"n": 0, "dtype": torch.float32, "step": 1, "seed": 0},
    {"n": 1, "dtype": torch.float32, "step": 1, "seed": 1},
    {"n": 499, "dtype": torch.float32, "step": 2, "seed": 2},
    {"n": 3000, "dtype": torch.float32, "step": 1, "seed": 3},
]
TOLERANCE = {torch.float32: (1e-5, 1e-5)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    x = torch.rand(case["n"] * case["step"], generator=generator).to(device, case["dtype"])
    weight = torch.rand(case["n"], generator=generator).to(device, case["dtype"])
    return x[:: case["step"]], weight


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    inputs = make_inputs(case, DEVICE)
    expected, actual = reference(*inputs), candidate(*inputs)
    rtol, atol = TOLERANCE[case["dtype"]]
    assert actual.shape == expected.shape
    assert torch.allclose(actual, expected, rtol=rtol, atol=atol)
