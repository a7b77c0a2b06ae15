"""Offers of a model's parts to Inductor: their names, their kinds, and the sizes of their cases."""

from __future__ import annotations

import builtins
import keyword
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

from curation.kinds.python_side import operation_of
from validation.harness.pool.questions import Reply, Workers
from validation.pairs.inductor import device_functions
from validation.pairs.inductor.generation import Offer, of_modules, reason_text
from validation.pairs.inductor.whole.model_sources import Whole
from validation.pairs.recipes.sketch import Argument, Sketch, tolerances

# Maximum CPU seconds for one model or one file of models.
SECONDS = 600.0
NO_WORD = re.compile(r"[^a-z0-9]+")
# Values of the cases, by number of sizes. Other numbers use the last values of each row of 8.
TRIED: Mapping[int, tuple[tuple[int, ...], ...]] = {
    1: ((1,), (127,), (1000,), (5003,)),
    2: ((1, 1), (3, 17), (64, 127), (97, 300)),
    8: (
        (1, 1, 1, 1, 1, 1, 1, 1),
        (3, 2, 2, 3, 2, 5, 3, 17),
        (2, 1, 3, 2, 3, 4, 33, 64),
        (1, 2, 2, 3, 2, 5, 31, 130),
    ),
}
# Maximum elements of a tensor, so that the interpreter takes a short time.
MOST_ELEMENTS = 40_000
MOST_WORDS = 4
DTYPES = ("float32",)
# Operations that do not determine a function's kind if it has other operations.
PLAIN = frozenset({
    "add", "cat", "clone", "div", "getitem", "mul", "neg", "pow", "reshape", "slice", "sub", "to",
    "transpose", "unsqueeze", "view", "expand", "select", "permute", "split", "_to_copy",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class SplitModel:
    """Parts of one model, or the reason why it failed."""

    name: str
    groups: int = 0
    offers: tuple[Offer, ...] = ()
    """Offers of those parts that no earlier model had."""
    reasons: Counter[str] = field(default_factory=Counter)
    """Number of dropped groups, by reason."""
    trouble: str = ""
    """Reason why there is no result, or ""."""


def split(
    wholes: Sequence[Whole], workers: Workers, beat: Callable[[], None] = lambda: None
) -> Iterator[SplitModel]:
    """Yield results in the given order, since the model that is credited with a part must not
    depend on timing."""
    questions = (
        {"key": number, "kind": whole.kind, "name": whole.name, "text": whole.text}
        for number, whole in enumerate(wholes)
    )
    replies = {question["key"]: reply for question, reply in workers.ask(questions, beat)}
    known: set[object] = set()
    for number, whole in enumerate(wholes):
        yield from read_splits(whole, replies[number], known)


def read_splits(whole: Whole, reply: Reply, known: set[object]) -> list[SplitModel]:
    """Parse a reply. If all of it is valid, add the functions in it to `known`."""
    if reply.trouble:
        return [SplitModel(whole.name, trouble=reply.trouble)]
    try:
        if "reason" in reply.answer:
            return [SplitModel(whole.name, trouble=reason_text(reply.answer["reason"]))]
        seen, models = set(known), reply.answer["models"]
        splits = [_model(whole, reason_text(name), record, seen) for name, record in models]
    except Exception:  # noqa: BLE001 - hostile code could answer anything, and costs its own model
        return [SplitModel(whole.name, trouble="its answer can't be read")]
    known |= seen
    return splits


def _model(whole: Whole, name: str, record: Mapping[str, Any], known: set[object]) -> SplitModel:
    if "reason" in record:
        return SplitModel(name, trouble=reason_text(record["reason"]))
    offers: list[Offer] = []
    for part in record["made"]:
        sketch = described(part, name)
        if (same := (sketch.python, sketch.arguments)) not in known:
            known.add(same)
            owner = NO_WORD.sub("-", f"{name}-{part['module']}".lower()).strip("-")
            offers += of_modules((sketch,), whole.source, owner)
    counts = record["reasons"].items()
    reasons = Counter({reason_text(reason): int(count) for reason, count in counts})
    return SplitModel(name, int(record["groups"]), tuple(offers), reasons)


def described(part: Mapping[str, Any], model: str) -> Sketch:
    operations = list(map(str, part["operations"]))
    # If `i` is a tensor, Inductor calls the operation `x[i]` "index".
    calls = ["index_select" if name == "index" else name for name in operations]
    kind = operation_of(calls) or "element-wise"
    rows = zip(part["parameters"], part["shapes"], part["draws"], strict=True)
    arguments = tuple(
        Argument(_identifier(name), tuple(map(str, shape)), d["how"], d["dtype"], d["bound"])
        for name, shape, d in rows
    )
    steps, absolute = (8, 1e-4) if kind in ("attention", "matmul") else (4, 1e-5)
    owner = " in ".join(filter(None, (part["module"], model)))
    plain = "".join(char for char in owner if char.isalnum() or char in " -_.")[:80]
    return Sketch(
        entry_point=_name(operations),
        summary=f"Compute a part of {plain}: {', '.join(dict.fromkeys(operations))}.",
        operation_type=kind,
        tags=("inductor", "model"),
        triton="",
        python=tuple(str(line) for line in part["lines"]),
        arguments=arguments,
        sizes=_sizes(arguments),
        dtypes=DTYPES,
        tolerance=tolerances(DTYPES, steps, absolute),
        outputs=int(part["outputs"]),
    )


def _sizes(arguments: Sequence[Argument]) -> tuple[Mapping[str, int], ...]:
    shapes = [argument.shape for argument in arguments]
    names = dict.fromkeys(size for shape in shapes for size in shape if not size.isdecimal())
    rows = TRIED.get(len(names)) or TRIED[max(TRIED)]
    cases = [dict(zip(names, row[-len(names) :], strict=True)) for row in rows]
    for case in cases:
        # Halve the largest size until every tensor is small enough for the interpreter.
        while (
            max(case.values()) > 1
            and max(prod(case.get(size) or int(size) for size in shape) for shape in shapes)
            > MOST_ELEMENTS
        ):
            largest = max(case, key=lambda name: case[name])
            case[largest] = (case[largest] + 1) // 2
    return tuple(cases)


def _name(operations: Sequence[str]) -> str:
    characteristic = [one for one in operations if one not in PLAIN] or operations
    name = _identifier("_".join(list(dict.fromkeys(characteristic))[:MOST_WORDS]))
    # A launcher's parameter must not shadow a function that its kernel calls.
    reserved = hasattr(builtins, name) or name in device_functions.names()
    return f"{name}_part" if reserved else name


def _identifier(name: str) -> str:
    if not name.isidentifier() or keyword.iskeyword(name):
        raise ValueError(name)
    return name
