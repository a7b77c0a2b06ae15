"""Sandbox side: distribution of a test input's random values, chosen from its uses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch.fx import Node

from validation.pairs.inductor.unwritable import Unwritable
from validation.pairs.inductor.whole.graph import name_of, value_of
from validation.pairs.inductor.whole.grouping import Group
from validation.pairs.inductor.whole.sizing import Shape

NOT_BELOW_ZERO = frozenset({"log", "log2", "reciprocal", "rsqrt", "sqrt"})


@dataclass(frozen=True, slots=True)
class Draw:
    how: str
    """Kind of distribution, as in the test's template."""
    dtype: str = ""
    bound: str = ""


def draw(node: Node, group: Group, shapes: Sequence[Shape]) -> Draw:
    dtype = value_of(node).dtype
    if dtype == torch.bool:
        return Draw("mask")
    if not dtype.is_floating_point:
        return _index(node, group, shapes)
    inside = set(group.nodes)
    positive = any(_needs_positive(node, user) for user in node.users if user in inside)
    return Draw("positive" if positive else "normal")


def _needs_positive(node: Node, user: Node) -> bool:
    name = name_of(user)
    if name == "batch_norm":
        return user.args[4] is node
    if name == "div":
        return user.args[1] is node
    if name == "add" and not isinstance(user.args[1], Node):
        return any(name_of(one) in NOT_BELOW_ZERO for one in user.users)
    return name in NOT_BELOW_ZERO


def _index(node: Node, group: Group, shapes: Sequence[Shape]) -> Draw:
    """Return a distribution of indices that are valid for all tensors that they index."""
    dtype = str(value_of(node).dtype).removeprefix("torch.")
    bounds = set()
    for source, axis in _read_by(node, set(group.nodes)):
        if source not in group.inputs:
            raise Unwritable("its indices have no known bound")
        bounds.add(str(shapes[group.inputs.index(source)][axis]))
    if not bounds:
        return Draw("integers", dtype)
    if len(bounds) > 1 or dtype != "int64":
        raise Unwritable("its indices have no known bound")
    return Draw("index", bound=bounds.pop())


def _read_by(node: Node, members: set[Node]) -> Iterator[tuple[Node | None, int]]:
    """Yield the tensors that an index is used on, with the axis, also through views of it."""
    for user in node.users:
        if user not in members:
            continue
        match name_of(user):
            case "embedding":
                yield _node(user.args[0]), 0
            case "gather" | "index_select":
                yield _node(user.args[0]), int(str(user.args[1]))
            case "index":
                places = user.args[1]
                if isinstance(places, list | tuple):
                    yield _node(user.args[0]), list(places).index(node)
            case "expand" | "unsqueeze" | "slice" | "select" | "view" | "reshape" | "transpose":
                yield from _read_by(user, members)
            case "scatter" | "scatter_add" | "index_add" | "index_put":
                yield None, 0


def _node(value: object) -> Node | None:
    return value if isinstance(value, Node) else None
