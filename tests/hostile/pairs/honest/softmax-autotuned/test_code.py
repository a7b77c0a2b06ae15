import pytest
import torch

from python_code import softmax as softmax_torch
from triton_code import softmax as softmax_triton

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
CASES = [
    {"rows": 1, "cols": 1, "dtype": torch.float32, "seed": 0},
    {"rows": 3, "cols": 131, "dtype": torch.float32, "seed": 1},
    {"rows": 4, "cols": 1000, "dtype": torch.float32, "seed": 2},
    {"rows": 2, "cols": 257, "dtype": torch.float16, "seed": 3},
]
TOLERANCE = {torch.float32: (1e-5, 1e-6), torch.float16: (2e-3, 1e-3)}


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    return (torch.randn(case["rows"], case["cols"]).to(device=device, dtype=case["dtype"]),)


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    (x,) = make_inputs(case, DEVICE)
    rtol, atol = TOLERANCE[case["dtype"]]
    torch.testing.assert_close(softmax_triton(x), softmax_torch(x), rtol=rtol, atol=atol)


def test_transposed_view():
    x = torch.randn(33, 20, device=DEVICE).t()
    torch.testing.assert_close(softmax_triton(x), softmax_torch(x), rtol=1e-5, atol=1e-6)
