"""Kernels of recorded launches are compiled without a GPU, and only the kernel's faults count."""

from dataclasses import replace

import pytest

from tests.hostile.zoo.load import zoo
from validation.harness.entry import parse
from validation.harness.pool.worker_pool import WorkerPool
from validation.harness.report import Check, Verdict
from validation.harness.schedule import examine_entry

pytestmark = pytest.mark.slow
ADD = next(entry for entry in zoo() if entry.name == "vector-add")
HELPER = """\
@triton.constexpr_function
def first_power(least):
    for power in range(32):
        if 2**power >= least:
            break
    return 2**power


@triton.jit
def add_kernel("""


def compiled(pool: WorkerPool, *changes: tuple[str, str]) -> Check:
    entry = parse(ADD.record(), "vector-add")
    text = entry.triton_code
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    report = examine_entry(replace(entry, triton_code=text), pool)
    return {check.name: check for check in report.checks}["compiles"]


def test_each_type_and_constant_of_the_launches_is_compiled_once(pool: WorkerPool) -> None:
    check = compiled(pool)

    assert check.verdict is Verdict.PASSED, check.words
    # Three dtypes, some with a stride of one, which Triton makes a constant.
    assert 3 <= check.numbers["compiled"] <= 8


def test_python_in_a_constexpr_function_is_no_fault(pool: WorkerPool) -> None:
    block = "tl.arange(0, BLOCK)"

    check = compiled(
        pool, ("@triton.jit\ndef add_kernel(", HELPER),
        (block, "tl.arange(0, first_power(BLOCK))"),
    )  # fmt: skip

    assert check.verdict is Verdict.PASSED, check.words


def test_a_type_of_another_target_is_no_fault(pool: WorkerPool) -> None:
    check = compiled(pool, ("(x + y)", "((x + y) + x.to(tl.float8e4b8).to(tl.float32) * 0)"))

    assert check.verdict is None
    assert check.words.startswith("not tried: add_kernel: ")


def test_a_refused_kernel_is_named_with_the_line_of_its_helper(pool: WorkerPool) -> None:
    helper = (
        "@triton.jit\ndef twice(x):\n    return x + MISSING * 0\n\n\n@triton.jit\ndef add_kernel("
    )

    check = compiled(
        pool, ("BLOCK = 1024\n", "BLOCK = 1024\nMISSING = 2.0\n"),
        ("@triton.jit\ndef add_kernel(", helper), ("(x + y)", "(twice(x) + y)"),
    )  # fmt: skip

    assert check.verdict is Verdict.FAILED
    assert check.words.startswith("Triton can't compile add_kernel: Cannot access global variable")
    assert check.words.endswith("(line 11)")
