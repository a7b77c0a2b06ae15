from python_code import conv1d as reference
from triton_code import conv1d as candidate

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
        "batch": 1,
        "channels": 1,
        "filters": 1,
        "taps": 1,
        "positions": 1,
        "stride": 1,
        "dtype": "float32",
        "layout": "contiguous",
        "seed": 0,
    },
    {
        "batch": 2,
        "channels": 3,
        "filters": 5,
        "taps": 3,
        "positions": 31,
        "stride": 2,
        "dtype": "float16",
        "layout": "strided",
        "seed": 1,
    },
    {
        "batch": 2,
        "channels": 7,
        "filters": 17,
        "taps": 4,
        "positions": 70,
        "stride": 1,
        "dtype": "float32",
        "layout": "strided",
        "seed": 2,
    },
    {
        "batch": 1,
        "channels": 16,
        "filters": 16,
        "taps": 3,
        "positions": 64,
        "stride": 2,
        "dtype": "float16",
        "layout": "contiguous",
        "seed": 3,
    },
    {
        "batch": 1,
        "channels": 5,
        "filters": 3,
        "taps": 7,
        "positions": 150,
        "stride": 3,
        "dtype": "float32",
        "layout": "contiguous",
        "seed": 4,
    },
]

# Sizes that stay as they are, because the operation depends on them.
FIXED = {"stride"}


def make_inputs(case, device):
    """The arguments of one case: the same case gives the same values."""
    generator = torch.Generator().manual_seed(case["seed"])
    dtype = getattr(torch, case["dtype"])

    def laid_out(values):
        values = values.to(device)
        if case["layout"] == "strided":
            return values.repeat_interleave(2, dim=-1)[..., ::2]
        return values

    length = (case["positions"] - 1) * case["stride"] + case["taps"]
    x = torch.randn((case["batch"], case["channels"], length), generator=generator)
    weight = torch.randn((case["filters"], case["channels"], case["taps"]), generator=generator)
    bias = torch.randn((case["filters"],), generator=generator)
    return (*(laid_out(part.to(dtype)) for part in (x, weight, bias)), case["stride"])


@pytest.mark.parametrize("case", CASES, ids=str)
def test_equivalence(case):
    inputs = make_inputs(case, DEVICE)

    expected = reference(*inputs)
    actual = candidate(*inputs)

    rtol, atol = TOLERANCE[case["dtype"]]
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    assert torch.allclose(actual, expected, rtol=rtol, atol=atol)
