from python_code import dropout as reference
from triton_code import dropout as candidate

import pytest
import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
CASES = [
    {"shape": (1, 1), "p": 0.5, "dtype": torch.float32, "seed": 0},
    {"shape": (13, 11), "p": 0.1, "dtype": torch.float32, "seed": 1},
    {"shape": (7, 143), "p": 0.3, "dtype": torch.float32, "seed": 12345},
]
TOLERANCE = {torch.float32: (1e-6, 0.0)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    x = torch.randn(case["shape"], generator=generator).to(device, case["dtype"])
    return x.t(), case["p"], case["seed"]


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    inputs = make_inputs(case, DEVICE)
    expected, actual = reference(*inputs), candidate(*inputs)
    rtol, atol = TOLERANCE[case["dtype"]]
    assert actual.shape == expected.shape
    assert torch.allclose(actual, expected, rtol=rtol, atol=atol)
