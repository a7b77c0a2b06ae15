import torch
from python_code import squared as reference
from triton_code import squared as candidate

TOLERANCE = {"float32": (1e-6, 1e-6)}
CASES = [{"n": 100, "dtype": "float32", "seed": 0}]


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    return (torch.randn(case["n"], device=device),)


def test_equivalence():
    inputs = make_inputs(CASES[0], "cpu")
    torch.testing.assert_close(candidate(*inputs), reference(*inputs))
