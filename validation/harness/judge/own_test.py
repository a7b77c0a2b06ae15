"""Comparison of the launcher's calls in its own test with its recordings.

A launcher could launch kernels only where it is recorded, and use torch in its test and for its
users. The process of the test carries the same recorder, so that no process is without.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from validation.harness.program import Earlier, Function, Instruction, Launch, Operation, Program
from validation.harness.torch_operations import COMPUTES, base_name

Json = Any


@dataclass(frozen=True, slots=True)
class Deeds:
    """The kernels that a call launches, and the torch operations that compute in it."""

    kernels: frozenset[str]
    computed: frozenset[str]


@dataclass(frozen=True, slots=True)
class OwnTest:
    """`words`: what the launcher does otherwise in its test, empty if it does the same. `computed`:
    what torch computes there and not in a recording."""

    words: str = ""
    computed: Counter[str] = field(default_factory=Counter)


def deeds(program: Program) -> Deeds:
    """Return what a recorded call does, without its backward pass."""
    every = list(_flat(program.instructions))
    launched = {one.kernel for one in every if isinstance(one, Launch)}
    operations = {base_name(one.name) for one in every if isinstance(one, Operation)}
    kernels = {program.kernels[key].name for key in launched if key in program.kernels}
    return Deeds(frozenset(kernels), frozenset(operations & COMPUTES))


def _flat(instructions: Iterable[Instruction]) -> Iterable[Instruction]:
    for instruction in instructions:
        yield instruction
        if isinstance(instruction, Function | Earlier):
            yield from _flat(instruction.instructions)


def layout(tree: Json) -> str:
    """Return the types, shapes and strides of the tensors in a tree of arguments, as a key."""
    return json.dumps(list(_tensors(tree)))


def _tensors(tree: Json) -> Iterable[Json]:
    if isinstance(tree, dict) and "storage" in tree:
        yield [tree["dtype"], tree["shape"], tree["stride"]]
    elif isinstance(tree, dict | list):
        for part in tree.values() if isinstance(tree, dict) else tree:
            yield from _tensors(part)


def compared(calls: Json, recorded: Mapping[str, Deeds]) -> OwnTest:
    """Compare the calls of the test with the recordings of inputs that are laid out alike."""
    more: Counter[str] = Counter()
    launches, expected = False, False
    everywhere = {name for deeds in recorded.values() for name in deeds.computed}
    for call in calls:
        known = recorded.get(json.dumps(call["layout"]))
        kernels = {str(name) for name in dict(call["kernels"])}
        launches |= bool(kernels)
        computed = {str(name): int(n) for name, n in dict(call["computed"]).items()}
        if known is None:
            more.update({name: n for name, n in computed.items() if name not in everywhere})
            continue
        expected |= bool(known.kernels)
        extra = {name: n for name, n in computed.items() if name not in known.computed}
        missing = sorted(known.kernels - kernels)
        if missing and extra:
            words = f"in its own test it computes {', '.join(sorted(extra))} with torch"
            return OwnTest(f"{words}, where it launches {', '.join(missing)} otherwise")
        more.update(extra)
    if expected and not launches:
        return OwnTest("in its own test it launches no kernel")
    return OwnTest(computed=more)
