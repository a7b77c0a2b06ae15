import torch
from python_code import scaled as reference
from triton_code import scaled as candidate

TOLERANCE = {"float32": (1e-6, 1e-6)}
CASES = [
    {"n": 100, "factor": 3.0, "dtype": "float32", "seed": 0},
    {"n": 1000, "factor": 0, "dtype": "float32", "seed": 1},
]


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    return (torch.randn(case["n"], device=device), case["factor"])


def test_equivalence():
    for case in CASES:
        inputs = make_inputs(case, "cpu")
        torch.testing.assert_close(candidate(*inputs), reference(*inputs))
