"""Sandbox side: split of a model's graph into groups, each the work of about one kernel.

Inductor fuses element-wise operations and operations along rows, and stops at matrix products and
convolutions. So each product is a group, and so are connected operations between products. A view
at the edge of a group is left out: the group's input is the tensor that it views.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import torch
from torch.fx import Graph, Node

from validation.pairs.inductor.whole.graph import name_of, value_of

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
    """In graph order."""
    inputs: tuple[Node, ...]
    """Nodes that the group reads and does not compute, in reading order."""
    outputs: tuple[Node, ...]


def groups(graph: Graph) -> Iterator[Group]:
    for members in _apart(graph):
        trimmed = _without_views_at_the_end(_without_views_at_the_start(members))
        if trimmed:
            yield _group(trimmed)


def _apart(graph: Graph) -> list[list[Node]]:
    """Return groups of connected nodes. A product raises the level, so groups are acyclic."""
    level: dict[Node, int] = {}
    root: dict[Node, Node] = {}

    def root_of(node: Node) -> Node:
        while root[node] is not node:
            root[node] = root[root[node]]
            node = root[node]
        return node

    for node in graph.nodes:
        if node.op != "call_function":
            continue
        sources = [source for source in node.all_input_nodes if source in level]
        product = name_of(node) in PRODUCTS
        highest = max((level[source] for source in sources), default=0)
        level[node] = highest + product
        root[node] = node
        for source in sources:
            if not product and level[source] == level[node] and name_of(source) not in PRODUCTS:
                root[root_of(source)] = root_of(node)
    members: dict[Node, list[Node]] = defaultdict(list)
    for node in root:
        members[root_of(node)].append(node)
    return list(members.values())


def _without_views_at_the_start(members: list[Node]) -> list[Node]:
    rest = set(members)
    for node in members:
        if _is_view(node) and not any(source in rest for source in node.all_input_nodes):
            rest.discard(node)
    # If the group also reads the full tensor, a slice of it is computed inside of the group.
    sources = {source for node in rest for source in node.all_input_nodes} - rest
    for node in members:
        read_as_is = any(
            source in sources and source not in members for source in node.all_input_nodes
        )
        if node in sources and read_as_is:
            rest.add(node)
    return [node for node in members if node in rest]


def _without_views_at_the_end(members: list[Node]) -> list[Node]:
    rest = set(members)
    for node in reversed(members):
        if _is_view(node) and not any(user in rest for user in node.users):
            rest.discard(node)
    return [node for node in members if node in rest]


def _is_view(node: Node) -> bool:
    if name_of(node) == "getitem":
        return _is_view(node.all_input_nodes[0])
    return name_of(node) in VIEWS


def _group(members: list[Node]) -> Group:
    member_set = set(members)
    read = (
        source for node in members for source in node.all_input_nodes if source not in member_set
    )
    return Group(
        tuple(members),
        tuple(dict.fromkeys(read)),
        tuple(node for node in members if _is_read_outside(node, member_set)),
    )


def _is_read_outside(node: Node, members: Iterable[Node]) -> bool:
    return isinstance(value_of(node), torch.Tensor) and any(u not in members for u in node.users)
