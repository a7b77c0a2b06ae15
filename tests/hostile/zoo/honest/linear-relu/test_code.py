from python_code import linear_relu as reference
from triton_code import linear_relu as candidate

import pytest
import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
CASES = [
    {"batch": 1, "m": 1, "n": 1, "k": 1, "dtype": torch.float32, "bias": True, "seed": 0},
    {"batch": 3, "m": 17, "n": 35, "k": 23, "dtype": torch.float32, "bias": False, "seed": 1},
    {"batch": 2, "m": 40, "n": 65, "k": 70, "dtype": torch.float32, "bias": True, "seed": 2},
]
TOLERANCE = {torch.float32: (1e-5, 5e-5)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    batch, m, n, k = case["batch"], case["m"], case["n"], case["k"]
    x = torch.randn(m, batch, k, generator=generator).to(device, case["dtype"]).transpose(0, 1)
    weight = torch.randn(n, k, generator=generator).to(device, case["dtype"]).t()
    bias = torch.randn(n, generator=generator).to(device, case["dtype"])
    return x, weight, bias if case["bias"] else None


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    inputs = make_inputs(case, DEVICE)
    expected, actual = reference(*inputs), candidate(*inputs)
    rtol, atol = TOLERANCE[case["dtype"]]
    assert actual.shape == expected.shape
    assert torch.allclose(actual, expected, rtol=rtol, atol=atol)
