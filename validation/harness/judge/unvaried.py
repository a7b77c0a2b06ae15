"""Arguments that have the same value in all tried inputs.

A kernel that hard-codes or ignores such a value still answers all tried inputs right. The entry
does not fail, but a grade lists the arguments.
"""

import ast
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from validation.harness.judge.kernel_values import parsed
from validation.harness.plan.arguments import Inputs, mapped

SIGNED = ("int8", "int16", "int32", "int64")
MOST = 64
# A list with more parts counts as a single value.
PARTS_MOST = 8
ELEMENTS_MOST = 1 << 24


@dataclass(frozen=True, slots=True)
class Tensor:
    """`content`: hash of the storage. `values`: the elements if they are integers or booleans."""

    dtype: str
    shape: tuple[int, ...]
    content: int
    values: npt.NDArray[Any] | None


def unvaried(
    inputs: Inputs, numbers: Sequence[int], python_code: str, entry_point: str
) -> dict[str, str]:
    """Return the unvaried arguments, each name with the reason.

    numbers: numbers of the trials with a right answer.
    """
    parameters = _parameters(python_code, entry_point)
    rows = [dict(_named(_leaves(inputs, number), parameters)) for number in numbers]
    names = dict.fromkeys(name for row in rows for name in row)
    reasons = {name: _reason(name, rows) for name in list(names)[:MOST]}
    return {name: reason for name, reason in reasons.items() if reason}


def _leaves(inputs: Inputs, number: int) -> Any:
    def tensor(part: Mapping[str, Any]) -> Tensor:
        blob = inputs.blobs[part["storage"]]
        shape = tuple(part["shape"])
        return Tensor(part["dtype"], shape, hash(bytes(blob)), _values(part, blob))

    return mapped(inputs.arguments[number], tensor, lambda value: value)


def _values(part: Mapping[str, Any], blob: memoryview) -> npt.NDArray[Any] | None:
    """Return the elements, or None if they are floats, too many, or outside of the storage."""
    if part["dtype"] not in (*SIGNED, "bool") or math.prod(part["shape"]) > ELEMENTS_MOST:
        return None
    whole = np.frombuffer(blob, dtype=np.dtype(part["dtype"]))
    shape, stride, offset = part["shape"], part["stride"], part["offset"]
    if math.prod(shape) == 0:
        return whole[:0]
    last = offset + sum((size - 1) * step for size, step in zip(shape, stride, strict=True))
    if min(offset, *shape, *stride, 0) < 0 or last >= whole.size:
        return None
    steps = [step * whole.itemsize for step in stride]
    return np.lib.stride_tricks.as_strided(whole[offset:], shape, steps, writeable=False)


def _named(leaves: Any, parameters: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield each argument with its parameter's name, including defaults that are used."""
    if "dict" in leaves:
        given = dict(leaves["dict"])
    else:
        places = leaves["tuple"]
        names = [*parameters, *(f"argument {n + 1}" for n in range(len(parameters), len(places)))]
        given = dict(zip(names, places, strict=False))
    for name, value in {**parameters, **given}.items():
        if name not in given and value is ...:
            continue
        yield from _parts(name, value)


def _parts(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the named value. A dictionary, record, tuple or list yields its items, with names."""
    match value:
        case {"record": {"fields": fields}}:
            yield from _parts(name, fields)
        case {"dict": [*pairs]}:
            for key, part in pairs:
                yield from _parts(f"{name}.{key}", part)
        case {"tuple": [*parts]} | [*parts] if 0 < len(parts) <= PARTS_MOST:
            for place, part in enumerate(parts):
                yield from _parts(f"{name}[{place}]", part)
        case _:
            yield name, value


def _parameters(python_code: str, entry_point: str) -> dict[str, Any]:
    """Return the function's parameters with their defaults: the value of a literal, the source of
    another expression, or an ellipsis if there is no default."""
    for node in parsed(python_code).body:
        if isinstance(node, ast.FunctionDef) and node.name == entry_point:
            break
    else:
        return {}
    named = [*node.args.posonlyargs, *node.args.args]
    defaults: list[ast.expr | None] = [None] * (len(named) - len(node.args.defaults))
    pairs = zip(named, [*defaults, *node.args.defaults], strict=True)
    alone = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
    return {one.arg: _default(default) for one, default in (*pairs, *alone)}


def _default(node: ast.expr | None) -> Any:
    if node is None:
        return ...
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return ast.unparse(node)
    return {"tuple": list(value)} if isinstance(value, tuple) else value


def _reason(name: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """Return why the argument counts as unvaried, or an empty text if it varies."""
    column = [row.get(name, ...) for row in rows]
    tensors = [value for value in column if isinstance(value, Tensor)]
    if not tensors:
        return _one_value(column)
    if len(tensors) < len(column):
        return ""
    first, values = tensors[0], [one.values for one in tensors if one.values is not None]
    if len(tensors) > 1 and len({(one.dtype, one.shape, one.content) for one in tensors}) == 1:
        return "the same content"
    if len(values) < len(tensors):
        return ""
    if first.dtype == "bool":
        if all(value.all() for value in values):
            return "true everywhere"
        return "" if any(value.any() for value in values) else "false everywhere"
    if all(map(_is_index, tensors, rows)):
        several = [value.reshape(-1) for value in values if value.size > 1]
        no_repeats = several and all(len(np.unique(value)) == value.size for value in several)
        return "no repeats" if no_repeats else ""
    one_sign = all((v >= 0).all() for v in values) or all((v <= 0).all() for v in values)
    return "of one sign" if one_sign else ""


def _one_value(column: Sequence[Any]) -> str:
    texts = {json.dumps(value, default=str) for value in column}
    return f"always {texts.pop()[:40]}" if len(texts) == 1 else ""


def _is_index(tensor: Tensor, row: Mapping[str, Any]) -> bool:
    """Return whether the tensor may hold indices, which are never negative. If no argument is a
    float, integers are data to compute with, not indices."""
    tensors = [value for value in row.values() if isinstance(value, Tensor)]
    sizes = [math.prod(one.shape) for one in tensors]
    sizes += [value for value in row.values() if type(value) is int]
    fractions = any("float" in one.dtype for one in tensors)
    values = tensor.values
    if values is None or values.size == 0:
        return fractions
    return fractions and bool(values.min() >= 0 and values.max() <= max(sizes))
