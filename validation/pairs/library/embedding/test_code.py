from python_code import embedding as reference
from triton_code import embedding as candidate

import pytest
import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

# Relative and absolute, by the dtype of the inputs.
TOLERANCE = {
    "float32": (1e-05, 1e-05),
}

CASES = [
    {"count": 1, "rows": 1, "cols": 1, "dtype": "float32", "layout": "contiguous", "seed": 0},
    {"count": 13, "rows": 7, "cols": 127, "dtype": "float32", "layout": "strided", "seed": 1},
    {"count": 40, "rows": 100, "cols": 300, "dtype": "float32", "layout": "strided", "seed": 2},
    {"count": 64, "rows": 3, "cols": 16, "dtype": "float32", "layout": "contiguous", "seed": 3},
    {"count": 3, "rows": 11, "cols": 1025, "dtype": "float32", "layout": "contiguous", "seed": 4},
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

    index = torch.randint(0, case["rows"], (case["count"],), generator=generator)
    weight = torch.randn((case["rows"], case["cols"]), generator=generator).to(dtype)
    return laid_out(index), laid_out(weight)


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
