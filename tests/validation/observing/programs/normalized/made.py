import torch
from python_code import normalized as reference
from triton_code import normalized as candidate

TOLERANCE = {"float32": (1e-6, 1e-6)}
CASES = [
    {"rows": 3, "size": 40, "offset": 0.0, "seed": 0},
    {"rows": 2, "size": 16, "offset": 1.0, "seed": 1},
]


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    x = torch.randn(case["rows"], case["size"], device=device)
    target = torch.randn(case["rows"], case["size"], device=device)
    weight = torch.randn(case["size"], device=device)
    return x, target, weight, case["offset"]


def test_equivalence():
    inputs = make_inputs(CASES[0], "cpu")
    torch.testing.assert_close(candidate(*inputs), reference(*inputs))
