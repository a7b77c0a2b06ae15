"""Description of a model's part as a sketch: a name, and sizes to try."""

from __future__ import annotations

import builtins
import keyword
from collections.abc import Mapping, Sequence
from typing import Any

from curation.kinds.python_side import operation_of
from validation.pairs.inductor import device_functions
from validation.pairs.recipes.sketch import Argument, Sketch, tolerances

# Values to try, by number of sizes. Further sizes get the row's last values.
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
# Operations that do not determine a function's kind if it has others.
PLAIN = frozenset({
    "add", "cat", "clone", "div", "getitem", "mul", "neg", "pow", "reshape", "slice", "sub", "to",
    "transpose", "unsqueeze", "view", "expand", "select", "permute", "split", "_to_copy",
})  # fmt: skip


def described(part: Mapping[str, Any], model: str) -> Sketch:
    operations = [str(one) for one in part["operations"]]
    # Inductor calls `x[i]` with a tensor `i` "index".
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
        summary=f"Compute a part of {_words(model)}: {', '.join(dict.fromkeys(operations))}.",
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


def _argument(name: str, shape: Sequence[str | int], draw: Mapping[str, str]) -> Argument:
    if not name.isidentifier():
        raise ValueError(name)
    sizes = tuple(str(size) for size in shape)
    return Argument(name, sizes, draw["how"], draw["dtype"], draw["bound"])


def _sizes(arguments: Sequence[Argument]) -> tuple[Mapping[str, int], ...]:
    size_names = dict.fromkeys(
        size for one in arguments for size in one.shape if not size.isdecimal()
    )
    if len(size_names) > max(TRIED):
        raise ValueError(size_names)
    rows = TRIED.get(len(size_names)) or TRIED[max(TRIED)]
    first = len(rows[0]) - len(size_names)
    return tuple(_small(dict(zip(size_names, row[first:], strict=True)), arguments) for row in rows)


def _small(case: dict[str, int], arguments: Sequence[Argument]) -> dict[str, int]:
    """Halve the largest size until every tensor is small enough for the interpreter."""
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
    characteristic = [one for one in operations if one not in PLAIN] or operations
    name = "_".join(list(dict.fromkeys(characteristic))[:MOST_WORDS])
    if not name.isidentifier():
        raise ValueError(name)
    # A launcher's parameter must not shadow a function that its kernel calls.
    reserved = (
        hasattr(builtins, name) or keyword.iskeyword(name) or name in device_functions.names()
    )
    return f"{name}_part" if reserved else name


def _words(model: str) -> str:
    return "".join(one for one in model if one.isalnum() or one in " -_.")[:80]
