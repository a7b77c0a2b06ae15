"""Detection of launchers that compute with numbers that they read from tensors.

The launcher is recorded once more with other answers to its reads. Grids and shapes may change, but
fractions, fills and tables of the program must stay the same, unless they are what was read.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from validation.harness.program import Constant, Fill, Function, Launch, Meaning, Operation, Program

Numbers = Sequence[Sequence[Any]]


def altered(known: Numbers) -> list[list[Any]]:
    """Return other numbers than were read: larger lengths, other fractions."""

    def other(number: Any) -> Any:
        if isinstance(number, str):
            return (float.fromhex(number) * 1.25 + 0.5).hex()
        return number if isinstance(number, bool) else number + 1

    return [[other(number) for number in numbers] for numbers in known]


def computes(
    program: Program, blobs: Sequence[memoryview], known: Numbers,
    other: Program, other_blobs: Sequence[memoryview],
) -> bool:  # fmt: skip
    """Return whether a number of the program depends on what was read."""
    given = {number for numbers in known for number in numbers}
    given |= {float.fromhex(number) for number in given if isinstance(number, str)}
    mine, theirs = set(_numbers(program, blobs)), set(_numbers(other, other_blobs))
    return bool(mine - theirs - given)


def _numbers(program: Program, blobs: Sequence[memoryview]) -> Iterator[Any]:
    """Yield the numbers that a kernel or a tensor could compute with: no sizes, and no integers
    among the arguments."""
    integers = _of_integers(program)
    for instruction in program.every_instruction():
        match instruction:
            case Fill():
                yield instruction.value.value
            case Constant() if instruction.storage not in integers:
                yield bytes(blobs[instruction.blob])
            case Launch():
                yield from _fractions(instruction.arguments)
            case Operation():
                yield from _fractions((*instruction.arguments, *instruction.named.values()))
            case Function():
                continue


def _of_integers(program: Program) -> set[int | None]:
    """Return the storages that kernels use as integers, such as tables of block indices; none if
    an answer holds integers, since it could be such a table."""
    if any(not _is_fraction(dtype) for dtype in _types(program.answer)):
        return set()
    types: dict[int | None, set[str]] = {}
    for instruction in program.every_instruction():
        if isinstance(instruction, Launch):
            for argument in instruction.arguments:
                if argument.kind == "window":
                    types.setdefault(argument.value.storage, set()).add(argument.value.dtype)
    return {storage for storage, dtypes in types.items() if not any(map(_is_fraction, dtypes))}


def _is_fraction(dtype: str) -> bool:
    return dtype.startswith(("float", "bfloat", "complex"))


def _types(answer: Meaning) -> Iterator[str]:
    if answer.kind == "window":
        yield answer.value.dtype
    elif isinstance(answer.value, tuple):
        for part in answer.value:
            yield from _types(part)
    elif isinstance(answer.value, Mapping):
        for part in answer.value.values():
            yield from _types(part)


def _fractions(meanings: Sequence[Meaning]) -> Iterator[float]:
    for meaning in meanings:
        if meaning.kind == "float":
            yield meaning.value
        elif meaning.kind in ("tuple", "list"):
            yield from _fractions(meaning.value)
        elif meaning.kind == "constexpr":
            yield from _fractions([meaning.value])
