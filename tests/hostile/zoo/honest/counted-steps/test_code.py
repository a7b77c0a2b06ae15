from python_code import warm_momentum as reference
from triton_code import warm_momentum as candidate
from python_code import History

import pytest
import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
CASES = [
    {"n": 1, "dtype": torch.float32, "seed": 0},
    {"n": 97, "dtype": torch.float32, "seed": 1},
    {"n": 1500, "dtype": torch.float16, "seed": 2},
]
TOLERANCE = {torch.float32: (1e-5, 1e-6), torch.float16: (2e-3, 1e-4)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    weight, grad, mean = torch.randn(3, case["n"], generator=generator).to(device)
    weight, grad = weight.to(case["dtype"]), grad.to(case["dtype"])
    return weight, grad, History(mean, 3 + case["seed"]), {"step": 2 * case["seed"]}


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    expected = reference(*make_inputs(case, DEVICE))
    actual = candidate(*make_inputs(case, DEVICE))
    rtol, atol = TOLERANCE[case["dtype"]]
    assert actual.shape == expected.shape
    assert torch.allclose(actual, expected, rtol=rtol, atol=atol)
