from python_code import embedding as reference
from triton_code import embedding as candidate

import pytest
import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
CASES = [
    {"words": 1, "size": 1, "shape": (1, 1), "dtype": torch.float32, "seed": 0},
    {"words": 19, "size": 13, "shape": (5, 7), "dtype": torch.float32, "seed": 1},
    {"words": 50, "size": 150, "shape": (3, 11), "dtype": torch.float16, "seed": 2},
]
TOLERANCE = {torch.float32: (0.0, 0.0), torch.float16: (0.0, 0.0)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    indices = torch.randint(0, case["words"], case["shape"], generator=generator).to(device)
    table = torch.randn(case["words"], case["size"], generator=generator)
    return indices.t(), table.to(device, case["dtype"])


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    inputs = make_inputs(case, DEVICE)
    expected, actual = reference(*inputs), candidate(*inputs)
    rtol, atol = TOLERANCE[case["dtype"]]
    assert actual.shape == expected.shape
    assert torch.allclose(actual, expected, rtol=rtol, atol=atol)
