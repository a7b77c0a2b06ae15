"""Remarks on an edit's changes to a pair's test: tolerances, cases, assertions. Pure.

Attack: an edit that loosens the test passes a reviewer who reads only the Triton code. Defense:
every changed statement that sets a tolerance, names the cases or asserts is shown separately. A
statement counts as changed only if its syntax changed, so reformatting gives no remark.
"""

import ast
import copy
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

# The two tolerance arguments of a call or assignment.
LIMITS = frozenset({"rtol", "atol"})
COMPARISONS = frozenset({"allclose", "assert_close", "isclose", "equal"})
LONGEST = 200


@dataclass(frozen=True, slots=True)
class Remark:
    """A changed part of the test, with the statements that only one version has."""

    text: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


def remarks_on_test(before: str, after: str) -> list[Remark]:
    """Return a remark for each part of the test that differs between the versions."""
    try:
        old, new = _parts(before), _parts(after)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return [Remark("A version of the test does not parse: read all of its lines.")]
    return [
        Remark(text, _shown(old[text] - new[text]), _shown(new[text] - old[text]))
        for text in PARTS
        if old[text] != new[text]
    ]


def _parts(source: str) -> dict[str, Counter[str]]:
    """Return the statements of each part of a test. The key is the remark on the part."""
    statements = _statements(source)
    return {
        text: Counter(ast.unparse(one) for one in statements if concerns(one))
        for text, concerns in PARTS.items()
    }


def _statements(source: str) -> list[ast.stmt]:
    found = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.stmt))
    return [_head(node) for node in sorted(found, key=lambda node: node.lineno)]


def _head(node: ast.stmt) -> ast.stmt:
    """Return a compound statement without the statements inside it."""
    bodies = {"body": [ast.Pass()], "orelse": [], "finalbody": [], "handlers": [], "cases": []}
    inside = {name: body for name, body in bodies.items() if name in node._fields}
    if not inside:
        return node
    head = copy.copy(node)
    vars(head).update(inside)
    return head


def _names(node: ast.AST) -> Iterator[str]:
    for inside in ast.walk(node):
        if isinstance(inside, ast.Name):
            yield inside.id
        elif isinstance(inside, ast.Attribute):
            yield inside.attr
        elif isinstance(inside, ast.keyword | ast.arg) and inside.arg:
            yield inside.arg


def _sets_tolerance(node: ast.stmt) -> bool:
    return not LIMITS.isdisjoint(_names(node)) or "TOLERANCE" in _names(node)


def _names_cases(node: ast.stmt) -> bool:
    return "CASES" in _names(node)


def _asserts(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assert) or not COMPARISONS.isdisjoint(_names(node))


PARTS: Mapping[str, Callable[[ast.stmt], bool]] = {
    "This edit changes a tolerance of the test.": _sets_tolerance,
    "This edit changes the cases of the test.": _names_cases,
    "This edit changes an assertion of the test.": _asserts,
}


def _shown(statements: Counter[str]) -> tuple[str, ...]:
    return tuple(
        text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
        for text in (_joined(one) for one in statements.elements())
    )


def _joined(statement: str) -> str:
    return " ".join(statement.removesuffix("\n    pass").split())
