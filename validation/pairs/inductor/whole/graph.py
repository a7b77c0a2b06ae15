"""Graph of a module's torch operations, in groups for one kernel each. Runs in the sandbox.

Tensors are fake and no value is computed, so a model needs no memory for its weights. Operations
stay as the author called them (such as a layer norm). Those without effect are removed.

Inductor fuses element-wise operations and operations along rows, but not matrix products and
convolutions. So each product is a group, and so are connected operations between products. A view
at the edge of a group is left out: the group's input is the tensor that is viewed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, cast

import torch
from torch.fx import Graph, Node

# Names under which torch's private functions and its primitives are known to users.
PUBLIC = {
    "_log_softmax": "log_softmax", "_softmax": "softmax", "_to_copy": "to", "_unsafe_view": "view",
    "convert_element_type": "to", "log_sigmoid": "logsigmoid", "split_with_sizes": "split",
}  # fmt: skip
SAME = frozenset({"alias", "clone", "contiguous", "detach", "lift_fresh_copy", "lift_fresh"})
# Operations that have no effect if they preserve shape and type.
SAME_IF_ALIKE = frozenset({"expand", "pad", "reshape", "slice", "to", "type_as", "view"})


def graph_of(module: torch.nn.Module, inputs: Any) -> Graph:
    """Return the graph of a module. `inputs`: a sequence, or a mapping from parameter names."""
    for part in module.modules():
        # In a view of a tensor, `relu_` would become a `slice_scatter`.
        if getattr(part, "inplace", False):
            vars(part)["inplace"] = False
    arguments, keywords = ((), inputs) if isinstance(inputs, Mapping) else (tuple(inputs), None)
    with torch.no_grad():
        program = torch.export.export(module, arguments, keywords, strict=False)
    # With no decompositions, this only replaces in-place operations, such as `relu_` by `relu`.
    program = program.run_decompositions({})
    signature = program.graph_signature
    weights = {**signature.inputs_to_parameters, **signature.inputs_to_buffers}
    for node in program.graph.nodes:
        if node.name in weights:
            node.meta["held"] = weights[node.name]
    graph: Graph = program.graph
    _simplify(graph)
    return graph


def name_of(node: Node) -> str:
    """Return a node's operation, such as `add` for `aten.add.Tensor`, or "" if it has none."""
    if isinstance(node.target, torch._ops.OpOverload):
        name = node.target._schema.name.partition("::")[2]
        return PUBLIC.get(name, name)
    return "getitem" if getattr(node.target, "__name__", "") == "getitem" else ""


def value_of(node: Node) -> Any:
    """Return the traced result of a node: a fake tensor, or several fake tensors."""
    return node.meta.get("val")


def _simplify(graph: Graph) -> None:
    for node in list(graph.nodes):
        if node.target is torch.ops.aten._native_batch_norm_legit_no_training.default:
            _join_batch_norm(graph, node)
        if node.op == "call_function" and _is_the_same(node):
            node.replace_all_uses_with(node.args[0])
            graph.erase_node(node)
    graph.eliminate_dead_code(is_impure_node=lambda node: node.op in ("placeholder", "output"))


def _join_batch_norm(graph: Graph, node: Node) -> None:
    """Restore a batch norm, which is the only layer that torch.export always decomposes."""
    for output in list(node.users):
        output.replace_all_uses_with(node)
        graph.erase_node(output)
    *tensors, momentum, eps = node.args
    node.target = torch.ops.aten.batch_norm.default
    node.args = (*tensors, False, momentum, eps, True)
    node.meta["val"] = value_of(node)[0]


def _is_the_same(node: Node) -> bool:
    name = name_of(node)
    if name not in SAME | SAME_IF_ALIKE or not isinstance(node.args[0], Node):
        return False
    if name == "pad":
        return not any(cast("list[int]", node.args[1]))
    before, after = value_of(node.args[0]), value_of(node)
    return name in SAME or (before.dtype == after.dtype and before.shape == after.shape)


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
        if trimmed := _trimmed(members):
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


def _trimmed(members: list[Node]) -> list[Node]:
    """Return the members without the views at the start and at the end of the group."""
    rest = set(members)
    for node in members:
        if _is_view(node) and not any(source in rest for source in node.all_input_nodes):
            rest.discard(node)
    # If the group also reads the full tensor, compute slices of it inside the group.
    sources = {source for node in rest for source in node.all_input_nodes} - rest
    full = sources - set(members)
    rest |= {node for node in members if node in sources and full & {*node.all_input_nodes}}
    for node in reversed(members):
        if _is_view(node) and not any(user in rest for user in node.users):
            rest.discard(node)
    return [node for node in members if node in rest]


def _is_view(node: Node) -> bool:
    if name_of(node) == "getitem":
        return _is_view(node.all_input_nodes[0])
    return name_of(node) == "view" or (
        getattr(node.target, "is_view", False) and name_of(node) != "to"
    )


def _group(members: list[Node]) -> Group:
    inside = set(members)
    read = (source for node in members for source in node.all_input_nodes if source not in inside)
    stacks = [node.meta.get("nn_module_stack", {}).values() for node in members]
    # Classes of the modules that were running, outermost first.
    owners = zip(*([str(kind) for _, kind in stack] for stack in stacks), strict=False)
    shared = [classes[0] for classes in takewhile(lambda classes: len({*classes}) == 1, owners)]
    return Group(
        nodes=tuple(members),
        inputs=tuple(dict.fromkeys(read)),
        outputs=tuple(
            node
            for node in members
            if isinstance(value_of(node), torch.Tensor) and not inside.issuperset(node.users)
        ),
        module=shared[-1].rpartition(".")[2] if shared else "",
    )
