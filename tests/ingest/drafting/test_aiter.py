"""A library that asks for the chip when it is imported is read by its adapter."""

from __future__ import annotations

from ingest.drafting import draft
from ingest.extract import MemoryTree

TYPES = """
import subprocess

import torch

BY_CHIP = {"one": torch.float8_e4m3fnuz, "two": torch.float8_e4m3fn}


def get_dtype_fp8():
    return BY_CHIP[subprocess.run(["chipinfo"], capture_output=True, text=True).stdout]


fp8 = get_dtype_fp8()
"""
OPERATION = """
import torch
import triton
import triton.language as tl


@triton.jit
def quantize_kernel(x, y, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(y + offsets, 2 * tl.load(x + offsets, mask=mask), mask=mask)


def quantize(x, dtype):
    y = torch.empty_like(x, dtype=dtype)
    quantize_kernel[(triton.cdiv(x.numel(), 64),)](x, y, x.numel(), BLOCK=64)
    return y
"""
TEST = """
import pytest
import torch

from aiter.ops import quantize
from aiter.utility.dtypes import fp8


@pytest.mark.parametrize("n", [16, 37])
def test_quantize(n):
    x = torch.randn(n, device="cuda")
    torch.testing.assert_close(quantize(x, fp8).float(), (x + x).to(fp8).float())
"""


def test_the_types_of_a_chip_are_written_without_asking_for_it() -> None:
    files = {
        "aiter/__init__.py": "",
        "aiter/ops.py": OPERATION,
        "aiter/utility/__init__.py": "",
        "aiter/utility/dtypes.py": TYPES,
        "tests/test_ops.py": TEST,
    }

    (outcome,) = draft(MemoryTree({path: text.encode() for path, text in files.items()}))

    assert outcome.draft is not None, outcome.sentence
    assert outcome.missing is None, outcome.sentence
    texts = outcome.draft.texts
    written = texts.python_code + texts.triton_code + texts.test_code
    assert "fp8 = torch.float8_e4m3fn\n" in written
    assert "subprocess" not in written
    assert "BY_CHIP" not in written
