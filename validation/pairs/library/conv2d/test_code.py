from python_code import conv2d as reference
from triton_code import conv2d as candidate

import pytest
import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

# Else cuDNN would round the reference's factors to 19 bits.
torch.backends.cudnn.allow_tf32 = False

# Relative and absolute, by the dtype of the inputs.
TOLERANCE = {
    "float32": (1e-05, 0.0001),
    "float16": (0.002, 0.005),
}

CASES = [
    {
        "images": 1,
        "channels": 1,
        "filters": 1,
        "taps": 1,
        "height": 1,
        "width": 1,
        "stride": 1,
        "dtype": "float32",
        "layout": "contiguous",
        "seed": 0,
    },
    {
        "images": 2,
        "channels": 3,
        "filters": 5,
        "taps": 3,
        "height": 7,
        "width": 5,
        "stride": 2,
        "dtype": "float16",
        "layout": "strided",
        "seed": 1,
    },
    {
        "images": 2,
        "channels": 7,
        "filters": 17,
        "taps": 3,
        "height": 9,
        "width": 11,
        "stride": 1,
        "dtype": "float32",
        "layout": "strided",
        "seed": 2,
    },
    {
        "images": 1,
        "channels": 16,
        "filters": 16,
        "taps": 1,
        "height": 8,
        "width": 8,
        "stride": 1,
        "dtype": "float16",
        "layout": "contiguous",
        "seed": 3,
    },
    {
        "images": 1,
        "channels": 5,
        "filters": 3,
        "taps": 5,
        "height": 13,
        "width": 10,
        "stride": 2,
        "dtype": "float32",
        "layout": "contiguous",
        "seed": 4,
    },
]

# Sizes that stay as they are, because the operation depends on them.
FIXED = {"taps", "stride"}


def make_inputs(case, device):
    """The arguments of one case: the same case gives the same values."""
    generator = torch.Generator().manual_seed(case["seed"])
    dtype = getattr(torch, case["dtype"])

    def laid_out(values):
        values = values.to(device)
        if case["layout"] == "strided":
            return values.repeat_interleave(2, dim=-1)[..., ::2]
        return values

    taps, stride = case["taps"], case["stride"]
    # `height` and `width` are the output's; the window is one wider than high.
    height, width = (case["height"] - 1) * stride + taps, (case["width"] - 1) * stride + taps + 1
    channels, filters = case["channels"], case["filters"]
    x = torch.randn((case["images"], channels, height, width), generator=generator)
    weight = torch.randn((filters, channels, taps, taps + 1), generator=generator)
    bias = torch.randn((filters,), generator=generator)
    return (*(laid_out(part.to(dtype)) for part in (x, weight, bias)), stride)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_equivalence(case):
    inputs = make_inputs(case, DEVICE)

    expected = reference(*inputs)
    actual = candidate(*inputs)

    rtol, atol = TOLERANCE[case["dtype"]]
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    assert torch.allclose(actual, expected, rtol=rtol, atol=atol)
