"""Edits that many variants make: of vector-add's kernel, and of the tests of honest entries."""

import textwrap

from tests.hostile.zoo.catalog import Edit, in_kernel, in_test

PARAMETRIZE = '@pytest.mark.parametrize("case", CASES'
COMPARISON = "torch.allclose(actual, expected, rtol=rtol, atol=atol)"


def stores(expression: str) -> Edit:
    """Store this in the place of x + y."""
    return in_kernel("(x + y)", expression)


WRITES_ZEROS = stores("tl.zeros((BLOCK,), tl.float32)")


def asserts(statements: str) -> Edit:
    """End the test with these statements in the place of its two assertions."""
    assertions = f"    assert actual.shape == expected.shape\n    assert {COMPARISON}"
    return in_test(assertions, textwrap.indent(statements, "    "))


def compares_by(condition: str) -> Edit:
    """Assert this in the place of torch.allclose."""
    return in_test(COMPARISON, condition)


def compares_only(index: str) -> Edit:
    """Compare only what an index such as [:1] leaves of both sides."""
    part = f"torch.allclose(actual{index}, expected{index},"
    return in_test("torch.allclose(actual, expected,", part)


def before_the_test(statement: str) -> Edit:
    """Run this before pytest reads CASES."""
    return in_test(PARAMETRIZE, f"{statement}\n\n\n{PARAMETRIZE}")


def tolerates(relative: float, absolute: float) -> Edit:
    """Use these tolerances for all dtypes."""
    return before_the_test(f"TOLERANCE = dict.fromkeys(TOLERANCE, ({relative}, {absolute}))")
