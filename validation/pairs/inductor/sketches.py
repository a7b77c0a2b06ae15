"""Sketches of functions for Inductor: their inputs, the cases of their tests, their tolerances."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from math import prod

from validation.pairs.recipes.sketch import FLOATS, Argument, Sketch, parts_of, tolerances

SINGLE = ("float32",)
# Values of the cases, by number of sizes. Other numbers use the last values of each row of 8.
SIZES: Mapping[int, tuple[tuple[int, ...], ...]] = {
    1: ((1,), (127,), (1000,), (5003,)),
    2: ((1, 1), (3, 17), (64, 127), (97, 300)),
    3: ((1, 1, 1), (17, 33, 5), (65, 9, 20), (5, 70, 130)),
    8: (
        (1, 1, 1, 1, 1, 1, 1, 1),
        (3, 2, 2, 3, 2, 5, 3, 17),
        (2, 1, 3, 2, 3, 4, 33, 64),
        (1, 2, 2, 3, 2, 5, 31, 130),
    ),
}
# Maximum elements of a tensor, so that the interpreter takes a short time.
MOST_ELEMENTS = 40_000
PRODUCTS = frozenset({"attention", "matmul"})


def layer(
    name: str,
    summary: str,
    kind: str,
    inputs: str,
    *python: str,
    tag: str = "layer",
    dtypes: tuple[str, ...] = FLOATS,
    steps: int = 0,
    absolute: float = 0.0,
) -> Sketch:
    """Return a function's sketch.

    inputs: arguments in the form of `Argument.parsed`, with a semicolon between them.
    python: lines of the function's body.
    steps, absolute: roundings and error, if they exceed those of other functions of this kind.
    """
    arguments = tuple(map(Argument.parsed, parts_of(inputs)))
    usual = (8, 1e-4) if kind in PRODUCTS else (4, 1e-5)
    return Sketch(
        entry_point=name,
        summary=summary,
        operation_type=kind,
        tags=("inductor", tag),
        triton="",
        python=python,
        arguments=arguments,
        sizes=tuple(_cases([argument.shape for argument in arguments])),
        dtypes=dtypes,
        tolerance=tolerances(dtypes, steps or usual[0], absolute or usual[1]),
        outputs=_outputs(python[-1]),
    )


def _cases(shapes: Sequence[Sequence[str]]) -> Iterator[Mapping[str, int]]:
    names = dict.fromkeys(size for shape in shapes for size in shape if not size.isdecimal())
    for row in SIZES.get(len(names)) or SIZES[8]:
        case = dict(zip(names, row[-len(names) :], strict=True))
        # Halve the largest size until every tensor is small enough for the interpreter.
        while max(case.values()) > 1 and _elements(shapes, case) > MOST_ELEMENTS:
            largest = max(case, key=lambda name: case[name])
            case[largest] = (case[largest] + 1) // 2
        yield case


def _elements(shapes: Sequence[Sequence[str]], case: Mapping[str, int]) -> int:
    return max(prod(case.get(size) or int(size) for size in shape) for shape in shapes)


def _outputs(line: str) -> int:
    value = ast.parse(line.removeprefix("return "), mode="eval").body
    return len(value.elts) if isinstance(value, ast.Tuple) else 1
