"""The forward pass of a small module of a draft, written as functions of its attributes.

The constructor is followed with the arguments of its one call. Each attribute that the forward pass
reads becomes a parameter, or a written constant.
"""

from __future__ import annotations

import ast
import builtins
import copy
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from curation.source.functions import is_docstring, signature
from curation.source.text import Edits, parse, walk
from ingest.drafting.module_attributes import BASES, Construction, UnknownModule, find_attributes
from ingest.drafting.naming import to_snake_case

# Words of a class's name that tell of a side.
OF_A_SIDE = re.compile(r"(^|_)(ref|reference|torch|liger|triton|naive)(?=_|$)")


def write_class(
    text: str, tree: ast.Module, made: Construction, call: ast.Call, given: Sequence[ast.expr]
) -> Edits | None:
    """Return edits of the text that write a class as functions and `call` as a call of these, or
    None. `given`: the arguments of the forward pass.
    """
    owner = _find_class(tree, ast.unparse(made.call.func))
    if owner is None or not _is_used_once(tree, owner):
        return None
    methods = {each.name: each for each in owner.body if isinstance(each, ast.FunctionDef)}
    if "forward" not in methods:
        return None
    try:
        values = find_attributes(owner, methods.get("__init__"), made)
        functions = _Functions(text, owner, methods, values)
        written = functions.write(tree)
        parameters = functions.parameters("forward")
        arguments = _arguments(methods["forward"], call, given)
    except UnknownModule:
        return None
    if owner.decorator_list or any(_constructs(values[name]) for name in parameters):
        return None
    edits = Edits(text)
    handed = [*arguments, *(f"{name}={ast.unparse(values[name])}" for name in parameters)]
    answer = _only_answer(methods["forward"])
    if answer is not None and len(written) == 1:
        names = [each.arg for each in methods["forward"].args.args[1:]]
        inside = {
            name: ast.parse(v, mode="eval").body for name, v in zip(names, arguments, strict=True)
        }
        edits.replace(edits.start(owner), edits.end(owner), "")
        edits.put(call, ast.unparse(_Inside(inside, values).visit(copy.deepcopy(answer))))
        return edits
    edits.replace(edits.start(owner), edits.end(owner), "\n\n\n".join(written))
    edits.put(call, f"{functions.name_of('forward')}({', '.join(handed)})")
    return edits


def _constructs(value: ast.expr) -> bool:
    """Return whether an expression seems to construct an `nn.Module`: it calls a capital name."""
    return any(
        isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2][:1].isupper()
        for node in walk(value)
    )


def _only_answer(forward: ast.FunctionDef) -> ast.expr | None:
    """Return the expression of a forward pass that only returns one and reads each parameter at
    most once.
    """
    body = [each for each in forward.body if not is_docstring(each)]
    match body:
        case [ast.Return(value=ast.expr() as value)]:
            names = [n.id for n in walk(value) if isinstance(n, ast.Name) and n.id != "self"]
            inner = any(isinstance(n, ast.Lambda | ast.comprehension) for n in walk(value))
            own = [n for n in names if n in {each.arg for each in forward.args.args}]
            return value if len(own) == len(set(own)) and not inner else None
    return None


class _Inside(ast.NodeTransformer):
    """Replacement of parameters and attributes in an expression by their values."""

    def __init__(
        self, parameters: Mapping[str, ast.expr], attributes: Mapping[str, ast.expr]
    ) -> None:
        self._parameters, self._attributes = parameters, attributes

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return copy.deepcopy(self._parameters.get(node.id, node))

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if isinstance(node.value, ast.Name) and node.value.id == "self":
            return copy.deepcopy(self._attributes[node.attr])
        return self.generic_visit(node)


def _find_class(tree: ast.Module, name: str) -> ast.ClassDef | None:
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == name and len(node.bases) == 1:
            place, _, base = ast.unparse(node.bases[0]).rpartition(".")
            if base in BASES and place in {"nn", "torch.nn", ""}:
                return node
    return None


def _is_used_once(tree: ast.Module, owner: ast.ClassDef) -> bool:
    inside = {id(node) for node in walk(owner)}
    names = [n for n in walk(tree) if isinstance(n, ast.Name) and n.id == owner.name]
    return len([name for name in names if id(name) not in inside]) == 1


@dataclass
class _Functions:
    """The functions that the methods of a class become."""

    text: str
    owner: ast.ClassDef
    methods: Mapping[str, ast.FunctionDef]
    values: Mapping[str, ast.expr]

    def name_of(self, method: str) -> str:
        """Return the name of a method's function. It does not tell of a side if one is free."""
        plain = method.strip("_")
        whole = to_snake_case(self.owner.name)
        names = [f"{OF_A_SIDE.sub('', whole).strip('_')}_{plain}", f"{whole}_{plain}"]
        if method != "forward" and not hasattr(builtins, plain):
            names.insert(0, plain)
        return next((name for name in names if name not in self._words), names[-1])

    @property
    def _words(self) -> set[str]:
        """Return the names that the text uses outside of attributes."""
        nodes = list(walk(parse(self.text)))
        words = {node.id for node in nodes if isinstance(node, ast.Name)}
        words |= {node.arg for node in nodes if isinstance(node, ast.arg)}
        return words | {
            node.name
            for node in parse(self.text).body
            if isinstance(node, ast.FunctionDef | ast.ClassDef)
        }

    def parameters(self, method: str) -> list[str]:
        """Return the attributes that a method takes, those of the methods that it calls included.
        A constant is written into the method.
        """
        names = dict.fromkeys(
            name for used in self._used(method) for name in self._read(self.methods[used])
        )
        return [name for name in names if not self._is_written(name)]

    def _is_written(self, name: str) -> bool:
        value = self.values.get(name)
        if value is None:
            raise UnknownModule
        if name in self._formatted:
            return False
        return isinstance(value, ast.Constant) and isinstance(value.value, bool | str | None)

    @property
    def _formatted(self) -> set[str]:
        """Return the attributes in texts with values in braces, whose places are not known."""
        texts = [n for m in self.methods.values() for n in walk(m) if isinstance(n, ast.JoinedStr)]
        return {node.attr for node in inside_attributes(texts)}

    def _used(self, method: str, above: tuple[str, ...] = ()) -> Iterator[str]:
        if method in above:
            raise UnknownModule
        yield method
        for node in walk(self.methods[method]):
            if isinstance(node, ast.Attribute) and self._is_own(node) and node.attr in self.methods:
                yield from self._used(node.attr, (*above, method))

    def _is_own(self, node: ast.Attribute) -> bool:
        return isinstance(node.value, ast.Name) and node.value.id in {"self", self.owner.name}

    def _read(self, method: ast.FunctionDef) -> list[str]:
        names: list[str] = []
        owners = 0
        for node in walk(method):
            if isinstance(node, ast.Attribute) and self._is_own(node):
                owners += 1
                if not isinstance(node.ctx, ast.Load):
                    raise UnknownModule
                if node.attr not in self.methods:
                    names.append(node.attr)
        selves = [n for n in walk(method) if isinstance(n, ast.Name) and n.id == "self"]
        if len(selves) > owners:
            raise UnknownModule
        return names

    def write(self, tree: ast.Module) -> list[str]:
        """Return the sources of the functions, each before those that call it."""
        order = list(dict.fromkeys(reversed(list(self._used("forward")))))
        taken = {n.name for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)}
        if taken & {self.name_of(each) for each in order}:
            raise UnknownModule
        return [self._written(self.methods[each]) for each in order]

    def _written(self, method: ast.FunctionDef) -> str:
        static = any(ast.unparse(each) == "staticmethod" for each in method.decorator_list)
        if method.decorator_list and not static:
            raise UnknownModule
        a = method.args
        if a.vararg or a.kwarg or a.posonlyargs or a.kwonlyargs:
            raise UnknownModule
        own = a.args if static else a.args[1:]
        taken = self.parameters(method.name)
        bound = {n.id for n in walk(method) if isinstance(n, ast.Name)} | {x.arg for x in own}
        if bound & set(taken):
            raise UnknownModule
        edits = Edits(self.text)
        formatted = [node for node in walk(method) if isinstance(node, ast.JoinedStr)]
        inside = {id(inner) for each in formatted for inner in walk(each)}
        if any(self._is_own(n) for n in inside_attributes(formatted)):
            for each in formatted:
                edits.put(each, edits.of(each).replace("{self.", "{"))
        for node in walk(method):
            if not isinstance(node, ast.Attribute) or not self._is_own(node) or id(node) in inside:
                continue
            if node.attr not in self.methods:
                value = self.values[node.attr]
                written = ast.unparse(value) if self._is_written(node.attr) else node.attr
                edits.put(node, written)
        for node in walk(method):
            match node:
                case ast.Call(func=ast.Attribute(attr=attr) as func) if (
                    self._is_own(func) and attr in self.methods
                ):
                    edits.put(func, self.name_of(attr))
                    last = max((edits.end(n) for n in (*node.args, *node.keywords)), default=0)
                    more = ", ".join(f"{each}={each}" for each in self.parameters(attr))
                    if more:
                        place = last or edits.end(node) - 1
                        edits.replace(place, place, f", {more}" if last else more)
        start, end = edits.start(method.body[0]), edits.end(method.body[-1])
        changed = edits.text().encode()
        end += len(changed) - len(self.text.encode())
        body = changed[start:end].decode()
        heading = f"def {self.name_of(method.name)}({', '.join([*(x.arg for x in own), *taken])}):"
        margin = " " * (method.body[0].col_offset - 4)
        lines = [line.removeprefix(margin) for line in body.split("\n")]
        return "\n".join([heading, f"    {lines[0]}", *lines[1:]])


def inside_attributes(nodes: Sequence[ast.JoinedStr]) -> Iterator[ast.Attribute]:
    for each in nodes:
        for node in walk(each):
            if isinstance(node, ast.Attribute):
                yield node


def _arguments(forward: ast.FunctionDef, call: ast.Call, given: Sequence[ast.expr]) -> list[str]:
    """Return the arguments of the forward pass, by place."""
    keywords = [] if isinstance(call.func, ast.Attribute) else call.keywords
    takes = signature(forward.args).without_first()
    values = takes.bind(ast.Call(call.func, list(given), keywords))
    if values is None:
        raise UnknownModule
    return [ast.unparse(value) for value in values.values()]
