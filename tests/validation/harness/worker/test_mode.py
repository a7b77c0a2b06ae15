"""A dispatch mode neither imports torch's compiler nor is compiled by it."""

import subprocess
import sys

import pytest

BEGIN = """\
import sys
import torch
from validation.harness.worker.rounding import Rounding

def rounded(function, x):
    with Rounding(1e-3, torch.Generator().manual_seed(0)):
        return function(x)

x = torch.ones(8)
"""


def said(then: str) -> str:
    """By a process of its own: this one may have imported anything."""
    command = [sys.executable, "-c", BEGIN + then]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.mark.slow
def test_the_dispatch_mode_does_not_import_torch_compile() -> None:
    there = 'print("torch._dynamo" in sys.modules)'
    assert said(f"{there}\nrounded(torch.sin, x)\n{there}").split() == ["False", "False"]


@pytest.mark.slow
def test_torch_compile_skips_the_dispatch_mode() -> None:
    compiled = """
function = torch.compile(lambda x: x.sin() * 2, backend="eager")
same = torch.equal(rounded(function, x), rounded(lambda x: x.sin() * 2, x))
from torch._dynamo.utils import counters
print(same, dict(counters["frames"]))
"""
    assert said(compiled) == "True {}"
