"""Offers of a model's parts to Inductor: their names and their kinds."""

from __future__ import annotations

import builtins
import keyword
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from curation.kinds.python_side import operation_of
from validation.harness.pool.questions import Reply, Workers
from validation.pairs.inductor import device_functions
from validation.pairs.inductor.generation import Offer, of_modules, reason_text
from validation.pairs.inductor.sketches import SINGLE, layer
from validation.pairs.inductor.whole.model_sources import Whole
from validation.pairs.recipes.sketch import Sketch

# Maximum CPU seconds for one model or one file of models.
SECONDS = 600.0
NO_WORD = re.compile(r"[^a-z0-9]+")
MOST_WORDS = 4
# Operations that do not determine a function's kind if it has other operations.
PLAIN = frozenset({
    "add", "cat", "clone", "div", "getitem", "mul", "neg", "pow", "reshape", "slice", "sub", "to",
    "transpose", "unsqueeze", "view", "expand", "select", "permute", "split",
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


def split(wholes: Sequence[Whole], workers: Workers) -> Iterator[SplitModel]:
    """Yield results in the given order, since the model that is credited with a part must not
    depend on timing."""
    questions = (
        {"key": number, "kind": whole.kind, "name": whole.name, "text": whole.text}
        for number, whole in enumerate(wholes)
    )
    replies = {question["key"]: reply for question, reply in workers.ask(questions)}
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
        sketch = _sketch(part, name)
        if (same := (sketch.python, sketch.arguments)) not in known:
            known.add(same)
            owner = NO_WORD.sub("-", f"{name}-{part['module']}".lower()).strip("-")
            offers += of_modules((sketch,), whole.source, owner)
    reasons = Counter({reason_text(why): int(count) for why, count in record["reasons"].items()})
    return SplitModel(name, int(record["groups"]), tuple(offers), reasons)


def _sketch(part: Mapping[str, Any], model: str) -> Sketch:
    operations = list(map(str, part["operations"]))
    # If `i` is a tensor, Inductor calls the operation `x[i]` "index".
    calls = ["index_select" if name == "index" else name for name in operations]
    owner = " in ".join(filter(None, (part["module"], model)))
    plain = "".join(char for char in owner if char.isalnum() or char in " -_.")[:80]
    return layer(
        _name(operations),
        f"Compute a part of {plain}: {', '.join(dict.fromkeys(operations))}.",
        operation_of(calls) or "element-wise",
        "; ".join(part["arguments"]),
        *map(str, part["lines"]),
        tag="model",
        dtypes=SINGLE,
    )


def _name(operations: Sequence[str]) -> str:
    characteristic = [one for one in operations if one not in PLAIN] or operations
    name = "_".join(list(dict.fromkeys(characteristic))[:MOST_WORDS])
    if not name.isidentifier() or keyword.iskeyword(name):
        raise ValueError(name)
    # A launcher's parameter must not shadow a function that its kernel calls.
    reserved = hasattr(builtins, name) or name in device_functions.names()
    return f"{name}_part" if reserved else name
