from python_code import grouped_add as reference
from triton_code import grouped_add as candidate

import pytest
import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
CASES = [
    {"sizes": (1,), "step": 1, "seed": 0},
    {"sizes": (300, 17, 256), "step": 2, "seed": 1},
    {"sizes": (64, 1000), "step": 1, "seed": 2},
]


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    step = case["step"]
    xs = [torch.randn(n * step, generator=generator).to(device)[::step] for n in case["sizes"]]
    ys = [torch.randn(n, generator=generator).to(device) for n in case["sizes"]]
    return xs, ys


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    inputs = make_inputs(case, DEVICE)
    expected, actual = reference(*inputs), candidate(*inputs)
    assert len(actual) == len(expected)
    for ours, theirs in zip(actual, expected, strict=True):
        assert ours.shape == theirs.shape
        assert torch.allclose(ours, theirs, rtol=1e-6, atol=1e-6)
