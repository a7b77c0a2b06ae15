"""The part of a report that a policy may see.

Attack: a policy learns the hidden sizes, seeds and values from messages, and answers only those.
Defense: each check has a fixed sentence. It replaces a message about inputs that no case shows, and
a message that the policy's process may have written after it saw hidden shapes.
"""

import re
from collections.abc import Mapping
from typing import Any

from validation.harness.report import Check, Report, Verdict

WORDS_MOST = 500
# Grades whose values are words from a fixed list.
GRADES = ("accuracy", "sizes", "values", "special_values", "computed_by")
# A name of an operation without digits, because digits could reveal a size.
OPERATION = re.compile(r"[a-z_]{1,40}")
OPERATIONS_MOST = 8

FAULTS: Mapping[str, str] = {
    "test": "the published test fails",
    "variations": "wrong or refused on hidden inputs: other values, seeds or sizes",
    "memory": "an input is changed or returned, or an output is not fully written",
    "determinism": "the same inputs give different answers",
    "bounds": "memory beside a tensor is accessed",
    "gradients": "a gradient is wrong",
    "compiles": "Triton can't compile a kernel",
    "timing": "a timed answer is wrong",
}
BY_VERDICT: Mapping[Verdict, str] = {
    Verdict.TIMEOUT: "not done in time",
    Verdict.CRASHED: "its process ended early, broke a limit or forged a result",
    Verdict.UNSUPPORTED: "it can't be compared",
    Verdict.VACUOUS: "nothing was compared",
}


def public_checks(report: Report) -> tuple[Mapping[str, str | None], ...]:
    return tuple(
        {
            "name": check.name,
            "verdict": None if check.verdict is None else str(check.verdict),
            "words": public_words(check),
        }
        for check in report.checks
    )


def public_message(report: Report) -> str:
    """Return the message of a failed check, preferably of the one that compares the shown cases."""
    for check in sorted(report.checks, key=lambda check: check.name != "accuracy"):
        if check.verdict is report.verdict and report.verdict is not Verdict.PASSED:
            return f"{check.name}: {public_words(check)}"
    passed = sum(check.verdict is Verdict.PASSED for check in report.checks)
    return f"{passed} checks pass"


def public_words(check: Check) -> str:
    if check.verdict is None:
        return "not made"
    if check.verdict in BY_VERDICT:
        return BY_VERDICT[check.verdict]
    if check.name == "accuracy":
        # This check compares only the shown cases, which the test publishes.
        return check.words[:WORDS_MOST]
    if check.name == "triton":
        return _of_triton(check)
    if check.verdict is Verdict.PASSED:
        return "passed"
    return FAULTS.get(check.name, "failed")


def _of_triton(check: Check) -> str:
    named = _operations(check.numbers.get("computed"))
    if check.verdict is Verdict.NOT_TRITON:
        named = _operations(check.numbers.get("problems")) or named
        words = "its own kernels do not compute the answer"
    elif check.verdict is not Verdict.PASSED:
        return "no Triton kernel of its own was launched"
    elif check.numbers.get("computed_by") == "mixed":
        words = "torch computes a part"
    else:
        return "its own kernels compute the answer"
    return f"{words}: {', '.join(named)}" if named else words


def _operations(tally: Any) -> list[str]:
    names = tally if isinstance(tally, dict) else {}
    bare = {str(name).rpartition("::")[2].partition(".")[0] for name in names}
    return sorted(name for name in bare if OPERATION.fullmatch(name))[:OPERATIONS_MOST]


def public_grades(report: Report) -> dict[str, Any]:
    grades = report.figures.get("grades", {})
    return {name: grades[name] for name in GRADES if grades.get(name) is not None}
