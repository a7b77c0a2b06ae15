"""Names of the operations of a PyTorch function or module, in the order of their evaluation.

Variables, operands and constants do not matter, and `x.sum(-1)` equals `torch.sum(x, dim=-1)`.
Functions, methods and modules of the text are read at each call. Copies, casts to float32, and
properties of shapes are left out.
"""

from __future__ import annotations

import ast
import builtins
import hashlib
import re
from collections.abc import Iterable, Sequence

from curation.similarity.operation_names import (
    ALIASES,
    CASTS,
    COPIES,
    FLOATS,
    MODULES,
    OPERATORS,
    SHAPES,
    VIEWS,
)

VERSION = "2"
DEEPEST = 12
"""Maximum depth of nested calls to functions of the text."""
MOST = 5_000
"""Maximum number of operations. References have far fewer, but a generated text may have more."""

TWO = ast.dump(ast.Constant(2))

Definition = ast.FunctionDef | ast.ClassDef


class UnknownOperations(Exception):
    """An error because operations can't be known before the text runs, or are too many."""


def operation_chain(text: str, entry_point: str) -> tuple[str, ...]:
    """Return the names of operations that compute values, or of all operations if none does so.

    The result is empty if the entry point is missing, or if its operations can't be known.
    """
    try:
        reader = _Reader(ast.parse(text))
        reader.call(reader.definitions[entry_point])
    except (SyntaxError, ValueError, KeyError, RecursionError, MemoryError, UnknownOperations):
        return ()
    return tuple(name for name in reader.names if name not in VIEWS) or tuple(reader.names)


def chain_hash(chain: Sequence[str]) -> str:
    """Return a hash of the chain, or "" if the chain is empty."""
    data = "\0".join((f"chain {VERSION}", *chain))
    return hashlib.sha256(data.encode("utf-8", "surrogatepass")).hexdigest() if chain else ""


class _Reader:
    def __init__(self, module: ast.Module) -> None:
        self.names: list[str] = []
        self.definitions = {node.name: node for node in module.body if isinstance(node, Definition)}
        # All imported names, because in `F.relu` the name `F` is a module and no computed value.
        self._imported = {
            (alias.asname or alias.name).partition(".")[0]
            for node in ast.walk(module)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        }
        self._depth = 0
        # Methods and layers of the class that is currently read.
        self._methods: dict[str, ast.FunctionDef] = {}
        self._layers: dict[str, ast.expr] = {}

    def call(self, definition: Definition) -> None:
        """Read the body of a function, or `forward` of a class."""
        self._depth += 1
        if self._depth > DEEPEST or len(self.names) > MOST:
            raise UnknownOperations
        if isinstance(definition, ast.ClassDef):
            before = self._methods, self._layers
            self._methods = {
                node.name: node for node in definition.body if isinstance(node, ast.FunctionDef)
            }
            self._layers = dict(_layers(self._methods.get("__init__")))
            # Other classes, such as contexts, compute nothing.
            if "forward" in self._methods:
                self.call(self._methods["forward"])
            self._methods, self._layers = before
        else:
            self._read_each(definition.body)
        self._depth -= 1

    def _read_each(self, nodes: Iterable[ast.AST | None]) -> None:
        for node in nodes:
            if node is not None:
                self._read(node)

    def _read(self, node: ast.AST) -> None:
        match node:
            case ast.FunctionDef():
                self.definitions[node.name] = node
            case (
                ast.Constant()
                | ast.Assert()
                | ast.Raise()
                | ast.Lambda()
                | ast.AnnAssign(value=None)
            ):
                return
            case ast.Call():
                self._read_call(node)
            case ast.Assign():
                self._read_each([node.value, *node.targets])
            case ast.AnnAssign():
                self._read_each([node.value])
            case ast.Subscript():
                self._read_each([node.value, node.slice])
                self._read_subscript(node)
            case ast.Attribute(value=ast.Name(id="self"), attr=name) if self._methods:
                # Layers in a list are called by another name or in a loop, so they are unknown.
                if re.search(r"\bModule(List|Dict)\b", ast.unparse(self._layers.get(name, node))):
                    raise UnknownOperations
            case ast.Attribute():
                if not self._is_path(node):
                    self._read(node.value)
                    if node.attr not in SHAPES:
                        self._add(node.attr)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
                return
            case ast.Compare():
                self._read_each([node.left, *node.comparators])
                self._add("_".join(OPERATORS[type(operator)] for operator in node.ops))
            case ast.BinOp(op=ast.Pow(), left=base, right=ast.Constant(value=2)):
                self._read(base)
                self._add("square")
            case ast.BinOp(op=ast.Mult()) if ast.dump(node.left) == ast.dump(node.right):
                self._read(node.left)
                self._add("square")
            case ast.AugAssign() | ast.BinOp() | ast.UnaryOp() | ast.BoolOp():
                self._read_each(ast.iter_child_nodes(node))
                self._add(OPERATORS[type(node.op)])
            case ast.comprehension():
                self._read_each([node.iter, *node.ifs])
            case ast.ListComp() | ast.GeneratorExp():
                self._read_each([*node.generators, node.elt])
            case _:
                self._read_each(ast.iter_child_nodes(node))

    def _read_subscript(self, node: ast.Subscript) -> None:
        if isinstance(node.value, ast.Attribute) and node.value.attr in SHAPES:
            return
        if isinstance(node.ctx, ast.Store):
            self._add("store")
        else:
            named = any(isinstance(part, ast.Name) for part in ast.walk(node.slice))
            self._add("index" if named else "view_index")

    def _read_call(self, node: ast.Call) -> None:
        arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
        match node.func:
            case ast.Name(id=name):
                self._read_each(arguments)
                if name in self.definitions:
                    self.call(self.definitions[name])
                elif name in self._imported:
                    self._add(name)
                elif not hasattr(builtins, name):
                    raise UnknownOperations
            case ast.Attribute(value=ast.Name(id="self"), attr=name) if self._methods:
                self._read_each(arguments)
                if name in self._methods:
                    self.call(self._methods[name])
                elif name in self._layers:
                    self._apply(self._layers[name])
                else:
                    raise UnknownOperations
            case ast.Attribute(attr=name) if self._is_path(node.func):
                self._read_each(arguments)
                if not ast.unparse(node.func).startswith("math."):
                    self._add(name)
            case ast.Attribute(value=owner, attr=name):
                self._read_each([owner, *arguments])
                squares = name == "pow" and [ast.dump(each) for each in arguments] == [TWO]
                self._add_method("square" if squares else name, arguments)
            case _:
                self._read_each([node.func, *arguments])

    def _apply(self, layer: ast.expr) -> None:
        """Read the layer that an expression such as `nn.Linear(4, 2)` creates."""
        if not isinstance(layer, ast.Call):
            raise UnknownOperations
        name = ast.unparse(layer.func).rpartition(".")[2]
        if name in self.definitions:
            self.call(self.definitions[name])
        elif name == "Sequential":
            for part in layer.args:
                self._apply(part)
        else:
            self._add(MODULES.get(name, name.lower()))

    def _add_method(self, name: str, arguments: Sequence[ast.expr]) -> None:
        """Add the operation of a method call on a computed value."""
        if name in COPIES or name in SHAPES or name == "size":
            return
        if name in CASTS:
            self._add(CASTS[name])
        elif name in {"to", "type", "type_as"}:
            kinds = [ast.unparse(each) for each in arguments]
            kinds = [each.removeprefix("torch.") for each in kinds if each.startswith("torch.")]
            self._add(next((f"cast_{each}" for each in kinds if each not in FLOATS), ""))
        else:
            self._add(name)

    def _add(self, name: str) -> None:
        if name:
            name = name if name.startswith("_") else name.rstrip("_")
            self.names.append(ALIASES.get(name, name))

    def _is_path(self, node: ast.expr) -> bool:
        """Return True for a name of another module, such as `torch.nn.functional`."""
        while isinstance(node, ast.Attribute):
            node = node.value
        return isinstance(node, ast.Name) and node.id in self._imported


def _layers(constructor: ast.FunctionDef | None) -> Iterable[tuple[str, ast.expr]]:
    """Return each layer that a constructor stores, with the name of its attribute."""
    for node in ast.walk(constructor) if constructor else ():
        match node:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)]):
                yield name, node.value
