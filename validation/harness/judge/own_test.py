"""Comparison of the launcher's calls in its own test with its recordings.

A launcher could launch kernels only while it is recorded, and compute with torch in its test and
for its users. So the process that runs the test has the same recorder.
"""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from validation.harness.plan.arguments import tensors
from validation.harness.program import Launch, Program, TorchCall, in_order
from validation.harness.torch_operations import COMPUTES, base_name

Json = Any
BUILT_IN = re.compile(r"<built-in method (\w+) of [^>]*>")


@dataclass(frozen=True, slots=True)
class CallSummary:
    """The kernels that a call launches, and the torch operations that it computes with."""

    kernels: frozenset[str]
    computed: frozenset[str]


@dataclass(frozen=True, slots=True)
class OwnTest:
    """`words`: how the launcher behaves differently in its test, or empty. `computed`: torch
    operations of calls in the test that the recording of the same layout lacks."""

    words: str = ""
    computed: Counter[str] = field(default_factory=Counter)


def summary_of(program: Program) -> CallSummary:
    """Return the kernels and operations of a recorded call, without its backward pass."""
    every = list(in_order(program.instructions, earlier=True))
    launched = {one.kernel for one in every if isinstance(one, Launch)}
    operations = {base_name(one.name) for one in every if isinstance(one, TorchCall)}
    kernels = {program.kernels[key].name for key in launched if key in program.kernels}
    return CallSummary(frozenset(kernels), frozenset(operations & COMPUTES))


def layout(tree: Json) -> str:
    """Return a key made of the types, shapes and strides of the tensors in a tree of arguments."""
    return json.dumps([[one["dtype"], one["shape"], one["stride"]] for one in tensors(tree)])


def compare_with_recordings(calls: Json, recorded: Mapping[str, CallSummary]) -> OwnTest:
    """Compare the test's calls with the recordings for inputs of the same layout."""
    more: Counter[str] = Counter()
    launches, expected = False, False
    everywhere = {name for summary in recorded.values() for name in summary.computed}
    for call in calls:
        known = recorded.get(json.dumps(call["layout"]))
        kernels = {str(name) for name in dict(call["kernels"])}
        launches |= bool(kernels)
        computed = {str(name): int(n) for name, n in dict(call["computed"]).items()}
        allowed = everywhere if known is None else known.computed
        extra = {name: n for name, n in computed.items() if name not in allowed}
        more.update(extra)
        if known is None:
            continue
        expected |= bool(known.kernels)
        missing = sorted(known.kernels - kernels)
        if missing and extra:
            words = f"in its own test it computes {', '.join(sorted(extra))} with torch"
            return OwnTest(f"{words}, where a recording launches {', '.join(missing)}")
    if expected and not launches:
        return OwnTest("in its own test it launches no kernel")
    return OwnTest(computed=more)


def error_words(lines: Sequence[str]) -> str:
    """Return pytest's words on an error, with the compared values, or else its last line."""
    errors = [line[2:].strip().removeprefix("+  where ") for line in lines if line[:2] == "E "]
    words = [one for one in errors if one and not one.startswith(("+", "assert False", "Use -v"))]
    text = BUILT_IN.sub(r"\1", "; ".join(words or lines[-1:]))
    return " ".join(text.replace("\\n", " ").split())[:300]
