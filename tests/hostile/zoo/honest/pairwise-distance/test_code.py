from python_code import pairwise_distance as reference
from triton_code import pairwise_distance as candidate

import pytest
import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
CASES = [
    {"m": 1, "n": 1, "d": 1, "dtype": torch.float32, "seed": 0},
    {"m": 17, "n": 23, "d": 5, "dtype": torch.float32, "seed": 1},
    {"m": 40, "n": 20, "d": 100, "dtype": torch.float32, "seed": 2},
]
TOLERANCE = {torch.float32: (1e-5, 1e-5)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    x = torch.randn(case["d"], case["m"], generator=generator).to(device, case["dtype"]).t()
    y = torch.randn(case["n"], case["d"], generator=generator).to(device, case["dtype"])
    return x, y


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    inputs = make_inputs(case, DEVICE)
    expected, actual = reference(*inputs), candidate(*inputs)
    rtol, atol = TOLERANCE[case["dtype"]]
    assert actual.shape == expected.shape
    assert torch.allclose(actual, expected, rtol=rtol, atol=atol)
