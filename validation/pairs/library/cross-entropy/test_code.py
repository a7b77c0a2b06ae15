from python_code import cross_entropy as reference
from triton_code import cross_entropy as candidate

import pytest
import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

# Relative and absolute, by the dtype of the inputs.
TOLERANCE = {
    "float32": (0.0001, 1e-05),
}

CASES = [
    {"rows": 1, "classes": 1, "dtype": "float32", "layout": "contiguous", "seed": 0},
    {"rows": 5, "classes": 127, "dtype": "float32", "layout": "strided", "seed": 1},
    {"rows": 37, "classes": 300, "dtype": "float32", "layout": "strided", "seed": 2},
    {"rows": 64, "classes": 16, "dtype": "float32", "layout": "contiguous", "seed": 3},
    {"rows": 3, "classes": 1025, "dtype": "float32", "layout": "contiguous", "seed": 4},
    # The first classes are ruled out, more than a block of them.
    {
        "rows": 3,
        "classes": 700,
        "excluded": 600,
        "dtype": "float32",
        "layout": "contiguous",
        "seed": 5,
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

    logits = torch.randn((case["rows"], case["classes"]), generator=generator).to(dtype)
    excluded = case.get("excluded", 0)
    logits[:, :excluded] = -float("inf")
    target = torch.randint(excluded, case["classes"], (case["rows"],), generator=generator)
    # Every fifth row does not count.
    target[4::5] = -1
    return laid_out(logits), target.to(device)


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
