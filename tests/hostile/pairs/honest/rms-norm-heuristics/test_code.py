import pytest
import torch

import python_code
import triton_code

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
CASES = [
    {"batch": 1, "seq": 1, "dim": 1, "dtype": torch.float32, "seed": 0},
    {"batch": 2, "seq": 3, "dim": 64, "dtype": torch.float32, "seed": 1},
    {"batch": 3, "seq": 5, "dim": 127, "dtype": torch.float16, "seed": 2},
    {"batch": 1, "seq": 17, "dim": 1536, "dtype": torch.bfloat16, "seed": 3},
]


def make_inputs(case, device):
    g = torch.Generator().manual_seed(case["seed"])
    x = torch.randn(case["batch"], case["seq"], case["dim"], generator=g)
    w = torch.rand(case["dim"], generator=g) + 0.5
    return x.to(device, case["dtype"]), w.to(device, case["dtype"])


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    x, w = make_inputs(case, DEVICE)
    tol = {torch.float32: 1e-5, torch.float16: 4e-3, torch.bfloat16: 2e-2}[case["dtype"]]
    results = []
    for f in (python_code.rms_norm, triton_code.rms_norm):
        results.append(f(x, w))
    assert results[0].dtype == results[1].dtype
    assert torch.allclose(results[0], results[1], rtol=tol, atol=tol)
