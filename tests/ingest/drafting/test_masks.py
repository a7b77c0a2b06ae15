"""Masks of blocks are joined in a way that the interpreter understands."""

from __future__ import annotations

import pytest

from ingest.drafting.isolating.masks import join_masks, replace_raises

KERNEL = """
@triton.jit
def kernel(x, m, n, CAUSAL: tl.constexpr):
    rows = tl.arange(0, 16)[:, None]
    columns = tl.arange(0, 16)
    block = tl.full([16], 1, dtype=tl.int1)
    mask = {}
"""


@pytest.mark.parametrize(
    ("mask", "joined"),
    [
        ("rows < m and columns[None, :] < n", "(rows < m) & (columns[None, :] < n)"),
        ("columns < n or columns > m", "(columns < n) | (columns > m)"),
        ("not (rows == m) and rows < n", "((rows == m) == 0) & (rows < n)"),
        ("mask and mask[None, :]", "mask & (mask[None, :])"),
        ("block or columns == m", "block | (columns == m)"),
        ("not CAUSAL and rows < n", "not CAUSAL and rows < n"),
        ("m < n and CAUSAL", "m < n and CAUSAL"),
        ("rows < m and CAUSAL", "rows < m and CAUSAL"),
        ("m < n and not first", "m < n and not first"),
    ],
)
def test_masks_of_blocks_are_joined_by_their_bits(mask: str, joined: str) -> None:
    assert join_masks(KERNEL.format(mask)) == KERNEL.format(joined)


def test_an_error_in_a_kernel_becomes_a_static_assertion() -> None:
    kernel = "import triton.language as tl\n\n@triton.jit\ndef kernel(x):\n    {}\n"
    host = "\ndef launch(x):\n    raise ValueError('size')\n"

    replaced = replace_raises(kernel.format("raise ValueError('dtype')") + host)

    assert replaced == kernel.format("tl.static_assert(False, 'dtype')") + host
