"""Kernels that a text launches by name, and whether Triton compiles them."""

from typing import Any

from validation.harness.judge.launcher_kernels import compiles, launched_by_name
from validation.harness.report import Verdict

TEXT = """
@triton.jit
def helper(x):
    return x


@triton.autotune(configs=[], key=[])
@triton.jit
def small(x):
    helper(x)


@triton.jit
def large(x):
    helper(x)


def launch(x):
    table = {0: print}
    table[0](x)
    if x.numel() < 64:
        small[(1,)](x)
    else:
        large[lambda meta: (1,)](x)
"""


def test_kernels_are_launched_in_any_branch_and_helpers_are_none() -> None:
    assert launched_by_name(TEXT) == {"small", "large"}


def test_a_text_that_is_no_python_launches_none() -> None:
    assert launched_by_name("def launch(:") == frozenset()


def compiled(**over: Any) -> dict[str, Any]:
    return {"done": 2, "left_out": 0, "unclear": [], "refused": {}, **over}


def test_a_kernel_that_triton_refuses_fails_with_its_line() -> None:
    about = {"reason": "total is not defined", "line": 16}

    check = compiles(compiled(refused={"add_kernel": about}, unclear=["other: crashed"]))

    words = "Triton can't compile add_kernel: total is not defined (line 16)"
    assert (check.verdict, check.words) == (Verdict.FAILED, words)


def test_an_error_that_may_not_be_of_the_kernel_is_not_tried() -> None:
    unclear = compiles(compiled(unclear=["kernel: fp8e4b8 not supported in this architecture"]))
    without_launch = compiles(compiled(done=0))

    assert (unclear.verdict, without_launch.verdict) == (None, None)
    assert unclear.words.startswith("not tried: kernel: fp8e4b8")


def test_launches_beyond_the_limit_are_counted() -> None:
    check = compiles(compiled(done=8, left_out=3))

    assert check.verdict is Verdict.PASSED
    assert check.words == "Triton compiles 8 kinds of launches; 3 others are not tried"
