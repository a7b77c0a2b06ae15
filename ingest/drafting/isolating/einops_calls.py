"""Replacement of einops' calls by methods of tensors, for patterns that are understood completely.

`rearrange(x, "b (n c) d -> b n c d", c=64)` becomes `x.unflatten(1, (-1, 64))`. Any other call is
not changed, and the stand-in that it calls is kept.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from curation.source.text import Edits, parse, rewrite, walk

# Maximum rounds. A call inside another call is replaced in the next round.
ROUNDS = 8
STAND_IN = "_einops_sides"
NAMES = {"rearrange", "repeat", "reduce"}
REDUCTIONS = {"sum": "sum", "mean": "mean", "max": "amax", "min": "amin"}
AXIS = re.compile(r"[A-Za-z_]\w*")

Group = list[str]


class _Unclear(ValueError):
    """The pattern can't be written with methods of tensors."""


def write_einops(text: str) -> str:
    """Return the module with calls of tensors' methods instead of calls of einops."""
    if STAND_IN not in text:
        return text
    return rewrite(text, _written_once, ROUNDS)


def _written_once(text: str) -> str:
    tree = parse(text)
    ours = {
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name in NAMES and STAND_IN in ast.dump(node)
    }
    lists = set(_names_of_lists(tree))
    edits = Edits(text)
    for node in walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        if node.func.id not in ours or not node.args or ast.unparse(node.args[0]) in lists:
            continue
        try:
            edits.put(node, _method_calls(node, edits))
        except _Unclear:
            continue
    return edits.text()


def _names_of_lists(tree: ast.Module) -> Iterator[str]:
    """Yield the names that are bound to a list. einops would stack the tensors in it."""
    for node in walk(tree):
        match node:
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.List() | ast.Tuple() | ast.ListComp() | ast.GeneratorExp(),
            ):
                yield name


@dataclass(frozen=True, slots=True)
class _Pattern:
    """The groups of axes on the left and the right of a pattern.

    If both sides start with `...`, axes are counted from the back (`behind`).
    """

    left: list[Group]
    right: list[Group]
    behind: bool = False
    dots: bool = False

    def place(self, number: int, count: int) -> int:
        return number - count if self.behind else number

    def inner_last(self, groups: Sequence[Group]) -> list[tuple[int, Group]]:
        """Return numbered groups in an order in which changing one does not renumber later ones."""
        numbered = list(enumerate(groups))
        return numbered if self.behind else numbered[::-1]


def _method_calls(call: ast.Call, edits: Edits) -> str:
    match call:
        case ast.Call(
            func=ast.Name(id=name),
            args=[tensor, ast.Constant(value=str() as pattern), *more],
            keywords=keywords,
        ) if not isinstance(tensor, ast.List | ast.Tuple | ast.ListComp | ast.Starred):
            pass
        case _:
            raise _Unclear
    sizes = {each.arg: edits.of(each.value) for each in keywords if each.arg is not None}
    reduction = ""
    if name == "reduce":
        written = more[0] if more else next(k.value for k in keywords if k.arg == "reduction")
        sizes.pop("reduction", None)
        if not isinstance(written, ast.Constant) or written.value not in REDUCTIONS:
            raise _Unclear
        reduction = REDUCTIONS[str(written.value)]
    elif more:
        raise _Unclear
    if len(keywords) != len(sizes) + (name == "reduce" and not more):
        raise _Unclear
    read = _read(pattern)
    if not set(sizes) <= {*_flat(read.left), *_flat(read.right)}:
        raise _Unclear
    receiver = edits.of(tensor)
    if not isinstance(tensor, ast.Name | ast.Attribute | ast.Call | ast.Subscript):
        receiver = f"({receiver})"
    return receiver + "".join(_methods(name, read, sizes, reduction))


def _read(pattern: str) -> _Pattern:
    sides = [_groups(side) for side in pattern.split("->")]
    if len(sides) != 2:
        raise _Unclear
    left, right = sides
    for end in (0, -1):
        if left and right and left[end] == right[end] == ["..."]:
            left, right = ([group for group in side if group != ["..."]] for side in sides)
            return _Pattern(left, right, behind=end == 0, dots=True)
    if any("..." in group for group in (*left, *right)):
        raise _Unclear
    return _Pattern(left, right)


def _groups(side: str) -> list[Group]:
    """Return the groups of axes on one side. An axis of size one is an empty group."""
    groups: list[Group] = []
    for written in re.findall(r"\([^()]*\)|[^\s()]+", side):
        axes = [axis for axis in written.strip("()").split() if axis != "1"]
        if written != "..." and not all(AXIS.fullmatch(axis) for axis in axes):
            raise _Unclear
        groups.append(axes)
    flat = [axis for group in groups for axis in group]
    if len(flat) != len(set(flat)):
        raise _Unclear
    return groups


def _methods(name: str, read: _Pattern, sizes: Mapping[str, str], reduction: str) -> Iterator[str]:
    yield from _split(read, sizes)
    flat, wanted = _flat(read.left), _flat(read.right)
    lost = [axis for axis in flat if axis not in wanted]
    new = [axis for axis in wanted if axis not in flat]
    if (lost and name != "reduce") or (new and name != "repeat"):
        raise _Unclear
    gone = [read.place(flat.index(axis), len(flat)) for axis in lost]
    if gone:
        yield f".{reduction}({gone[0] if len(gone) == 1 else tuple(gone)})"
    yield from _ordered(read)
    yield from _repeated(read, sizes) if new else _merged(read)


def _flat(groups: Sequence[Group]) -> list[str]:
    return [axis for group in groups for axis in group]


def _split(read: _Pattern, sizes: Mapping[str, str]) -> Iterator[str]:
    for number, group in read.inner_last(read.left):
        place = read.place(number, len(read.left))
        if not group:
            yield f".squeeze({place})"
        elif len(group) > 1:
            written = [sizes.get(axis, "-1") for axis in group]
            if sum(axis not in sizes for axis in group) > 1:
                raise _Unclear
            yield f".unflatten({place}, ({', '.join(written)}))"


def _ordered(read: _Pattern) -> Iterator[str]:
    wanted = [axis for axis in _flat(read.right) if axis in _flat(read.left)]
    flat = [axis for axis in _flat(read.left) if axis in wanted]
    moved = [place for place, axis in enumerate(flat) if wanted[place] != axis]
    if len(moved) == 2:
        first, second = (read.place(place, len(flat)) for place in moved)
        yield f".transpose({first}, {second})"
    elif moved and read.dots:
        raise _Unclear
    elif moved:
        yield f".permute({', '.join(str(flat.index(axis)) for axis in wanted)})"


def _merged(read: _Pattern) -> Iterator[str]:
    groups = [group for group in read.right if group]
    count = len(_flat(groups))
    starts = [len(_flat(groups[:number])) for number in range(len(groups))]
    for number, group in read.inner_last(groups):
        if len(group) > 1:
            first = read.place(starts[number], count)
            last = read.place(starts[number] + len(group) - 1, count)
            yield f".flatten({first})" if last == -1 else f".flatten({first}, {last})"
    yield from _inserted(read, {})


def _repeated(read: _Pattern, sizes: Mapping[str, str]) -> Iterator[str]:
    """Yield the calls that repeat along new axes: `n` alone, or `(h n)` with an old axis."""
    known = set(_flat(read.left))
    if any(len(group) > 1 for group in read.left) or not {*_flat(read.right)} <= known | {*sizes}:
        raise _Unclear
    kept = [group for group in read.right if set(group) & known]
    for number, group in enumerate(kept):
        match group:
            case [_]:
                continue
            case [old, added] if old in known and added not in known:
                place = read.place(number, len(kept))
                yield f".repeat_interleave({sizes[added]}, dim={place})"
            case [added, old] if added not in known and old in known and not read.dots:
                times = [sizes[added] if each is group else "1" for each in kept]
                yield f".repeat({', '.join(times)})"
            case _:
                raise _Unclear
    if any(len(group) > 1 for group in read.right if not set(group) & known):
        raise _Unclear
    yield from _inserted(read, {axis: size for axis, size in sizes.items() if axis not in known})


def _inserted(read: _Pattern, sizes: Mapping[str, str]) -> Iterator[str]:
    """Yield the calls that insert axes of size one, and then expand new axes to their sizes."""
    added = [
        (place, group)
        for place, group in enumerate(read.right)
        if not group or (len(group) == 1 and group[0] in sizes)
    ]
    for number, group in added[::-1] if read.behind else added:
        place = read.place(number, len(read.right))
        yield f".unsqueeze({place})"
        if group:
            yield f".repeat_interleave({sizes[group[0]]}, dim={place})"
