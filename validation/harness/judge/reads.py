"""Detection of launchers that compute on the host, with numbers that they read from tensors.

Attack: read the bits of the inputs, compute on the host, and have a kernel store the result from a
table of integers.
Defense: the launcher is first recorded with invented numbers, so it can't have kept the true ones.
Values that differ between the two recordings were computed from reads. The values are compared in
order: from a comparison of sets, a launcher could hide a number by writing all others too.

- Numbers that may depend on floats can be passed on, and can decide a few shapes.
- Numbers of integer inputs may also become addresses, lengths and masks. A kernel may store only
their differences. The answer's size limits how many are allowed.
"""

import math
import random
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, fields, is_dataclass
from itertools import accumulate, pairwise
from typing import Any

from validation.harness.judge.kernel_values import stored_parameters
from validation.harness.program import (
    Address,
    AutogradCall,
    Constant,
    Copy,
    Fill,
    Launch,
    Meaning,
    Program,
    ProgramKernel,
    Read,
    TensorView,
    TorchCall,
    in_order,
    storages,
)

# Maximum of integers that a launcher reads or computes: FEW, or SHARE of the answer's elements.
FEW, SHARE = 64, 1 / 8
# Integers that a launcher may compute for each integer read: offsets, a length and a block index.
MADE = 4
# Number of grids, copies and fills whose sizes may depend on floats that the launcher reads.
SIZES_MOST = 8
# Ways to invent answers for integer inputs, tried in turn while the launcher raises.
INVENTIONS = 5
# A launcher that reads at most this many numbers may raise for all invented ones.
TELLING = 2

Place = tuple[Any, Any]
"""Use of a value: a kernel (name, line) with a parameter or option, or an instruction type."""


@dataclass(frozen=True, slots=True)
class Informed:
    """A program recorded with answers to its reads. `known`: a list of numbers for each read."""

    program: Program
    blobs: Sequence[memoryview]
    known: Sequence[Sequence[Any]]


def invented(window: TensorView, true: Sequence[Any] | None, attempt: int) -> list[Any]:
    """Return invented numbers in place of a tensor's content.

    true: its content, if it is an unchanged integer input. Other content must not be guessable.
    attempt: number of previous attempts, in which the launcher raised.
    """
    if true is not None:
        others = [each for each in _others(true) if each != list(true)]
        return others[min(attempt, len(others) - 1)] if others else list(true)
    chance, count = random.SystemRandom(), math.prod(window.shape)
    if is_fraction(window.dtype):
        return [chance.uniform(0.5, 2.0) for _ in range(count)]
    if window.dtype == "bool":
        return [chance.random() < 0.5 for _ in range(count)]
    return [chance.randint(1, 16) for _ in range(count)]


def _others(true: Sequence[Any]) -> Iterator[list[Any]]:
    """Yield invented integers: larger ones, suitable as lengths, or with the same ends or sum."""
    if any(isinstance(number, bool) for number in true):
        yield [not number for number in true]
    else:
        chance, is_sorted = random.SystemRandom(), list(true) == sorted(true)
        steps = [chance.randint(1, 3) for _ in true]
        more = accumulate(steps) if is_sorted else steps
        yield [number + step for number, step in zip(true, more, strict=True)]
    yield list(reversed(true))
    if len(true) > 1 and type(true[0]) is int:
        yield [true[0] + true[-1] - number for number in reversed(true)]
        yield [true[0], *(number + 1 for number in true[1:-1]), true[-1]]
        yield [true[0] - 1, *true[1:-1], true[-1] + 1]


def of_fractions(program: Program, whole: Set[int | None]) -> bool:
    """Return whether the program reads numbers that may depend on floating-point inputs.

    whole: storages of integer inputs that the reference does not change.
    """
    tainted = {number for number in program.inputs if number not in whole}
    for instruction in in_order(program.instructions):
        touched = storages(instruction) - whole
        if touched & tainted:
            if isinstance(instruction, Read):
                return True
            tainted |= touched
    return False


def computes(text: str, true: Informed, other: Informed | None, whole: Set[int | None]) -> bool:
    """Return whether the program contains results that the launcher computed from its reads.

    other: the program recorded with invented numbers, or None if the launcher raised.
    """
    if of_fractions(true.program, whole):
        return other is None or _differ(true, other)
    read = sum(map(len, true.known))
    answered = sum(math.prod(window.shape) for window in true.program.answer.windows())
    most = max(FEW, SHARE * answered)
    if other is None or read > most:
        return read > TELLING
    numbers, tables = _changed(true, other)
    made = len(numbers) + sum(len(table) // 4 for table in tables.values())
    return made > max(most, MADE * read) or _stores(text, true, numbers, tables.keys())


def _differ(true: Informed, other: Informed) -> bool:
    """Return whether programs differ by more than a few sizes and numbers that are passed on."""
    first, second = list(_seen(true)), list(_seen(other))
    if len(first) != len(second):
        return True
    told = zip(true.known, other.known, strict=False)
    handed_on = [
        (_comparable(one[0]), _comparable(two[0])) for one, two in told if len(one) == len(two) == 1
    ]
    differing = [
        value
        for (_, value), (_, usual) in zip(first, second, strict=True)
        if value != usual and (value, usual) not in handed_on
    ]
    sizes = [value for value in differing if isinstance(value, Sizes)]
    return len(differing) > len(sizes) or len(sizes) > SIZES_MOST


def _comparable(number: Any) -> Any:
    """Return the number, or a text for NaN, because NaN never equals NaN."""
    return number if number == number else "nan"


def _changed(true: Informed, other: Informed) -> tuple[list[tuple[Place, Any]], dict[int, bytes]]:
    """Return the numbers that depend on reads with their uses, and changed constants by storage."""
    by_place: dict[Place, tuple[list[Any], list[Any]]] = defaultdict(lambda: ([], []))
    for side, run in enumerate((true, other)):
        for place, value in _seen(run):
            if isinstance(value, int | float):
                by_place[place][side].append(value)
    numbers = []
    for place, (values, others) in by_place.items():
        # Ignore a value that is the same in all launches, even if the number of launches changed.
        if len({*values, *others}) > 1:
            others += [None] * (len(values) - len(others))
            pairs = zip(values, others, strict=False)
            numbers += [(place, one) for one, two in pairs if one != two]
    usual = {value for _, value in _seen(other) if isinstance(value, bytes)}
    tables = {
        table.storage: content
        for table in true.program.every_instruction()
        if isinstance(table, Constant) and (content := _content(table, true.blobs)) not in usual
    }
    return numbers, tables


def _stores(
    text: str, true: Informed, numbers: Sequence[tuple[Place, Any]], tables: Set[int]
) -> bool:
    """Return whether a kernel computes with one of these tables, or with a number that is neither
    read nor the difference of two consecutive read numbers."""
    given = {number for known in true.known for number in known}
    given |= {end - start for known in true.known for start, end in pairwise(known)}
    # An integer argument of a torch operation is a size.
    sizes: set[Place] = {(kind.__name__, "") for kind in (TorchCall, AutogradCall)}
    for instruction in true.program.every_instruction():
        if isinstance(instruction, Launch):
            kernel = _key(true.program.kernels[instruction.kernel])
            arguments = instruction.arguments
            pointers = {place for place, argument in enumerate(arguments) if storages(argument)}
            stored = stored_parameters(text, kernel, pointers)
            sizes |= {(kernel, place) for place in range(len(arguments)) if place not in stored}
            if any(storages(arguments[place]) & tables for place in stored):
                return True
        elif storages(instruction) & tables and not isinstance(instruction, Constant):
            return True
    return any(
        number not in given
        and (isinstance(number, float) or (type(number) is int and place not in sizes))
        for place, number in numbers
    )


def _key(kernel: ProgramKernel) -> tuple[str, int]:
    return kernel.name, kernel.line


class Sizes(tuple[int, ...]):
    """Sizes of a grid or of a copy, which may depend on reads of floats."""


class Offset(int):
    """Offset of a tensor in its storage. It has its own type because a kernel can't store it."""


def _seen(run: Informed) -> Iterator[tuple[Place, Any]]:
    """Yield all values that a kernel can compute with, or that select the data it reads."""
    names: dict[int | None, str] = {}

    def parts(place: Place, part: Any) -> Iterator[tuple[Place, Any]]:
        match part:
            case TensorView() | Address():
                yield place, names.setdefault(part.storage, f"storage {len(names)}")
                yield place, Offset(part.offset)
            case Constant():
                yield place, _content(part, run.blobs)
                for _, storage, offset in part.addresses:
                    yield from parts(place, Address(storage, offset))
            case Meaning("read" | "value", number):
                yield place, f"{part.kind} {number}"
            case float():
                yield place, _comparable(part)
            case tuple():
                for each in part:
                    yield from parts(place, each)
            case Mapping():
                for name, each in part.items():
                    yield from parts((*place[:1], name), each)
            case _ if is_dataclass(part):
                for field in fields(part):
                    if field.name not in ("instructions", "storage", "bytes", "number"):
                        yield from parts(place, getattr(part, field.name))
            case _:
                yield place, part

    for instruction in (*run.program.every_instruction(), run.program.answer):
        kind: Any = type(instruction).__name__
        match instruction:
            case Launch():
                kernel = run.program.kernels[instruction.kernel]
                kind = _key(kernel)
                yield (kind, "grid"), Sizes(instruction.grid)
                yield from parts((kind, "names"), kernel.names)
                yield from parts((kind, "options"), instruction.options)
                for place, argument in enumerate(instruction.arguments):
                    yield from parts((kind, place), argument)
                continue
            case Copy() | Fill():
                yield (kind, "sizes"), Sizes(instruction.target.shape)
                yield (kind, "strides"), str(instruction.target.strides)
        yield from parts((kind, ""), instruction)


def _content(constant: Constant, blobs: Sequence[memoryview]) -> bytes:
    """Return the content with addresses set to 0, because addresses differ from call to call."""
    content = bytearray(blobs[constant.blob])
    for place, _, _ in constant.addresses:
        content[place : place + 8] = bytes(8)
    return bytes(content)


def is_fraction(dtype: str) -> bool:
    return dtype.startswith(("float", "bfloat", "complex"))
