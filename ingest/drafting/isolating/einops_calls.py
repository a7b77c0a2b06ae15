"""Writing of einops' calls as methods of tensors, by strict reading of their patterns.

`rearrange(x, "b (n c) d -> b n c d", c=64)` becomes `x.unflatten(1, (-1, 64))`. A call that is not
read fully stays as it is, together with the stand-in that it calls.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from curation.source.text import Edits, parse, rewrite, walk

# A call inside of another call is written in the next round.
ROUNDS = 8
STAND_IN = "_einops_sides"
NAMES = {"rearrange", "repeat", "reduce"}
REDUCTIONS = {"sum": "sum", "mean": "mean", "max": "amax", "min": "amin"}
AXIS = re.compile(r"[A-Za-z_]\w*")

Group = list[str]


class _Unclear(ValueError):
    """The pattern has no plain writing."""


def write_einops(text: str) -> str:
    """Return the module whose functions call methods of tensors in place of einops."""
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
    """Yield the names that are bound to a list, which einops would stack."""
    for node in walk(tree):
        match node:
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.List() | ast.Tuple() | ast.ListComp() | ast.GeneratorExp(),
            ):
                yield name


@dataclass(frozen=True, slots=True)
class _Part:
    """The axes before the `...` of both sides, counted from the front, or those behind it, counted
    from the back.
    """

    left: list[Group]
    right: list[Group]
    behind: bool

    def place(self, number: int, count: int) -> int:
        return number - count if self.behind else number

    def inner_last(self, groups: Sequence[Group]) -> list[tuple[int, Group]]:
        """Return numbered groups in the order in which a change leaves the places of the rest."""
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
    parts, dots = _parts(pattern)
    axes = {axis for part in parts for group in (*part.left, *part.right) for axis in group}
    if not set(sizes) <= axes:
        raise _Unclear
    receiver = edits.of(tensor)
    if not isinstance(tensor, ast.Name | ast.Attribute | ast.Call | ast.Subscript):
        receiver = f"({receiver})"
    return receiver + "".join(_methods(name, parts, sizes, reduction, dots=dots))


def _parts(pattern: str) -> tuple[list[_Part], bool]:
    """Return the parts of a pattern, and whether it has a `...`."""
    sides = [_groups(side) for side in pattern.split("->")]
    if len(sides) != 2:
        raise _Unclear
    dots = [["..."] in side for side in sides]
    if dots[0] != dots[1]:
        raise _Unclear
    if not dots[0]:
        return [_Part(sides[0], sides[1], behind=False)], False
    cuts = [side.index(["..."]) for side in sides]
    (left, right), (first, second) = sides, cuts
    return [
        _Part(left[:first], right[:second], behind=False),
        _Part(left[first + 1 :], right[second + 1 :], behind=True),
    ], True


def _groups(side: str) -> list[Group]:
    """Return the groups of one side. An axis of size one is an empty group."""
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


def _methods(
    name: str, parts: Sequence[_Part], sizes: Mapping[str, str], reduction: str, *, dots: bool
) -> Iterator[str]:
    for part in parts:
        yield from _split(part, sizes)
    gone: list[int] = []
    for part in parts:
        flat, wanted = _flat(part.left), _flat(part.right)
        lost = [axis for axis in flat if axis not in wanted]
        new = [axis for axis in wanted if axis not in flat]
        if (lost and name != "reduce") or (new and name != "repeat"):
            raise _Unclear
        gone += [part.place(flat.index(axis), len(flat)) for axis in lost]
    if gone:
        written = str(gone[0]) if len(gone) == 1 else f"({', '.join(map(str, gone))})"
        yield f".{reduction}({written})"
    for part in parts:
        yield from _ordered(part, dots=dots)
        if set(_flat(part.right)) <= set(_flat(part.left)):
            yield from _merged(part)
        else:
            yield from _repeated(part, sizes, dots=dots)


def _flat(groups: Sequence[Group]) -> list[str]:
    return [axis for group in groups for axis in group]


def _split(part: _Part, sizes: Mapping[str, str]) -> Iterator[str]:
    for number, group in part.inner_last(part.left):
        place = part.place(number, len(part.left))
        if not group:
            yield f".squeeze({place})"
        elif len(group) > 1:
            written = [sizes.get(axis, "-1") for axis in group]
            if sum(axis not in sizes for axis in group) > 1:
                raise _Unclear
            yield f".unflatten({place}, ({', '.join(written)}))"


def _ordered(part: _Part, *, dots: bool) -> Iterator[str]:
    wanted = [axis for axis in _flat(part.right) if axis in _flat(part.left)]
    flat = [axis for axis in _flat(part.left) if axis in wanted]
    moved = [place for place, axis in enumerate(flat) if wanted[place] != axis]
    if len(moved) == 2:
        first, second = (part.place(place, len(flat)) for place in moved)
        yield f".transpose({first}, {second})"
    elif moved and dots:
        raise _Unclear
    elif moved:
        yield f".permute({', '.join(str(flat.index(axis)) for axis in wanted)})"


def _merged(part: _Part) -> Iterator[str]:
    groups = [group for group in part.right if group]
    count = len(_flat(groups))
    starts = [len(_flat(groups[:number])) for number in range(len(groups))]
    for number, group in part.inner_last(groups):
        if len(group) > 1:
            first = part.place(starts[number], count)
            last = part.place(starts[number] + len(group) - 1, count)
            yield f".flatten({first})" if last == -1 else f".flatten({first}, {last})"
    units = [place for place, group in enumerate(part.right) if not group]
    for place in units[::-1] if part.behind else units:
        yield f".unsqueeze({part.place(place, len(part.right))})"


def _repeated(part: _Part, sizes: Mapping[str, str], *, dots: bool) -> Iterator[str]:
    """Yield the calls that add new axes: `n` alone, or in parentheses with an old axis, `(h n)`."""
    known = set(_flat(part.left))
    new = set(_flat(part.right)) - known
    if any(len(group) > 1 for group in part.left) or not new <= set(sizes):
        raise _Unclear
    kept = [group for group in part.right if set(group) & known]
    for number, group in enumerate(kept):
        match group:
            case [_]:
                continue
            case [old, added] if old in known and added in new:
                place = part.place(number, len(kept))
                yield f".repeat_interleave({sizes[added]}, dim={place})"
            case [added, old] if added in new and old in known and not dots:
                times = [sizes[added] if each is group else "1" for each in kept]
                yield f".repeat({', '.join(times)})"
            case _:
                raise _Unclear
    alone = [place for place, group in enumerate(part.right) if group and set(group) <= new]
    if any(len(part.right[place]) > 1 for place in alone):
        raise _Unclear
    if part.behind or dots:
        yield from _inserted(part, alone, sizes)
        return
    leading = 0
    while leading in alone:
        leading += 1
    for place, group in enumerate(part.right):
        if not group or (place in alone and place >= leading):
            yield f".unsqueeze({place - leading})"
    if alone:
        written = [
            sizes[group[0]] if place in alone else "-1" for place, group in enumerate(part.right)
        ]
        yield f".expand({', '.join(written)})"


def _inserted(part: _Part, alone: Sequence[int], sizes: Mapping[str, str]) -> Iterator[str]:
    """Yield the methods that insert axes beside axes of an unknown number."""
    count = len(part.right)
    added = [p for p, group in enumerate(part.right) if not group or p in alone]
    for place in added[::-1] if part.behind else added:
        where = part.place(place, count)
        yield f".unsqueeze({where})"
        if place in alone:
            yield f".repeat_interleave({sizes[part.right[place][0]]}, dim={where})"
