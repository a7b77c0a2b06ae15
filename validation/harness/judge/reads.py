"""Detection of launchers that compute on the host, with numbers that they read from tensors.

Attack: read the bits of the inputs, compute on the host, and have a kernel store the result from a
table of whole numbers. Defense: the launcher is recorded with invented numbers before it sees the
true ones, so that it can't keep those. It computed the numbers in which the two programs differ.

- Numbers that may depend on fractions can decide shapes, and can be handed on from an input.
- Numbers of whole inputs can also make addresses, lengths and masks, but no value that a kernel
  stores. They must be few for the size of the answer.
"""

import math
import random
from collections.abc import Iterator, Sequence, Set
from typing import Any

from validation.harness.judge.kernel_values import stored_parameters
from validation.harness.program import (
    Constant,
    Fill,
    Function,
    Instruction,
    Launch,
    Meaning,
    Operation,
    Program,
    Read,
    Window,
    storages,
)

Numbers = Sequence[Sequence[Any]]
# Whole numbers that a launcher may read in any case, and of each element of its answer.
FEW, SHARE = 64, 1 / 8


def invented(window: Window, true: Sequence[Any] | None) -> list[Any]:
    """Return other numbers than a window holds.

    true: its numbers, if it is an input of whole numbers. They become larger lengths, so that the
        launcher still runs. Other numbers must not be guessed from the invented ones.
    """
    if true is not None:
        return [number if isinstance(number, bool) else number + 1 for number in true]
    chance, count = random.SystemRandom(), math.prod(window.shape)
    if is_fraction(window.dtype):
        return [chance.uniform(0.5, 2.0).hex() for _ in range(count)]
    if window.dtype == "bool":
        return [chance.random() < 0.5 for _ in range(count)]
    return [chance.randint(1, 16) for _ in range(count)]


def of_fractions(program: Program, whole: Set[int | None]) -> list[Read]:
    """Return the reads whose numbers may depend on fractions.

    whole: the storages of inputs of whole numbers that do not change.
    """
    tainted = {number for number in program.inputs if number not in whole}
    reads = []
    for instruction in _in_order(program.instructions):
        touched = storages(instruction) - whole
        if isinstance(instruction, Read):
            reads += [instruction] if touched & tainted else []
        elif touched & tainted:
            tainted |= touched
    return reads


def computes(
    text: str, program: Program, blobs: Sequence[memoryview], known: Numbers,
    other: Program | None, other_blobs: Sequence[memoryview], whole: Set[int | None],
) -> bool:  # fmt: skip
    """Return whether the program holds what the launcher computed from numbers that it read.

    other: the program after invented numbers, or None if the launcher raised.
    """
    if fractional := of_fractions(program, whole):
        handed_on = {
            float.fromhex(number)
            for read in fractional
            if read.source.storage in program.inputs
            for number in known[read.number]
            if isinstance(number, str)
        }
        numbers = set(_numbers(program, blobs, with_integers=True))
        usual = set(_numbers(other, other_blobs, with_integers=True)) if other else set()
        return bool(numbers - usual - handed_on)
    answered = sum(math.prod(window.shape) for window in program.answer.windows())
    if sum(map(len, known)) > max(FEW, SHARE * answered):
        return True
    if other is None:
        # With such lengths, the launcher does something else.
        return False
    given = {number for numbers in known for number in numbers}
    numbers, usual = set(_numbers(program, blobs)), set(_numbers(other, other_blobs))
    return bool(numbers - usual - given) or _stores(text, program, blobs, other, other_blobs)


def _in_order(instructions: Sequence[Instruction]) -> Iterator[Instruction]:
    for instruction in instructions:
        if isinstance(instruction, Function):
            yield from _in_order(instruction.instructions)
        yield instruction


def _stores(
    text: str, program: Program, blobs: Sequence[memoryview],
    other: Program, other_blobs: Sequence[memoryview],
) -> bool:  # fmt: skip
    """Return whether a kernel stores a number of a table, or an argument, that the reads change."""
    tables = {bytes(blob) for blob in other_blobs}
    changed = {
        instruction.storage
        for instruction in program.every_instruction()
        if isinstance(instruction, Constant) and bytes(blobs[instruction.blob]) not in tables
    }
    usual = {
        (kernel, place, argument)
        for kernel, arguments in _launches(other)
        for place, argument in enumerate(arguments)
    }
    for kernel, arguments in _launches(program):
        pointers = {place for place, argument in enumerate(arguments) if storages(argument)}
        for place in stored_parameters(text, kernel, pointers):
            argument = arguments[place]
            if storages(argument) & changed:
                return True
            if place not in pointers and (kernel, place, argument) not in usual:
                return True
    return False


def _launches(program: Program) -> Iterator[tuple[tuple[str, int], tuple[Meaning, ...]]]:
    """Yield the arguments of each launch, with the kernel's name and first line."""
    for instruction in program.every_instruction():
        if isinstance(instruction, Launch) and instruction.kernel in program.kernels:
            kernel = program.kernels[instruction.kernel]
            yield (kernel.name, kernel.line), instruction.arguments


def _numbers(
    program: Program, blobs: Sequence[memoryview], *, with_integers: bool = False
) -> Iterator[Any]:
    """Yield the numbers that a kernel or a tensor could compute with.

    with_integers: also integers among arguments, and tables of integers. Sizes are left out.
    """
    left_out = set() if with_integers else _of_integers(program)
    for instruction in program.every_instruction():
        match instruction:
            case Fill():
                yield instruction.value.value
            case Constant() if instruction.storage not in left_out:
                yield bytes(blobs[instruction.blob])
            case Launch():
                yield from _plain(
                    (*instruction.arguments, *instruction.options.values()), with_integers
                )
            case Operation():
                yield from _plain(
                    (*instruction.arguments, *instruction.named.values()), with_integers
                )
            case Function():
                continue
    if with_integers:
        for kernel in program.kernels.values():
            yield from _plain(tuple(kernel.names.values()), with_integers)


def _of_integers(program: Program) -> set[int | None]:
    """Return the storages that kernels use as integers, such as tables of block indices; none if
    an answer holds integers, since it could be such a table."""
    if any(not is_fraction(window.dtype) for window in program.answer.windows()):
        return set()
    types: dict[int | None, set[str]] = {}
    for _, arguments in _launches(program):
        for argument in arguments:
            if argument.kind == "window":
                types.setdefault(argument.value.storage, set()).add(argument.value.dtype)
    return {storage for storage, dtypes in types.items() if not any(map(is_fraction, dtypes))}


def is_fraction(dtype: str) -> bool:
    return dtype.startswith(("float", "bfloat", "complex"))


def _plain(meanings: Sequence[Meaning], with_integers: bool) -> Iterator[Any]:
    for meaning in meanings:
        if meaning.kind == "float" or (meaning.kind == "plain" and with_integers):
            yield meaning.value
        elif meaning.kind in ("tuple", "list"):
            yield from _plain(meaning.value, with_integers)
        elif meaning.kind == "constexpr":
            yield from _plain([meaning.value], with_integers)
