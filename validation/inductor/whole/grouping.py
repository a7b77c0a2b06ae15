"""Inside the sandbox: a model's graph falls into groups, each about what one kernel computes.

Inductor fuses what is computed element by element or along rows, and stops at products of matrices
and convolutions. So does this: a product is a group of its own, and what hangs together between
products is another. What only looks at a tensor in another way, at the edge of a group, belongs to
nobody: the group takes the tensor as it is then.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import torch
from torch.fx import Graph, Node

from validation.inductor.whole.graph import name_of, value_of

PRODUCTS = frozenset({
    "linear", "matmul", "mm", "bmm", "addmm", "baddbmm", "einsum", "bilinear", "dot", "mv",
    "conv1d", "conv2d", "conv3d", "convolution", "conv_transpose1d", "conv_transpose2d",
    "scaled_dot_product_attention", "lstm", "gru",
})  # fmt: skip
VIEWS = frozenset({
    "view", "_unsafe_view", "reshape", "transpose", "permute", "t", "expand", "unsqueeze",
    "squeeze", "slice", "select", "split", "split_with_sizes", "chunk", "unbind", "flatten",
    "unflatten", "narrow", "expand_as", "view_as", "reshape_as", "movedim", "numpy_T", "mT",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Group:
    nodes: tuple[Node, ...]
    """In the order of the graph."""
    inputs: tuple[Node, ...]
    """What they read and don't compute, in the order in which they read it."""
    outputs: tuple[Node, ...]


def groups(graph: Graph) -> Iterator[Group]:
    for members in _apart(graph):
        kept = _without_views_at_the_end(_without_views_at_the_start(members))
        if kept:
            yield _group(kept)


def _apart(graph: Graph) -> list[list[Node]]:
    """Between two products lies at least one level, so no group waits for itself."""
    level: dict[Node, int] = {}
    root: dict[Node, Node] = {}

    def found(node: Node) -> Node:
        while root[node] is not node:
            root[node] = root[root[node]]
            node = root[node]
        return node

    for node in graph.nodes:
        if node.op != "call_function":
            continue
        before = [one for one in node.all_input_nodes if one in level]
        product = name_of(node) in PRODUCTS
        highest = max((level[one] for one in before), default=0)
        level[node] = highest + product
        root[node] = node
        for one in before:
            if not product and level[one] == level[node] and name_of(one) not in PRODUCTS:
                root[found(one)] = found(node)
    members: dict[Node, list[Node]] = defaultdict(list)
    for node in root:
        members[found(node)].append(node)
    return list(members.values())


def _without_views_at_the_start(members: list[Node]) -> list[Node]:
    inside = set(members)
    for node in members:
        if _is_view(node) and not any(one in inside for one in node.all_input_nodes):
            inside.discard(node)
    # But a half of what is read as a whole, too, is taken from that.
    whole = {one for node in inside for one in node.all_input_nodes} - inside
    for node in members:
        read_as_is = any(one in whole and one not in members for one in node.all_input_nodes)
        if node in whole and read_as_is:
            inside.add(node)
    return [node for node in members if node in inside]


def _without_views_at_the_end(members: list[Node]) -> list[Node]:
    inside = set(members)
    for node in reversed(members):
        if _is_view(node) and not any(user in inside for user in node.users):
            inside.discard(node)
    return [node for node in members if node in inside]


def _is_view(node: Node) -> bool:
    if name_of(node) == "getitem":
        return _is_view(node.all_input_nodes[0])
    return name_of(node) in VIEWS


def _group(members: list[Node]) -> Group:
    inside = set(members)
    read = (one for node in members for one in node.all_input_nodes if one not in inside)
    return Group(
        tuple(members),
        tuple(dict.fromkeys(read)),
        tuple(node for node in members if _is_read_outside(node, inside)),
    )


def _is_read_outside(node: Node, inside: Iterable[Node]) -> bool:
    return isinstance(value_of(node), torch.Tensor) and any(u not in inside for u in node.users)
