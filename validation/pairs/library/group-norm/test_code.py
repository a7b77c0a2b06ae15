from python_code import group_norm as reference
from triton_code import group_norm as candidate

import pytest
import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

# Relative and absolute, by the dtype of the inputs.
TOLERANCE = {
    "float32": (0.0001, 2e-05),
    "float16": (0.004, 0.004),
    "bfloat16": (0.016, 0.016),
}

CASES = [
    {
        "images": 1,
        "groups": 1,
        "group_size": 1,
        "height": 1,
        "width": 2,
        "dtype": "float32",
        "layout": "contiguous",
        "seed": 0,
    },
    {
        "images": 2,
        "groups": 3,
        "group_size": 2,
        "height": 7,
        "width": 5,
        "dtype": "float16",
        "layout": "strided",
        "seed": 1,
    },
    {
        "images": 1,
        "groups": 4,
        "group_size": 4,
        "height": 16,
        "width": 11,
        "dtype": "bfloat16",
        "layout": "strided",
        "seed": 2,
    },
    {
        "images": 3,
        "groups": 2,
        "group_size": 1,
        "height": 9,
        "width": 30,
        "dtype": "float32",
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

    channels = case["groups"] * case["group_size"]
    x = torch.randn(
        (case["images"], channels, case["height"], case["width"]), generator=generator
    ).to(dtype)
    weight = torch.randn((channels,), generator=generator).to(dtype)
    bias = torch.randn((channels,), generator=generator).to(dtype)
    return laid_out(x), case["groups"], laid_out(weight), laid_out(bias), 1e-5


@pytest.mark.parametrize("case", CASES, ids=str)
def test_equivalence(case):
    inputs = make_inputs(case, DEVICE)

    expected = reference(*inputs)
    actual = candidate(*inputs)

    rtol, atol = TOLERANCE[case["dtype"]]
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    assert torch.allclose(actual, expected, rtol=rtol, atol=atol)
