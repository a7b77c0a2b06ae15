from python_code import long_cumsum as reference
from triton_code import long_cumsum as candidate

import pytest
import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
CASES = [
    {"n": 1, "dtype": torch.float32, "step": 1, "seed": 0},
    {"n": 127, "dtype": torch.float32, "step": 3, "seed": 1},
    {"n": 1000, "dtype": torch.float32, "step": 1, "seed": 2},
    {"n": 2048, "dtype": torch.float32, "step": 2, "seed": 3},
]
TOLERANCE = {torch.float32: (1e-5, 1e-4)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    x = torch.randn(case["n"] * case["step"], generator=generator).to(device, case["dtype"])
    return (x[:: case["step"]],)


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    inputs = make_inputs(case, DEVICE)
    expected, actual = reference(*inputs), candidate(*inputs)
    rtol, atol = TOLERANCE[case["dtype"]]
    assert actual.shape == expected.shape
    assert torch.allclose(actual, expected, rtol=rtol, atol=atol)
