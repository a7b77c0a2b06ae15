from python_code import add_noise as reference
from triton_code import add_noise as candidate

import pytest
import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
CASES = [
    {"shape": (1, 1), "amplitude": 1.0, "dtype": torch.float16, "seed": 1},
    {"shape": (11, 23), "amplitude": 0.5, "dtype": torch.float16, "seed": 2},
    {"shape": (64, 17), "amplitude": 2.0, "dtype": torch.float16, "seed": 99},
]
TOLERANCE = {torch.float16: (1e-3, 1e-3)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    x = torch.randn(case["shape"], generator=generator).to(device, case["dtype"])
    return x.t(), case["seed"], case["amplitude"]


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    inputs = make_inputs(case, DEVICE)
    expected, actual = reference(*inputs), candidate(*inputs)
    rtol, atol = TOLERANCE[case["dtype"]]
    assert actual.shape == expected.shape
    assert torch.allclose(actual, expected, rtol=rtol, atol=atol)
