"""Replacement of devices that the author names, by the device of the machine or by the default
device.
"""

from __future__ import annotations

import ast
import re
from itertools import pairwise

from curation.source.functions import signature, stored_names
from curation.source.text import UNREADABLE, Edits, parse, walk

OF_THE_MACHINE = '"cuda" if torch.cuda.is_available() else "cpu"'
DEVICE = "DEVICE"
DEVICE_LINE = f"{DEVICE} = {OF_THE_MACHINE}"
DEFAULT = "torch.get_default_device()"
LEGACY = re.compile(r"\btorch\.[A-Z][a-z0-9]*Tensor\(")

Around = tuple[ast.AST, frozenset[str]]
"""A node, and the names that the functions around the node bind."""


def place_on_device(text: str, tree: ast.Module, *, kept: bool) -> str:
    """Return the text with named devices replaced by the machine's device, or removed."""
    edits = Edits(text)
    for node, local in _within(tree):
        match node:
            case ast.Call():
                _of_call(node, local, edits, kept)
            case ast.Assign(targets=[ast.Name()], value=ast.Constant() as value) if (
                local and is_device(value, local)
            ):
                edits.put(value, DEVICE if kept else DEFAULT)
            case ast.Compare(
                left=ast.Attribute(attr="device") as left,
                ops=[ast.Eq() | ast.NotEq()],
                comparators=[other],
            ) if kept and not isinstance(other, ast.Attribute) and is_device(other, local):
                # DEVICE is only a type of device, and `cuda` is not equal to `cuda:0`.
                edits.replace(edits.end(left), edits.end(other), f"{_sign(node)}{DEVICE}")
            case ast.Attribute(value=owner, attr="index" | "type" as attr) if (
                kept and is_device(owner, local) and not isinstance(owner, ast.Constant)
            ):
                edits.put(node, DEVICE if attr == "type" else "torch.cuda.current_device()")
            case ast.arguments():
                for default in (*node.defaults, *node.kw_defaults):
                    if isinstance(default, ast.Constant) and is_device(default, local):
                        # The default is evaluated at the definition, perhaps before that of DEVICE.
                        edits.put(default, OF_THE_MACHINE if kept else "None")
    return edits.text()


def define_device(text: str) -> str:
    """Return a file's text that defines DEVICE as the machine's device: where the author defines
    it, or after the first imports, because statements at the top level may read it.
    """
    tree = parse(text)
    edits = Edits(text)
    defined = False
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id="DEVICE")]):
                edits.put(node, DEVICE_LINE)
                defined = True
    if not defined:
        last = next((n for n in tree.body if not _is_heading(n)), None)
        place = edits.line_start(last) if last is not None else len(text.encode())
        edits.replace(place, place, f"\n\n{DEVICE_LINE}\n\n\n")
    return edits.text()


def _is_heading(node: ast.stmt) -> bool:
    """Return whether a statement is an import or the docstring of the file."""
    return isinstance(node, ast.Import | ast.ImportFrom) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    )


def _sign(compared: ast.Compare) -> str:
    return ".type == " if isinstance(compared.ops[0], ast.Eq) else ".type != "


def replace_literal_devices(text: str) -> str:
    """Return a module whose allocations name the machine's device instead of "cuda"."""
    if "device" not in text:
        return text
    tree = parse(text)
    edits = Edits(text)
    values = [
        keyword.value
        for node in walk(tree)
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == "device" and _is_literal(keyword.value)
    ]
    for value in values:
        edits.put(value, DEVICE)
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    if not values or not imports:
        return edits.text()
    if not re.search(rf"^{DEVICE} = ", text, re.M):
        edits.replace(edits.end(imports[-1]), edits.end(imports[-1]), f"\n\n\n{DEVICE_LINE}")
    return edits.text()


# Attributes that of all objects only tensors have.
OF_TENSORS = {
    "shape",
    "dtype",
    "device",
    "view",
    "reshape",
    "transpose",
    "stride",
    "float",
    "numel",
}


def use_devices_of_inputs(text: str) -> str:
    """Return a module whose functions allocate on the device of a tensor that is an argument."""
    try:
        tree = parse(text)
    except UNREADABLE:
        return text
    edits = Edits(text)
    for function in tree.body:
        if not isinstance(function, ast.FunctionDef):
            continue
        read = {
            node.value.id
            for node in walk(function)
            if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.attr in OF_TENSORS
        }
        tensor = next((each.arg for each in function.args.args if each.arg in read), None)
        for node in walk(function) if tensor else ():
            if isinstance(node, ast.Call):
                moved = isinstance(node.func, ast.Attribute) and node.func.attr == "to"
                given = [k.value for k in node.keywords if k.arg == "device"]
                for value in [*given, *(node.args[:1] if moved else ())]:
                    if isinstance(value, ast.Name) and value.id == DEVICE:
                        edits.put(value, f"{tensor}.device")
    return edits.text()


def _is_literal(node: ast.expr) -> bool:
    """Return whether an expression is a device as a string."""
    return isinstance(node, ast.Constant) and is_device(node, frozenset())


def _within(tree: ast.Module) -> list[Around]:
    nodes: list[Around] = []
    pending: list[Around] = [(tree, frozenset())]
    while pending:
        node, local = pending.pop()
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            local |= {*signature(node.args).names}
            if isinstance(node, ast.FunctionDef):
                local = local.union(*(stored_names(inner) for inner in node.body))
        nodes.append((node, local))
        pending.extend((child, local) for child in ast.iter_child_nodes(node))
    return nodes


def _of_call(call: ast.Call, local: frozenset[str], edits: Edits, kept: bool) -> None:
    # Sort arguments by position, because a device is removed with the comma before it.
    arguments = sorted((*call.args, *(k.value for k in call.keywords)), key=edits.start)
    before = {id(node): edits.comma(previous) for previous, node in pairwise(arguments)}
    for keyword in call.keywords:
        if keyword.arg == "device" and is_device(keyword.value, local):
            value = keyword.value
            if kept:
                edits.put(value, DEVICE)
            elif id(value) in before:
                edits.replace(before[id(value)], edits.end(value), "")
            else:
                edits.put(value, "None")
    if isinstance(call.func, ast.Attribute):
        moves = call.func.attr == "cuda" and not call.args and not call.keywords
        if call.func.attr == "to" and len(call.args) == 1 and not call.keywords:
            moves = is_device(call.args[0], local)
        if moves:
            # `torch.LongTensor([1])` is created on the CPU, even with another default device.
            legacy = LEGACY.search(ast.unparse(call.func.value))
            target = DEVICE if kept else DEFAULT if legacy else ""
            moved = f".to({target})" if target else ""
            edits.replace(edits.dot(call.func), edits.end(call), moved)


class HostRemoval(ast.NodeTransformer):
    """Removal of the CPU from an expression whose result is moved to the device.

    `torch.randn(n, device="cpu")[1:]` is then computed on the device.
    """

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        node.keywords = [each for each in node.keywords if not _is_host(each)]
        match node:
            case ast.Call(func=ast.Attribute(value=value, attr="cpu"), args=[], keywords=[]):
                return value
        return node


def _is_host(keyword: ast.keyword) -> bool:
    return keyword.arg == "device" and ast.unparse(keyword.value) == "'cpu'"


def is_device(node: ast.expr, local: frozenset[str]) -> bool:
    """Return whether an expression names a device: a string, or a global with a device's name."""
    match node:
        case ast.Constant(value=str(value)):
            return bool(re.fullmatch(r"(cuda|gpu|xpu|npu|hip)(:\d+)?", value))
        case ast.Name(id=name):
            return name not in local and name.lower() in {"device", "dev", "torch_device"}
        case ast.Attribute(value=ast.Name(id=name), attr="device"):
            return name not in local
        case ast.Call(func=ast.Attribute(attr="device"), args=[inner]):
            return is_device(inner, local)
        case ast.Call(args=[]):
            return "device" in ast.unparse(node.func)
    return False


def is_cpu(node: ast.expr) -> bool:
    """Return whether an expression names the CPU: `"cpu"` or `torch.device("cpu")`."""
    return ast.unparse(node) in ("'cpu'", "torch.device('cpu')", "device('cpu')")
