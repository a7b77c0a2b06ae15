"""Sandbox side: conversion of a module and its inputs to one flat graph of torch operations.

Tensors are fake and no value is computed, so a model needs no memory for its weights. Operations
stay as the author called them (such as a layer norm). Those without effect are removed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.fx import Graph, GraphModule, Node
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils import _pytree as pytree

from validation.pairs.inductor.unwritable import Unwritable

# Most nodes of one model's graph.
MOST_NODES = 20_000
SAME = frozenset({
    "alias", "clone", "contiguous", "detach", "lift_fresh_copy", "lift_fresh",
})  # fmt: skip
# Operations without effect if they preserve shape and type.
SAME_IF_ALIKE = frozenset({
    "_to_copy", "expand", "reshape", "slice", "to", "type_as", "view", "_unsafe_view",
})  # fmt: skip


def graph_of(module: torch.nn.Module, inputs: Any) -> GraphModule:
    """Return the graph of a module. `inputs`: positional ones, or a mapping of named ones."""
    by_name = isinstance(inputs, Mapping)
    state = {**dict(module.named_parameters()), **dict(module.named_buffers())}
    state, inputs = pytree.tree_map_only(torch.Tensor, _pretended, (state, inputs))

    def flat(state_values: dict[str, torch.Tensor], arguments: Any) -> list[torch.Tensor]:
        positional, keywords = ((), arguments) if by_name else (tuple(arguments), {})
        answer = torch.func.functional_call(module, state_values, positional, keywords)
        return _tensors(answer)

    with torch.no_grad():
        traced = make_fx(flat, tracing_mode="real", pre_dispatch=True)(
            state, dict(inputs) if by_name else tuple(inputs)
        )
    if len(traced.graph.nodes) > MOST_NODES:
        raise Unwritable(f"its graph has more than {MOST_NODES:,} operations")
    # The first nodes are the model's parameters and buffers, in order.
    for name, node in zip(state, traced.graph.nodes, strict=False):
        node.meta["held"] = name
    simplify(traced.graph)
    return traced


def _pretended(tensor: torch.Tensor) -> torch.Tensor:
    return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype)


def graph_of_function(function: Any, inputs: Sequence[torch.Tensor]) -> GraphModule:
    def flat(*arguments: torch.Tensor) -> list[torch.Tensor]:
        return _tensors(function(*arguments))

    with torch.no_grad():
        traced = make_fx(flat, tracing_mode="real", pre_dispatch=True)(*inputs)
    simplify(traced.graph)
    return traced


def _tensors(answer: Any) -> list[torch.Tensor]:
    return [leaf for leaf in pytree.tree_leaves(answer) if isinstance(leaf, torch.Tensor)]


def simplify(graph: Graph) -> None:
    for node in list(graph.nodes):
        if node.op == "call_function":
            _as_new_value(node)
            if _is_the_same(node):
                node.replace_all_uses_with(node.args[0])
                graph.erase_node(node)
    graph.eliminate_dead_code(is_impure_node=lambda node: node.op in ("placeholder", "output"))


def name_of(node: Node) -> str:
    """Return a node's operation, such as `add` for `aten.add.Tensor`; "" if it is not torch's."""
    if isinstance(node.target, torch._ops.OpOverload):
        return node.target._schema.name.partition("::")[2]
    return "getitem" if getattr(node.target, "__name__", "") == "getitem" else ""


def value_of(node: Node) -> Any:
    """Return the traced result of a node: a fake tensor, or several."""
    return node.meta.get("val")


def _as_new_value(node: Node) -> None:
    """Replace `relu_(x)` by `relu(x)`, and make all later nodes read the result.

    If x is a view of another tensor, this would be wrong. Then the operation stays, and a later
    step excludes it.
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
    """Return whether a node shares memory with its inputs or users."""
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
