"""Encodings, line ends and files that are hostile or broken: a reason, never a crash."""

from __future__ import annotations

import time

import pytest

from ingest.extract import MemoryTree, Problem, extract
from tests.ingest.extract.reading import read

KERNEL = b"import triton\n@triton.jit\ndef k(p):\n    return p\n"
SOURCE = "@triton.jit\ndef k(p):\n    return p"


@pytest.mark.parametrize(
    "data",
    [
        KERNEL.replace(b"\n", b"\r\n"),
        KERNEL.replace(b"\n", b"\r"),
        b"\xef\xbb\xbf" + KERNEL,
        b"# -*- coding: latin-1 -*-\n# \xe9\n" + KERNEL,
        KERNEL + b"# \xe9 is no utf-8\n",
        b"\x0c\n" + KERNEL,
        b"# coding: no-such-codec\n" + KERNEL,
        b"# coding: rot13\n" + KERNEL,
    ],
)
def test_encoding_and_line_ends_of_a_file_do_not_change_the_source(data: bytes) -> None:
    found, _ = read({"triton/k.py": data})
    assert [e.kernel.source for e in found] == [SOURCE]


def test_bytes_that_contradict_their_encoding_are_reported() -> None:
    _, problems = read({"k.py": KERNEL + b"# \xe9\n"})
    assert [(p.code, p.line) for p in problems] == [("encoding", None)]


def test_tabs_are_preserved() -> None:
    found, _ = read({"k.py": b"import triton\n@triton.jit\ndef k(p):\n\treturn p\n"})
    assert found[0].kernel.source.endswith("\treturn p")


@pytest.mark.parametrize(
    "broken",
    [
        b"def oops(:\n    pass\n",
        b"x = (1,\n",
        b"class <lambda>(Module):\n    pass\n",
        b"print 'old'\n",
        b"    indented = 1\n",
        b"if True:\n",
        b"x = 'never closed\n",
    ],
)
def test_a_broken_statement_does_not_affect_other_kernels(broken: bytes) -> None:
    before = b"import triton\n@triton.jit\ndef before(p):\n    return p\n\n"
    after = b"\n@triton.jit\ndef after(p):\n    return p\n"
    found, _ = read({"k.py": before + broken + after})
    assert [e.kernel.name for e in found] == ["before", "after"]


def test_newer_grammar_than_the_running_python_is_read() -> None:
    text = b"import triton\ntype T[X] = list[X]\n@triton.jit\ndef k[T](p: T):\n    return p\n"
    found, _ = read({"k.py": text})
    assert found[0].kernel.name == "k"


def test_a_null_byte_is_reported_with_its_line() -> None:
    _, problems = read({"k.py": KERNEL + b"\0"})
    assert [(p.code, p.line) for p in problems] == [("null-byte", 5)]


def test_a_file_above_the_size_limit_is_reported_as_a_problem() -> None:
    items = list(extract(MemoryTree({"k.py": KERNEL + b"x" * 50_000_000})))
    assert [item.code for item in items if isinstance(item, Problem)] == ["too-large"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "bomb",
    [
        b"x = " + b"(" * 10_000 + b")" * 10_000 + b"\n",
        b"x = " + b"[" * 200_000 + b"\n",
        b"x = " + b"-" * 100_000 + b"1\n",
        b"".join(b" " * depth + b"if 1:\n" for depth in range(1_000)) + b" " * 1_000 + b"pass\n",
        b"x = " + b"a." * 50_000 + b"b\n",
        b"x" * 1_900_000,
        b"".join(b"from m%d import *\n" % n for n in range(5_000)),
        b"@a" * 100_000,
        b"f(a b " * 20_000,
        b"x = 1;" * 50_000,
        b"from functools import partial\n@"
        + b"partial(" * 5_000
        + b"triton.jit"
        + b")" * 5_000
        + b"\ndef q(): pass\n",
        b"".join(b" " * depth + b"if 1:\n" for depth in range(400))
        + b" " * 400
        + b"deep = 1\n@triton.jit\ndef q(p):\n    return p + deep\n",
    ],
)
def test_parser_bombs_end_in_bounded_time(bomb: bytes) -> None:
    start = time.process_time()
    read({"k.py": KERNEL + bomb})
    assert time.process_time() - start < 12


def test_an_unreadable_file_is_a_problem() -> None:
    class Absent(MemoryTree):
        def read(self, path: str) -> bytes | None:
            return None

    items = list(extract(Absent({"k.py": b""})))
    assert [item.code for item in items if isinstance(item, Problem)] == ["unreadable"]
