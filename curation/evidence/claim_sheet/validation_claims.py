"""Claims of a pair about its answers, from the grades of its validation. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from curation.evidence.claim_sheet.masks import unmasked_stores, without_mask
from curation.evidence.claim_sheet.types import (
    OPEN,
    SHOWN,
    WRONG,
    EvidenceClaim,
    PairFacts,
    Validation,
    not_shown,
    shown,
    wrong,
)
from curation.evidence.grades import NOT_TRIED, ValidationRow, error_beyond_rounding, open_grades
from curation.models import Device, Verdict
from curation.text import pluralize

# Verdicts that show a fault. All others, except a pass, leave open whether the answers are right.
FAULTS = {
    Verdict.FAILED: "Not the answers of PyTorch",
    Verdict.ERROR: "It does not run",
    Verdict.CRASHED: "It ends its process",
    Verdict.NOT_TRITON: "Its kernels do not compute the answer",
}
LONGEST_MESSAGE = 200


def validated(facts: PairFacts) -> Iterator[EvidenceClaim]:
    """Yield claims about the newest validation on a GPU or, without one, in the interpreter."""
    ran = {row.device: row for row in reversed(facts.validations)}
    newest = ran.get(Device.CUDA) or ran.get(Device.INTERPRETER)
    if newest is None:
        yield not_shown("answers", "Same answers as PyTorch: not tried, it was not validated")
        return
    gpu = newest.environment.get("gpu") or "a GPU"
    where = f"on {gpu}" if newest.device == Device.CUDA else "in the interpreter"
    if newest.verdict != Verdict.PASSED:
        yield _not_passed(newest, where)
        return
    row = ValidationRow(0, newest.device, newest.verdict, newest.grades)
    left_open = open_grades(facts.origin, row)
    yield _answers(newest, where, left_open)
    if "device" in left_open:
        yield not_shown("device", "Runs on a GPU: not tried, it passed in the interpreter only")
    for name, topic in GRADES.items():
        yield _graded(name, topic, newest, facts, left_open)
    yield _memory(facts, newest, ran.get(Device.INTERPRETER))


def _not_passed(newest: Validation, where: str) -> EvidenceClaim:
    first = newest.message.strip().splitlines()[:1]
    reason = f": {first[0][:LONGEST_MESSAGE]}" if first else ""
    if fault := FAULTS.get(Verdict(newest.verdict)):
        return wrong("answers", f"{fault}, {where}{reason}")
    because = {
        Verdict.TIMEOUT: "it was not done in time",
        Verdict.UNSUPPORTED: "it can't be tried here",
        Verdict.VACUOUS: "its test can't fail",
    }.get(Verdict(newest.verdict), newest.verdict)
    return not_shown("answers", f"Same answers as PyTorch: not shown, {because} {where}{reason}")


def _answers(newest: Validation, where: str, left_open: Mapping[str, Any]) -> EvidenceClaim:
    cases = newest.figures.get("cases")
    inputs = f" on {pluralize(cases, 'input')}" if isinstance(cases, int) else ""
    accuracy = newest.grades.get("accuracy")
    how = "Same bits as PyTorch" if accuracy == "exact" else "Same answers as PyTorch"
    if error := error_beyond_rounding(newest.grades):
        text = f"Answers{inputs}, {where}, are up to {error:.3g} times as far off as PyTorch's own"
    elif accuracy is None:
        text = f"{how}{inputs}, {where}; accuracy not judged"
    else:
        text = f"{how}{inputs}, {where}"
    state = OPEN if {"accuracy", "own_error"} & left_open.keys() else SHOWN
    return EvidenceClaim("answers", state, text)


# Grades of a passed validation, and the topic of the claim that each leads to.
GRADES = {
    "sizes": "sizes",
    "values": "values",
    "special_values": "special values",
    "unvaried": "arguments",
    "computed_by": "computed by",
    "launched": "launches",
    "test_strength": "test",
}
SENTENCES: Mapping[str, Mapping[str, str]] = {
    "sizes": {
        "any": "Other sizes: right on all that were tried",
        "shown": "Other sizes: wrong for some, right for those of its own test",
        NOT_TRIED: "Other sizes: not tried",
    },
    "values": {
        "any": "Other values: right on all that were tried",
        "shown": "Other values: wrong for some, right for those of its own test",
        NOT_TRIED: "Other values: not tried",
    },
    "special_values": {
        "same": "NaN, infinities and huge values: as PyTorch",
        "differ": "NaN, infinities or huge values: other answers than PyTorch",
        NOT_TRIED: "NaN, infinities and huge values: not tried",
    },
    "unvaried": {NOT_TRIED: "Arguments that the test never varies: not looked for"},
    "computed_by": {
        "triton": "Its own kernels compute everything",
        NOT_TRIED: "Share of PyTorch: not measured",
    },
    "launched": {
        "all": "Each of its kernels is launched by some input",
        NOT_TRIED: "Kernels that no input launches: not looked for",
    },
    "test_strength": {NOT_TRIED: "Damage that its own test notices: not measured"},
}
# Figures of a check that explain a grade, by grade.
REASONS = {"sizes": ("sizes_wrong", "sizes_untried"), "values": ("values_wrong",),
           "special_values": ("special_values_wrong",)}  # fmt: skip


def _graded(
    name: str, topic: str, newest: Validation, facts: PairFacts, left_open: Mapping[str, Any]
) -> EvidenceClaim:
    value = newest.grades.get(name, NOT_TRIED)
    # If a trial gave an answer that differs from PyTorch's, the claim is wrong, not merely open.
    state = WRONG if value in ("shown", "differ") else OPEN if name in left_open else SHOWN
    lines: tuple[int, ...] = ()
    if name == "unvaried" and value != NOT_TRIED:
        text = f"Only one value tested: {', '.join(value)}" if value else "Each argument varies"
    elif name == "test_strength" and value != NOT_TRIED:
        text = f"Its own test notices {value} kinds of damage"
    elif name == "computed_by" and value == "mixed":
        operations = [str(each) for each in newest.grades.get("torch_operations") or ()]
        share = newest.grades.get("torch_share")
        small = isinstance(share, int | float) and share < 0.005
        percent = "less than 1%" if small else f"{share:.0%}" if share is not None else ""
        part = f", {percent} of the bytes" if percent else ""
        text = f"PyTorch computes {', '.join(operations[:4]) or 'a part'}{part}"
        lines = _mentions(facts.text, [f".{each.rpartition('.')[2]}(" for each in operations])
    elif name == "launched" and value == "some":
        unlaunched = [str(each) for each in newest.grades.get("unlaunched") or ()]
        text = f"No input launches {', '.join(unlaunched[:4]) or 'some of its kernels'}"
        lines = _mentions(facts.text, [f"def {each}(" for each in unlaunched])
    else:
        text = SENTENCES[name].get(value, f"{topic}: {value}".capitalize())
        text += _why(newest.checks, REASONS.get(name, ()))
    return EvidenceClaim(topic, state, text, facts.column if lines else "", lines)


def _why(checks: Mapping[str, Mapping[str, Any]], names: Iterable[str]) -> str:
    """Return the reason that a check gave for a grade, shortened."""
    for figures in checks.values():
        for name in names:
            if reason := figures.get(name):
                listed = "; ".join(map(str, reason)) if isinstance(reason, list) else str(reason)
                short = listed[:LONGEST_MESSAGE] + ("…" if len(listed) > LONGEST_MESSAGE else "")
                return f" ({short})"
    return ""


def _mentions(text: str, marks: Iterable[str]) -> tuple[int, ...]:
    wanted = tuple(marks)
    rows = enumerate(text.splitlines(), 1)
    return tuple(number for number, line in rows if any(mark in line for mark in wanted))[:5]


def _memory(facts: PairFacts, newest: Validation, interpreted: Validation | None) -> EvidenceClaim:
    """Return the claim on memory accesses. Only the interpreter and a sanitizer observe reads."""
    bounds = newest.checks.get("bounds")
    if bounds is None:
        return not_shown("memory", "Stays inside its tensors: not checked")
    lines = unmasked_stores(facts.text) or ()
    masks = f"; {without_mask(lines)}" if lines else ""
    column = facts.column if lines else ""
    elsewhere = interpreted.checks.get("bounds", {}) if interpreted else {}
    if "shown" in (bounds.get("reads"), elsewhere.get("reads")):
        return shown("memory", f"Stays inside its tensors{masks}", column, lines)
    text = f"Writes stay inside its tensors, reads were not seen{masks}"
    return not_shown("memory", text, column, lines)
