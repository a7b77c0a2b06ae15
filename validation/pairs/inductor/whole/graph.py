"""Graph of a module's torch operations, in groups for one kernel each. Runs in the sandbox.

Tensors are fake and no value is computed, so a model needs no memory for its weights. Operations
stay as the author called them (such as a layer norm). Those without effect are removed.

Inductor fuses element-wise operations and operations along rows, but not matrix products and
convolutions. So each product is a group, and so are connected operations between products. A view
at the edge of a group is left out: the group's input is the tensor that is viewed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

import torch
from torch.fx import Graph, GraphModule, Node
from torch.fx.experimental.proxy_tensor import get_proxy_mode, make_fx
from torch.nn.modules.module import (
    register_module_forward_hook,
    register_module_forward_pre_hook,
)
from torch.utils import _pytree as pytree

from validation.pairs.inductor import Unwritable

# Maximum number of nodes in one model's graph.
MOST_NODES = 20_000
SAME = frozenset({
    "alias", "clone", "contiguous", "detach", "lift_fresh_copy", "lift_fresh",
})  # fmt: skip
# Operations that have no effect if they preserve shape and type.
SAME_IF_ALIKE = frozenset({
    "_to_copy", "expand", "reshape", "slice", "to", "type_as", "view", "_unsafe_view",
})  # fmt: skip


def graph_of(module: torch.nn.Module, inputs: Any) -> GraphModule:
    """Return the graph of a module. `inputs`: a sequence, or a mapping from parameter names."""
    by_name = isinstance(inputs, Mapping)
    state = {**dict(module.named_parameters()), **dict(module.named_buffers())}
    state, inputs = pytree.tree_map_only(torch.Tensor, _pretended, (state, inputs))

    def flat(state_values: dict[str, torch.Tensor], arguments: Any) -> list[torch.Tensor]:
        positional, keywords = ((), arguments) if by_name else (tuple(arguments), {})
        answer = torch.func.functional_call(module, state_values, positional, keywords)
        return [leaf for leaf in pytree.tree_leaves(answer) if isinstance(leaf, torch.Tensor)]

    with torch.no_grad(), _noted_owners():
        traced = make_fx(flat, tracing_mode="real", pre_dispatch=True)(
            state, dict(inputs) if by_name else tuple(inputs)
        )
    if len(traced.graph.nodes) > MOST_NODES:
        raise Unwritable(f"its graph has more than {MOST_NODES:,} operations")
    # The first nodes of the graph are the model's parameters and buffers, in order.
    for name, node in zip(state, traced.graph.nodes, strict=False):
        node.meta["held"] = name
    simplify(traced.graph)
    return traced


@contextmanager
def _noted_owners() -> Iterator[None]:
    """Record in each node the classes of the modules that were running, innermost first."""
    last: list[Node | None] = []

    def nodes() -> Iterator[Node]:
        mode = get_proxy_mode()
        return iter(reversed(mode.tracer.graph.nodes)) if mode else iter(())

    def enter(*_: object) -> None:
        last.append(next(nodes(), None))

    def leave(module: torch.nn.Module, *_: object) -> None:
        before = last.pop()
        for node in takewhile(lambda node: node is not before, nodes()):
            node.meta.setdefault("owners", []).append(type(module).__name__)

    with (
        register_module_forward_pre_hook(enter),
        register_module_forward_hook(leave),
    ):
        yield


def _pretended(tensor: torch.Tensor) -> torch.Tensor:
    return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype)


def simplify(graph: Graph) -> None:
    for node in list(graph.nodes):
        if node.op == "call_function":
            _as_new_value(node)
            if _is_the_same(node):
                node.replace_all_uses_with(node.args[0])
                graph.erase_node(node)
    graph.eliminate_dead_code(is_impure_node=lambda node: node.op in ("placeholder", "output"))


def name_of(node: Node) -> str:
    """Return a node's operation, such as `add` for `aten.add.Tensor`, or "" if it has none."""
    if isinstance(node.target, torch._ops.OpOverload):
        return node.target._schema.name.partition("::")[2]
    return "getitem" if getattr(node.target, "__name__", "") == "getitem" else ""


def value_of(node: Node) -> Any:
    """Return the traced result of a node: a fake tensor, or several fake tensors."""
    return node.meta.get("val")


def _as_new_value(node: Node) -> None:
    """Replace `relu_(x)` by `relu(x)`, and make all later nodes read the result.

    If x is a view of another tensor, this would be wrong. Then the operation is not changed, and a
    later step excludes it.
    """
    name = name_of(node)
    changed = node.args[0] if node.args else None
    if not name.endswith("_") or name.startswith("__") or not isinstance(changed, Node):
        return
    if name != "detach_" and (changed.op != "call_function" or _shares_memory(changed)):
        return
    packet = getattr(torch.ops.aten, name[:-1], None)
    overload = getattr(packet, node.target._overloadname, None)  # type: ignore[union-attr]
    if overload is None:
        return
    node.target = overload
    for user in list(changed.users):
        if user > node:
            user.replace_input_with(changed, node)


def _shares_memory(node: Node) -> bool:
    """Return whether a node shares memory with one of its inputs or users."""
    around = [node, *node.users]
    return any(
        isinstance(one.target, torch._ops.OpOverload)
        and one.target.is_view
        and (one is not node or bool(one.args))
        for one in around
    )


def _is_the_same(node: Node) -> bool:
    name = name_of(node)
    if not node.args or not isinstance(node.args[0], Node):
        return False
    if name in SAME:
        return True
    if name == "dropout":
        return node.args[2] is False
    before, after = value_of(node.args[0]), value_of(node)
    return (
        name in SAME_IF_ALIKE
        and isinstance(before, torch.Tensor)
        and isinstance(after, torch.Tensor)
        and before.dtype == after.dtype
        and before.shape == after.shape
    )


PRODUCTS = frozenset({
    "linear", "matmul", "mm", "bmm", "addmm", "baddbmm", "einsum", "bilinear", "dot", "mv",
    "conv1d", "conv2d", "conv3d", "convolution", "conv_transpose1d", "conv_transpose2d",
    "scaled_dot_product_attention", "lstm", "gru",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Group:
    nodes: tuple[Node, ...]
    """The operations of the group, in graph order."""
    inputs: tuple[Node, ...]
    """Nodes that the group reads but does not compute, in the order in which they are read."""
    outputs: tuple[Node, ...]
    module: str
    """Class of the innermost module that contains all nodes of the group."""


def groups(graph: Graph) -> Iterator[Group]:
    for members in _apart(graph):
        trimmed = _without_views_at_the_end(_without_views_at_the_start(members))
        if trimmed:
            yield _group(trimmed)


def _apart(graph: Graph) -> list[list[Node]]:
    """Return groups of connected nodes. A product raises the level, so no groups form a cycle."""
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
    # If the group also reads the full tensor, compute slices of it inside the group.
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
    name, is_view = name_of(node), getattr(node.target, "is_view", False)
    return name == "_unsafe_view" or (is_view and name != "to")


def _group(members: list[Node]) -> Group:
    member_set = set(members)
    read = (
        source for node in members for source in node.all_input_nodes if source not in member_set
    )
    owners = zip(*(reversed(node.meta.get("owners", [])) for node in members), strict=False)
    shared = [classes[0] for classes in takewhile(lambda classes: len({*classes}) == 1, owners)]
    return Group(
        nodes=tuple(members),
        inputs=tuple(dict.fromkeys(read)),
        outputs=tuple(node for node in members if _is_read_outside(node, member_set)),
        module=shared[-1] if shared else "",
    )


def _is_read_outside(node: Node, members: Iterable[Node]) -> bool:
    return isinstance(value_of(node), torch.Tensor) and any(u not in members for u in node.users)
