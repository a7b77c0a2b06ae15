"""Properties over arbitrary and mutated sources."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.extract import Extraction, MemoryTree, extract
from ingest.extract.decoding import decode

SOURCE = b'''"""Docs."""
import triton
import triton.language as tl
try:
    from triton.language.extra import libdevice
except ImportError:
    libdevice = None
N = tl.constexpr(4)
class Box:
    @triton.jit
    def get(self, x): return x
if N:
    @triton.jit
    def a(x, *, B: tl.constexpr = 1): return [y for y in x]
else:
    a = triton.jit(lambda x: x)
def host(x):
    M = 3
    @triton.jit
    def k(p):
        tl.store(p, a(M) + N)  # {comment}
    k[(1,)](x)
TEXT = f"""
@triton.jit
def t(x): return {N}
"""
'''
TOKENS = st.sampled_from(
    [
        b"(",
        b")",
        b"\n",
        b"\r\n",
        b"\t",
        b"    ",
        b'"""',
        b"'",
        b"@triton.jit\n",
        b"def ",
        b":",
        b"\\",
        b"{",
        b"}",
        b"\xff",
        b"import ",
        b"from . import x\n",
        b"global N\n",
        b"lambda ",
        b"=",
    ]
)


def _check(data: bytes) -> None:
    lines = decode(data).text.split("\n")
    for item in extract(MemoryTree({"triton/k.py": data})):
        if isinstance(item, Extraction):
            kernel = item.kernel
            exact = "\n".join(lines[kernel.start_line - 1 : kernel.end_line])
            assert kernel.source == exact


@settings(max_examples=150)
@given(st.binary(max_size=400))
def test_no_bytes_crash_the_extraction(data: bytes) -> None:
    _check(b"jit triton\n" + data)


@pytest.mark.slow
@settings(max_examples=250)
@given(st.lists(st.tuples(st.integers(0, len(SOURCE)), st.integers(0, 12), TOKENS), max_size=6))
def test_extracted_lines_are_exact_for_mutated_kernels(
    mutations: list[tuple[int, int, bytes]],
) -> None:
    data = SOURCE
    for at, length, token in mutations:
        data = data[:at] + token + data[at + length :]
    _check(data)


@settings(max_examples=60)
@given(st.integers(0, len(SOURCE)))
def test_truncated_sources_are_read_up_to_their_end(length: int) -> None:
    _check(SOURCE[:length])
