"""Kernels that a text launches by name."""

from validation.harness.judge.kernels import launched_by_name

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
