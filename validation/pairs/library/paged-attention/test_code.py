from python_code import paged_attention as reference
from triton_code import paged_attention as candidate

import pytest
import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

# Relative and absolute, by the dtype of the inputs.
TOLERANCE = {
    "float32": (0.0001, 2e-05),
    "float16": (0.004, 0.004),
}

CASES = [
    {
        "sequences": 1,
        "heads": 1,
        "dims": 1,
        "most_pages": 1,
        "page_size": 1,
        "dtype": "float32",
        "layout": "contiguous",
        "seed": 0,
    },
    {
        "sequences": 3,
        "heads": 2,
        "dims": 13,
        "most_pages": 4,
        "page_size": 16,
        "dtype": "float32",
        "layout": "strided",
        "seed": 1,
    },
    {
        "sequences": 2,
        "heads": 4,
        "dims": 32,
        "most_pages": 7,
        "page_size": 16,
        "dtype": "float16",
        "layout": "strided",
        "seed": 2,
    },
    {
        "sequences": 5,
        "heads": 1,
        "dims": 20,
        "most_pages": 3,
        "page_size": 10,
        "dtype": "float32",
        "layout": "contiguous",
        "seed": 3,
    },
    {
        "sequences": 4,
        "heads": 2,
        "dims": 65,
        "most_pages": 5,
        "page_size": 32,
        "dtype": "float16",
        "layout": "contiguous",
        "seed": 4,
    },
]

# Sizes that stay as they are, because the operation depends on them.
FIXED = {"page_size"}


def make_inputs(case, device):
    """The arguments of one case: the same case gives the same values."""
    generator = torch.Generator().manual_seed(case["seed"])
    dtype = getattr(torch, case["dtype"])

    def laid_out(values):
        values = values.to(device)
        if case["layout"] == "strided":
            return values.repeat_interleave(2, dim=-1)[..., ::2]
        return values

    sequences, heads, dims = case["sequences"], case["heads"], case["dims"]
    most_pages, page_size = case["most_pages"], case["page_size"]
    n_pages = sequences * most_pages + 1
    q = torch.randn((sequences, heads, dims), generator=generator).to(dtype)
    keys, values = (
        torch.randn((n_pages, page_size, heads, dims), generator=generator).to(dtype)
        for _ in range(2)
    )
    # No page belongs to two sequences, and one to none.
    pages = torch.randperm(n_pages, generator=generator)[1:].view(sequences, most_pages)
    lengths = torch.randint(1, most_pages * page_size + 1, (sequences,), generator=generator)
    return tuple(map(laid_out, (q, keys, values, pages, lengths)))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_equivalence(case):
    inputs = make_inputs(case, DEVICE)

    expected = reference(*inputs)
    actual = candidate(*inputs)

    rtol, atol = TOLERANCE[case["dtype"]]
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    assert torch.allclose(actual, expected, rtol=rtol, atol=atol)
