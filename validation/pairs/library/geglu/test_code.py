from python_code import geglu as reference
from triton_code import geglu as candidate

import pytest
import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

# Relative and absolute, by the dtype of the inputs.
TOLERANCE = {
    "float32": (1e-05, 1e-06),
    "float16": (0.004, 0.002),
}

CASES = [
    {"rows": 1, "cols": 1, "dtype": "float32", "layout": "contiguous", "seed": 0},
    {"rows": 5, "cols": 127, "dtype": "float16", "layout": "strided", "seed": 1},
    {"rows": 37, "cols": 300, "dtype": "float32", "layout": "strided", "seed": 2},
    {"rows": 3, "cols": 1025, "dtype": "float16", "layout": "contiguous", "seed": 3},
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

    gate = torch.randn((case["rows"], case["cols"]), generator=generator).to(dtype)
    value = torch.randn((case["rows"], case["cols"]), generator=generator).to(dtype)
    return laid_out(gate), laid_out(value)


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
