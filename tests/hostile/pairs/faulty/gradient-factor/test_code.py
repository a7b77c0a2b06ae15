import pytest
import torch

from python_code import scaled_square as reference
from triton_code import scaled_square as candidate

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
CASES = [
    {"rows": 1, "cols": 1, "dtype": torch.float32, "seed": 0},
    {"rows": 7, "cols": 43, "dtype": torch.float32, "seed": 1},
    {"rows": 20, "cols": 100, "dtype": torch.float32, "seed": 2},
]


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    return torch.randn(case["rows"], case["cols"], device=device), torch.randn(
        case["cols"], device=device
    )


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    x, w = make_inputs(case, DEVICE)
    x.requires_grad_()
    got = candidate(x, w)
    torch.testing.assert_close(got, reference(x, w), rtol=1e-5, atol=1e-6)
    got.sum().backward()
    assert x.grad is not None
