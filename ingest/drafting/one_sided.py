"""Removal of inputs that a reader can do without, because the other inputs tell them.

A test hands each side what its own helpers ask for: sizes that a tensor has, a second copy of a
tensor, a switch that chooses how the kernel computes, a buffer for the result. Each rule rests on
the text of `make_inputs` and the written cases. `drop_unused` then removes the parameter.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from curation.source.text import UNREADABLE, Edits, walk
from ingest.drafting.buffers import allocate_buffer
from ingest.drafting.readable import allocated_facts
from ingest.drafting.shared_inputs import (
    SharedInputs,
    SharedTexts,
    Side,
    assignments,
    read_inputs,
    read_side,
)

ROUNDS = 40
# Methods whose result has the values of their tensor.
SAME = {"clone", "detach", "contiguous", "requires_grad_"}
CONVERTING = {"double", "float"}


def settle_inputs(python: str, triton: str, test: str, name: str) -> tuple[str, str, str]:
    """Return the three texts whose sides, of the name `name`, read fewer inputs."""
    texts = SharedTexts(python, triton, test)
    for _ in range(ROUNDS):
        try:
            changed = _settled_once(texts, name)
        except UNREADABLE:
            break
        if changed is None:
            break
        texts = changed
    return texts.python, texts.triton, texts.test


def _settled_once(texts: SharedTexts, name: str) -> SharedTexts | None:
    python, triton = read_side(texts.python, name), read_side(texts.triton, name)
    if python is None or triton is None:
        return None
    inputs = read_inputs(texts.test, python.function, triton.function)
    if inputs is None:
        return None
    for parameter in inputs.handed:
        for rule in RULES:
            changed = rule(parameter, inputs, python, triton, texts)
            if changed is not None and changed != texts:
                return changed
    return None


def _read_size(
    parameter: str, inputs: SharedInputs, python: Side, triton: Side, texts: SharedTexts
) -> SharedTexts | None:
    """Read a size or a type from a tensor that has it: `n` is `x.shape[0]` if the inputs hold
    `x = torch.randn(n, dtype=dtype)`.
    """
    inner = inputs.handed[parameter]
    values = inputs.values()
    if not (python.is_plain(parameter) and triton.is_plain(parameter)):
        return None
    owners = [*_sized(inner, inputs, values)]
    readers = [side for side in (python, triton) if side.reads(parameter)]
    for owner, attribute in owners:
        tensor = inputs.names.get(owner)
        if tensor is None or not readers:
            continue
        if all(side.reads(tensor) and side.is_plain(tensor) for side in readers):
            return SharedTexts(
                python.replaced(parameter, f"{tensor}.{attribute}"),
                triton.replaced(parameter, f"{tensor}.{attribute}"),
                texts.test,
            )
    return None


def _sized(
    name: str, inputs: SharedInputs, values: Mapping[str, ast.expr]
) -> Iterator[tuple[str, str]]:
    """Yield the tensors that have a size or type, each with its attribute."""
    stores = inputs.stores()
    if stores[name] != 1:
        return
    if name in values and _case_key(values[name]) is None:
        return
    for owner, value in values.items():
        for size, attribute in allocated_facts(value):
            if size == name:
                yield owner, attribute
    for block in inputs.blocks():
        for statement in block:
            match statement:
                case ast.Assign(
                    targets=[ast.Tuple(elts=targets)],
                    value=ast.Attribute(value=ast.Name(id=owner), attr="shape")
                    | ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr="size"), args=[]),
                ) if owner in values:
                    for place, target in enumerate(targets):
                        if isinstance(target, ast.Name) and target.id == name:
                            yield owner, f"shape[{place}]"


def _case_key(value: ast.expr) -> str | None:
    """Return the key of a value that comes from the case: `case["n"]`, or a type by its name."""
    match value:
        case ast.Subscript(value=ast.Name(id="case"), slice=ast.Constant(value=str(key))):
            return key
        case ast.Call(func=ast.Name(id="getattr"), args=[ast.Name(id="torch"), inner]):
            return _case_key(inner)
    return None


def _ask_for_none(
    parameter: str, inputs: SharedInputs, python: Side, triton: Side, texts: SharedTexts
) -> SharedTexts | None:
    """Ask whether an optional tensor is given, in place of a switch that says so: `has_z` is
    `z is not None` if the inputs hold `z = torch.randn(n) if has_z else None`.
    """
    readers = [side for side in (python, triton) if side.reads(parameter)]
    inner = inputs.handed[parameter]
    value = inputs.values().get(inner)
    if value is None or _case_key(value) is None or not readers:
        return None
    for owner in _optional_by(inner, inputs):
        tensor = inputs.names.get(owner)
        if tensor is None or inputs.stores()[owner] > 2:
            continue
        if all(side.is_plain(parameter) and side.is_plain(tensor) for side in readers):
            changed = [
                side.replaced(parameter, f"{tensor} is not None") if side in readers else side.text
                for side in (python, triton)
            ]
            return SharedTexts(changed[0], changed[1], texts.test)
    return None


def _optional_by(name: str, inputs: SharedInputs) -> Iterator[str]:
    """Yield the inputs that are None exactly where a switch is false."""
    for block in inputs.blocks():
        for statement in block:
            match statement:
                case ast.If(test=ast.Name(id=switch), body=body, orelse=orelse) if switch == name:
                    given, absent = dict(assignments(body)), dict(assignments(orelse))
                case ast.Assign(
                    targets=[ast.Name(id=bound)],
                    value=ast.IfExp(test=ast.Name(id=switch), body=kept, orelse=other),
                ) if switch == name:
                    given, absent = {bound: kept}, {bound: other}
                case _:
                    continue
            for owner, value in absent.items():
                made = isinstance(given.get(owner), ast.Call)
                if isinstance(value, ast.Constant) and value.value is None and made:
                    yield owner


def _fix_switch(
    parameter: str, inputs: SharedInputs, python: Side, triton: Side, texts: SharedTexts
) -> SharedTexts | None:
    """Write the value of a switch that only one side reads: it chooses how that side computes, not
    which result. If the cases differ, those with the most frequent value stay.
    """
    readers = [side for side in (python, triton) if side.reads(parameter)]
    if len(readers) != 1 or not readers[0].is_plain(parameter):
        return None
    inner = inputs.handed[parameter]
    value = inputs.values().get(inner)
    if isinstance(value, ast.Constant):
        if not isinstance(value.value, bool | str | float | None):
            return None
        return _written(parameter, repr(value.value), python, triton, texts.test)
    if not isinstance(value, ast.Subscript) or (key := _case_key(value)) is None:
        return None
    given = [_given(row, key) for row in inputs.cases]
    if not all(isinstance(each, ast.Constant) for each in given):
        return None
    constants = [each.value for each in given if isinstance(each, ast.Constant)]
    if not all(isinstance(each, bool | str | float | None) for each in constants):
        return None
    chosen = Counter(map(repr, constants)).most_common(1)[0][0]
    differs = any(repr(each) != chosen for each in constants)
    if differs and not all(isinstance(each, bool | str) for each in constants):
        return None
    uses = [n for n in walk(inputs.function) if isinstance(n, ast.Name) and n.id == inner]
    if differs and len(uses) != 2:
        # Other inputs depend on it.
        return None
    test = _of_cases(inputs, key, chosen, texts.test) if differs else texts.test
    return _written(parameter, chosen, python, triton, test)


def _written(parameter: str, value: str, python: Side, triton: Side, test: str) -> SharedTexts:
    return SharedTexts(python.replaced(parameter, value), triton.replaced(parameter, value), test)


def _given(row: ast.Dict, key: str) -> ast.expr | None:
    for name, value in zip(row.keys, row.values, strict=True):
        if isinstance(name, ast.Constant) and name.value == key:
            return value
    return None


def _of_cases(inputs: SharedInputs, key: str, chosen: str, test: str) -> str:
    """Return the test with the cases that have a value."""
    edits = Edits(test)
    lines = test.split("\n")
    for row in inputs.cases:
        value = _given(row, key)
        if isinstance(value, ast.Constant) and repr(value.value) != chosen:
            line = row.lineno
            alone = row.end_lineno == line and lines[line - 1].strip().startswith("{")
            if not alone:
                return test
            start = edits.start(row) - row.col_offset
            edits.replace(start, start + len(lines[line - 1].encode()) + 1, "")
    return edits.text()


def _read_original(
    parameter: str, inputs: SharedInputs, python: Side, triton: Side, texts: SharedTexts
) -> SharedTexts | None:
    """Read a tensor in place of a second input that is computed from it alone.

    A copy has the same values: each side gets inputs of its own. A reference may convert, a
    launcher must not.
    """
    readers = [side for side in (python, triton) if side.reads(parameter)]
    if len(readers) != 1 or not readers[0].is_plain(parameter):
        return None
    side = readers[0]
    derived = _derivation(inputs.handed[parameter], inputs)
    if derived is None:
        return None
    owner, written = derived
    tensor = inputs.names.get(owner)
    if tensor is None or not side.is_plain(tensor):
        return None
    if inputs.changes(owner) or inputs.changes(inputs.handed[parameter]):
        return None
    expression = written.format(tensor)
    if expression != tensor and side is triton:
        return None
    if side.reads(tensor) and side is triton:
        # It may write to one of the two.
        return None
    changed = side.replaced(parameter, expression)
    if side is python:
        return SharedTexts(changed, texts.triton, texts.test)
    return SharedTexts(texts.python, changed, texts.test)


def _derivation(name: str, inputs: SharedInputs) -> tuple[str, str] | None:
    """Return the tensor that an input is computed from, and the expression with a gap for it."""
    values = inputs.values()
    stores = inputs.stores()
    if name in values:
        derived = _of_one(values[name])
        return derived if derived is not None and stores[derived[0]] == 1 else None
    for block in inputs.blocks():
        for statement in block:
            match statement:
                case ast.If(body=body, orelse=orelse) if stores[name] == 2:
                    derived = _of_branches(name, dict(assignments(body)), dict(assignments(orelse)))
                    if derived is not None:
                        return derived
                case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Name(id=listed)) if (
                    stores[name] == 1 and listed in values
                ):
                    place = next((n for n, t in enumerate(targets) if ast.unparse(t) == name), None)
                    if place is not None:
                        return _of_list(values[listed], place, stores)
    return None


def _of_one(value: ast.expr) -> tuple[str, str] | None:
    """Return the tensor of `x.clone()` and `{}`, or of `x.double()` and `{}.double()`."""
    if isinstance(value, ast.IfExp):
        match value.test:
            case ast.Compare(
                left=ast.Name(id=name), ops=[ast.Is()], comparators=[ast.Constant(value=None)]
            ) if ast.unparse(value.body) == "None":
                inner = _of_one(value.orelse)
                if inner is not None and inner[0] == name:
                    guarded = f"None if {{0}} is None else {inner[1].replace('{}', '{0}')}"
                    return name, guarded if inner[1] != "{}" else "{}"
        return None
    conversion = ""
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        if value.args or value.keywords or value.func.attr not in SAME | CONVERTING:
            return None
        if value.func.attr in CONVERTING:
            conversion = f".{value.func.attr}(){conversion}"
        value = value.func.value
    if not isinstance(value, ast.Name):
        return None
    return value.id, f"{{}}{conversion}"


def _of_branches(
    name: str, first: Mapping[str, ast.expr], second: Mapping[str, ast.expr]
) -> tuple[str, str] | None:
    """Return the tensor of an input that one branch computes from it, where both are None in the
    other branch.
    """
    for taken, other in ((first, second), (second, first)):
        if name not in taken or name not in other:
            continue
        derived = _of_one(taken[name])
        if derived is None or derived[0] not in taken or derived[0] not in other:
            continue
        owner, written = derived
        if ast.unparse(other[name]) == ast.unparse(other[owner]) == "None":
            if "None if" in written or written == "{}":
                return owner, written
            return owner, f"None if {{0}} is None else {written.replace('{}', '{0}')}"
    return None


def _of_list(value: ast.expr, place: int, stores: Counter[str]) -> tuple[str, str] | None:
    """Return the element of `[t.clone() for t in [x, y]]` at a place."""
    match value:
        case ast.ListComp(
            elt=element,
            generators=[
                ast.comprehension(target=ast.Name(id=each), iter=ast.List(elts=names), ifs=[])
            ],
        ) if place < len(names):
            derived = _of_one(element)
            original = names[place]
            if derived is not None and derived == (each, "{}") and isinstance(original, ast.Name):
                return (original.id, "{}") if stores[original.id] == 1 else None
    return None


Rule = Callable[[str, SharedInputs, Side, Side, SharedTexts], SharedTexts | None]
RULES: tuple[Rule, ...] = (_read_size, _read_original, _ask_for_none, _fix_switch, allocate_buffer)
