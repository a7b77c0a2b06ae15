"""A part of a model becomes a sketch, as a layer that somebody described: a name, sizes to try."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Mapping, Sequence
from typing import Any

from curation.kinds.python_side import operation_of
from validation.inductor import device_functions
from validation.recipes.sketch import Argument, Sketch, tolerances

# Of the sizes by how many there are; of more, the last ones take the last of each row.
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
MOST_ELEMENTS = 40_000
MOST_WORDS = 4
DTYPES = ("float32",)
# What says nothing of a computation whose other operations do.
PLAIN = frozenset({
    "add", "cat", "clone", "div", "getitem", "mul", "neg", "pow", "reshape", "slice", "sub", "to",
    "transpose", "unsqueeze", "view", "expand", "select", "permute", "split", "_to_copy",
})  # fmt: skip


def described(part: Mapping[str, Any], model: str) -> Sketch:
    operations = [str(one) for one in part["operations"]]
    # Inductor's name for `x[i]` with a tensor.
    calls = ["index_select" if name == "index" else name for name in operations]
    kind = operation_of(calls) or "element-wise"
    arguments = tuple(
        _argument(name, shape, drawn)
        for name, shape, drawn in zip(
            part["parameters"], part["shapes"], part["draws"], strict=True
        )
    )
    product = kind in ("attention", "matmul")
    return Sketch(
        entry_point=_name(operations),
        summary=f"A part of {_words(model)}: {', '.join(dict.fromkeys(operations))}.",
        operation_type=kind,
        tags=("inductor", "model"),
        triton="",
        python=tuple(str(line) for line in part["lines"]),
        arguments=arguments,
        sizes=_sizes(arguments),
        dtypes=DTYPES,
        tolerance=tolerances(DTYPES, 8 if product else 4, 1e-4 if product else 1e-5),
        outputs=int(part["outputs"]),
    )


def _argument(name: str, shape: Sequence[str | int], drawn: Mapping[str, str]) -> Argument:
    if not name.isidentifier():
        raise ValueError(name)
    sizes = tuple(str(size) for size in shape)
    return Argument(name, sizes, drawn["how"], drawn["dtype"], drawn["bound"])


def _sizes(arguments: Sequence[Argument]) -> tuple[Mapping[str, int], ...]:
    named = dict.fromkeys(size for one in arguments for size in one.shape if not size.isdecimal())
    if len(named) > max(TRIED):
        raise ValueError(named)
    rows = TRIED.get(len(named)) or TRIED[max(TRIED)]
    first = len(rows[0]) - len(named)
    return tuple(_small(dict(zip(named, row[first:], strict=True)), arguments) for row in rows)


def _small(case: dict[str, int], arguments: Sequence[Argument]) -> dict[str, int]:
    """Halves the largest size until no tensor is too large to try in an interpreter."""
    while max(_elements(one, case) for one in arguments) > MOST_ELEMENTS:
        largest = max(case, key=lambda name: case[name])
        if case[largest] == 1:
            break
        case[largest] = (case[largest] + 1) // 2
    return case


def _elements(argument: Argument, case: Mapping[str, int]) -> int:
    count = 1
    for size in argument.shape:
        count *= case.get(size) or int(size)
    return count


def _name(operations: Sequence[str]) -> str:
    telling = [one for one in operations if one not in PLAIN] or operations
    name = "_".join(list(dict.fromkeys(telling))[:MOST_WORDS])
    if not name.isidentifier():
        raise ValueError(name)
    # A launcher must not hide what its own kernel calls.
    taken = hasattr(builtins, name) or keyword.iskeyword(name) or name in device_functions.names()
    return f"{name}_part" if taken else name


def _words(model: str) -> str:
    return "".join(one for one in model if one.isalnum() or one in " -_.")[:80]
