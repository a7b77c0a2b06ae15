from python_code import rotary_embedding as reference
from triton_code import rotary_embedding as candidate

import pytest
import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

# Relative and absolute, by the dtype of the inputs.
TOLERANCE = {
    "float32": (1e-05, 1e-06),
    "float16": (0.002, 0.001),
}

CASES = [
    {
        "batch": 1,
        "positions": 1,
        "heads": 1,
        "half": 1,
        "dtype": "float32",
        "layout": "contiguous",
        "seed": 0,
    },
    {
        "batch": 2,
        "positions": 7,
        "heads": 3,
        "half": 13,
        "dtype": "float16",
        "layout": "strided",
        "seed": 1,
    },
    {
        "batch": 1,
        "positions": 20,
        "heads": 9,
        "half": 32,
        "dtype": "float32",
        "layout": "strided",
        "seed": 2,
    },
    {
        "batch": 3,
        "positions": 5,
        "heads": 4,
        "half": 65,
        "dtype": "float16",
        "layout": "contiguous",
        "seed": 3,
    },
]


def make_inputs(case, device):
    """The arguments of one case: the same case gives the same values."""
    generator = torch.Generator().manual_seed(case["seed"])
    dtype = getattr(torch, case["dtype"])

    def laid_out(values):
        values = values.to(device)
        if case["layout"] == "strided":
            return values.repeat_interleave(2, dim=-1)[..., ::2]
        return values

    x = torch.randn(
        (case["batch"], case["positions"], case["heads"], 2 * case["half"]), generator=generator
    ).to(dtype)
    frequency = 100.0 ** (-torch.arange(case["half"]) / case["half"])
    angle = torch.arange(case["positions"])[:, None] * frequency[None, :]
    return laid_out(x), angle.cos().to(device), angle.sin().to(device)


def differentiable(inputs):
    """The same tensors as leaves of a graph of their own."""
    return [
        x.detach().requires_grad_() if isinstance(x, torch.Tensor) and x.is_floating_point() else x
        for x in inputs
    ]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_equivalence(case):
    inputs = make_inputs(case, DEVICE)
    theirs, ours = differentiable(inputs), differentiable(inputs)

    expected = reference(*theirs)
    actual = candidate(*ours)

    rtol, atol = TOLERANCE[case["dtype"]]
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    assert torch.allclose(actual, expected, rtol=rtol, atol=atol)

    generator = torch.Generator().manual_seed(case["seed"] + 1)
    upstream = torch.randn(expected.shape, generator=generator).to(expected)
    expected.backward(upstream)
    actual.backward(upstream)
    for mine, wanted in zip(ours, theirs):
        if isinstance(wanted, torch.Tensor) and wanted.grad is not None:
            assert mine.grad.dtype == wanted.grad.dtype
            assert torch.allclose(mine.grad, wanted.grad, rtol=rtol, atol=5 * atol)
