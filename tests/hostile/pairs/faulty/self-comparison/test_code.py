import pytest
import torch

from python_code import softplus as reference
from triton_code import softplus as candidate

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
CASES = [
    {"n": 1, "dtype": torch.float32, "seed": 0},
    {"n": 307, "dtype": torch.float32, "seed": 1},
    {"n": 1024, "dtype": torch.float32, "seed": 2},
]


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    return (torch.randn(case["n"], device=device),)


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    (x,) = make_inputs(case, DEVICE)
    expected = candidate(x)
    assert reference(x).shape == expected.shape
    assert torch.allclose(candidate(x), expected, rtol=1e-5, atol=1e-6)
