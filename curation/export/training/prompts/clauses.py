"""Clauses of a description, and their verbs in other forms.

A description is a sentence in the imperative: "For each row of a matrix, add `bias`, apply GELU,
then take the mean." Its scope is the opening, its clauses are the rest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

SCOPE = re.compile(r"((?:For|Along|Over) [^,]+), (?=[a-z])")

HALVES = re.compile(r"multiply one half of the features by (.+) of the other half")
SCATTER = "add rows at the positions that an index selects"
SCATTER_ROWS = "add each row to the row of a base that an index selects"
WITHOUT_OBJECT = re.compile(
    r"^(multiply|divide|average|clamp|scale|interpolate|blend)(?= (?:by|with|to|one third)\b)"
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Words that are verbs after "and"; others there are mostly nouns ("a weight and scale").
AFTER_AND = _words(
    "accumulate add apply average clamp compute divide flip keep look multiply negate normalize"
    " return round scale set shift shrink subtract take weigh"
)
VERBS = AFTER_AND | _words(
    "blend cap choose clip combine concatenate convert convolve count dequantize drop evaluate find"
    " gate gather interleave interpolate invert limit map mix modulate move pack pad quantize"
    " repeat replace reverse roll rotate sample select sort square squeeze stack standardize"
    " sum transpose turn update weight write"
)
DOUBLED = _words("cap clip drop flip get map pad put set skip sum")


@dataclass(frozen=True, slots=True)
class Task:
    """A description in parts. Scope and clauses begin in lower case and have no full stop."""

    scope: str
    clauses: tuple[str, ...]
    remark: str = ""
    """A sentence after them, with a space before it."""


def read_task(description: str) -> Task | None:
    """Return the parts of a description, or None if it does not begin with a verb."""
    # A docstring may break a line after a hyphen: "log- sigmoid".
    text = re.sub(r"(?<=[a-z])- (?!and\b|or\b)(?=[a-z])", "-", " ".join(description.split()))
    text = text.rstrip(".")
    if not text:
        return None
    scope = ""
    if match := SCOPE.match(text):
        scope, text = _lowered(match[1]), text[match.end() :]
    text = _lowered(text)
    if not re.match(r"[a-z]+\b", text):
        return None
    clauses = [_without_colon(clause) for clause in _split(text)]
    return Task(scope, tuple(_with_object(*entry) for entry in enumerate(clauses)))


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:]


def _split(text: str) -> list[str]:
    """Split at "then", and at commas where a verb follows, but not inside of brackets."""
    clauses: list[str] = []
    start = depth = 0
    for match in re.finditer(r"[(\[]|[)\]]|, (?:then |and (?:then )?)?| and then ", text):
        mark = match[0]
        if mark in "([":
            depth += 1
        elif mark in ")]":
            depth -= 1
        elif not depth and ("then" in mark or _begins(text[match.end() :], VERBS)):
            clauses.append(text[start : match.start()])
            start = match.end()
    return [*clauses, text[start:]]


def _begins(text: str, verbs: frozenset[str]) -> bool:
    word = re.match(r"[a-z]+(?=[ ,]|$)", text)
    return word is not None and word[0] in verbs


def _without_colon(clause: str) -> str:
    """Turn "apply GEGLU: multiply …" into "apply GEGLU (multiplying …)"."""
    head, colon, rest = clause.partition(": ")
    if not colon or not _begins(rest, VERBS):
        return clause
    return f"{head} ({gerund(rest)})"


def _with_object(number: int, clause: str) -> str:
    """Turn "negate" into "negate the result", and a first "multiply by" into "multiply … by"."""
    if " " not in clause:
        return f"{clause} the {'result' if number else 'input'}"
    return clause if number else WITHOUT_OBJECT.sub(r"\1 the input", clause)


def name_inputs(task: Task, parameters: Sequence[str], python_code: str) -> Task:
    """Return the task with the names of inputs in clauses whose description leaves them open."""
    clauses = []
    for clause in task.clauses:
        gate = HALVES.fullmatch(clause)
        if gate and {"x", "gate"} <= set(parameters):
            clause = f"multiply `x` by {gate[1]} of `gate`"
        elif gate and "0::2" in python_code:
            clause = f"multiply the even features by {gate[1]} of the odd features"
        elif clause == SCATTER and {"base", "index"} <= set(parameters):
            zeros = "zeros_like(base)" in python_code
            onto = "zeros in the shape of `base`," if zeros else "`base`"
            clause = f"add the rows to {onto} at the positions that `index` selects"
        elif clause == SCATTER_ROWS and {"base", "index"} <= set(parameters):
            clause = "add each row to the row of `base` that `index` names"
        clauses.append(clause)
    return replace(task, clauses=tuple(clauses))


# --- Verb forms ------------------------------------------------------------------------------
def third_person(clause: str) -> str:
    return _inflected(clause, _third_person)


def gerund(clause: str) -> str:
    return _inflected(clause, _gerund)


def _inflected(clause: str, inflect: Callable[[str], str]) -> str:
    """Inflect the first verb and each after "and": "scales and shifts", "adds a sum and a mean"."""
    words = clause.split(" ")
    depth = 0
    for number, word in enumerate(words):
        is_next = number > 0 and words[number - 1] == "and" and word in AFTER_AND and not depth
        if number == 0 or is_next:
            words[number] = inflect(word)
        depth += word.count("(") + word.count("[") - word.count(")") - word.count("]")
    return " ".join(words)


def _third_person(verb: str) -> str:
    if re.search(r"(?:s|sh|ch|x|z)$", verb):
        return f"{verb}es"
    if re.search(r"[^aeiou]y$", verb):
        return f"{verb[:-1]}ies"
    return f"{verb}s"


def _gerund(verb: str) -> str:
    if verb in DOUBLED:
        verb += verb[-1]
    elif verb.endswith("e") and not verb.endswith("ee"):
        verb = verb[:-1]
    return f"{verb}ing"


def listed(clauses: Sequence[str], last: str = "then") -> str:
    """Join clauses that follow each other: "a, b, then c"."""
    if len(clauses) < 2:
        return "".join(clauses)
    return f"{', '.join(clauses[:-1])}, {last} {clauses[-1]}"


def enumerated(names: Sequence[str]) -> str:
    """Join names: "a, b and c"."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
