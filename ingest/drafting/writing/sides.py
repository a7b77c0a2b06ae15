"""Writing of a draft's three functions from a cut test: reference, candidate, `make_inputs`."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from curation.source.functions import loaded_names, stored_names
from ingest.drafting.cutting.slices import Cut
from ingest.drafting.isolating.devices import HostRemoval, is_cpu, is_device
from ingest.drafting.reading.statements import find_effects, flatten, root_name, written_names

INPUTS = "drafted__inputs"
"""Temporary name of `make_inputs`, used until the author's names are changed."""

GRAPH_METHODS = {"requires_grad_", "retain_grad"}
COPYING = {"clone", "contiguous", "to", "detach", "requires_grad_"}


def side(
    name: str,
    parameters: Sequence[str],
    statements: Sequence[ast.stmt],
    results: Sequence[ast.expr],
    bound: Mapping[str, str],
    device: str,
    docstring: str,
    head: Sequence[str] = (),
) -> str:
    """Return the source of a function from the inputs to the compared results.

    `bound`: expressions that replace names. `device`: the expression of the device.
    """
    change = _Rewrite(
        bound, frozenset(parameters).union(*map(stored_names, statements)), device, parameters
    )
    body = [change.visit(copy.deepcopy(statement)) for statement in statements]
    answers = [change.visit(copy.deepcopy(result)) for result in results]
    kept, answers = _returned_directly([each for each in body if each is not None], answers)
    returned = answers[0] if len(answers) == 1 else ast.Tuple(answers, ast.Load())
    lines = [
        f"def {name}({', '.join(parameters)}):",
        *([f'    """{docstring}"""'] if docstring else []),
        *(f"    {line}" for line in head),
        *(_indented(statement) for statement in kept),
        f"    return {ast.unparse(returned)}",
    ]
    return "\n".join(lines)


def make_inputs(
    cut: Cut,
    case: Sequence[str],
    dtypes: Mapping[str, str],
    bound: Mapping[str, str],
    marks: Sequence[str],
) -> str:
    """Return the source of the function that creates the inputs.

    `case`: the test's own parameters. `dtypes`: those of them that are torch dtypes, with their
        keys. `marks`: the lines that mark inputs for gradients.
    """
    local = frozenset(case).union({"device"}, *map(stored_names, cut.inputs))
    change = _Rewrite(bound, local, None)
    used = _used(cut)
    body: list[str] = []
    for statement in cut.inputs:
        if _sets_device(statement):
            continue
        rewritten = change.visit(copy.deepcopy(statement))
        if rewritten is not None and not _keeps_all(rewritten):
            body.append(_indented(rewritten, 2))
    names = [name for name in case if name in used]
    random = any("random." in line and "torch.random" not in line for line in body)
    lines = [
        f"def {INPUTS}(case, device):",
        '    """Return the inputs of a case: its seed decides the values."""',
        '    torch.manual_seed(case["seed"])',
        *(['    random.seed(case["seed"])'] if random else []),
        *(
            f'    {name} = getattr(torch, case["{dtypes[name]}"])'
            if name in dtypes
            else f'    {name} = case["{name}"]'
            for name in names
        ),
    ]
    certain = {*case, "device"}.union(*(find_effects(statement).binds for statement in cut.inputs))
    # If only one branch binds a name, the name is None after the other branch.
    lines += [f"    {name} = None" for name in cut.parameters if name not in certain]
    if body:
        lines += ["    with torch.device(device), torch.no_grad():", *body]
    lines += [f"    {mark}" for mark in marks]
    handed = ", ".join(cut.parameters) + ("," if len(cut.parameters) == 1 else "")
    lines.append(f"    return ({handed})")
    return "\n".join(lines)


def find_overwritten(
    statements: Sequence[ast.stmt], results: Sequence[ast.expr], parameters: Sequence[str]
) -> list[str]:
    """Return the parameters that a launcher writes to. Either its text stores to them, or the test
    compares them after the call. By torch's convention, a launcher whose name ends in an underscore
    writes to its first argument.
    """
    compared = set(map(root_name, results)) - set().union(*map(stored_names, statements))
    nodes = [inner for part in (*statements, *results) for inner in ast.walk(part)]
    launchers = {
        node.targets[0].id
        for node in nodes
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        if any(_in_place(inner) for inner in ast.walk(node.value))
    }
    written = [name for node in nodes for name in sorted(written_names(node) or ())]
    for call in (node for node in nodes if isinstance(node, ast.Call)):
        given = (*call.args, *(keyword.value for keyword in call.keywords))
        handed = [argument.id if isinstance(argument, ast.Name) else "" for argument in given]
        in_place = _in_place(call.func) or root_name(call.func) in launchers
        written += [
            name
            for place, name in enumerate(handed)
            if name in compared or (in_place and place == 0)
        ]
    return [name for name in dict.fromkeys(written) if name in parameters]


def _returned_directly(
    body: list[ast.stmt], answers: list[ast.expr]
) -> tuple[list[ast.stmt], list[ast.expr]]:
    """Return a side that returns its last value directly, without binding it to a name."""
    match body[-1:], answers:
        case [ast.Assign(targets=[ast.Name(id=name)], value=value)], [ast.Name(id=returned)]:
            return (body[:-1], [value]) if name == returned else (body, answers)
    return body, answers


def copied_value(name: str, inputs: Sequence[ast.stmt]) -> str:
    """Return the expression that copies a tensor, a list of tensors, or a value or None."""
    values = list(_assigned_values(name, inputs))
    if any(isinstance(value, ast.List | ast.ListComp) for value in values):
        return f"[tensor.clone() for tensor in {name}]"
    if any(isinstance(value, ast.Constant) and value.value is None for value in values):
        return f"None if {name} is None else {name}.clone()"
    return f"{name}.clone()"


def _assigned_values(name: str, inputs: Sequence[ast.stmt]) -> Iterator[ast.expr]:
    """Yield the values to which a name is bound, also those in branches of a condition."""
    for node in (node for statement in inputs for node in ast.walk(statement)):
        match node:
            case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
                yield from (value.body, value.orelse) if isinstance(value, ast.IfExp) else (value,)
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                for part, value in zip(targets, values, strict=False):
                    if isinstance(part, ast.Name) and part.id == name:
                        yield value


def _in_place(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and bool(re.search(r"[^_]_$", node.id))


def find_graded(statements: Sequence[ast.stmt]) -> set[str]:
    """Return the names whose gradients a test reads."""
    graded: set[str] = set()
    for statement in flatten(statements):
        for node in ast.walk(statement):
            match node:
                case ast.Attribute(value=ast.Name(id=name), attr="grad"):
                    graded.add(name)
    return graded


def _used(cut: Cut) -> set[str]:
    names = set(cut.parameters)
    for statement in cut.inputs:
        effect = find_effects(statement)
        names |= effect.uses | effect.changes | loaded_names(statement)
    return names


def _keeps_all(statement: ast.stmt) -> bool:
    """Return whether a statement binds names to their own values. A move to a device becomes such a
    statement: `q, k = map(lambda x: x, (q, k))`.
    """
    match statement:
        case ast.Assign(
            targets=[ast.Tuple(elts=targets)],
            value=ast.Call(
                func=ast.Name(id="map"),
                args=[ast.Lambda(body=ast.Name(id=result), args=arguments), ast.Tuple(elts=values)],
            ),
        ):
            names = [argument.arg for argument in arguments.args]
            same = list(map(ast.unparse, targets)) == list(map(ast.unparse, values))
            return names == [result] and same
    return False


def _sets_device(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Assign)
        and len(statement.targets) == 1
        and isinstance(statement.targets[0], ast.Name)
        and statement.targets[0].id == "device"
    )


def _indented(statement: ast.stmt, depth: int = 1) -> str:
    margin = "    " * depth
    return "\n".join(margin + line for line in ast.unparse(statement).splitlines())


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


class _Rewrite(ast.NodeTransformer):
    """Removal of gradient code. A device is replaced by the given one, or removed."""

    def __init__(
        self,
        bound: Mapping[str, str],
        local: frozenset[str],
        device: str | None,
        inputs: Sequence[str] = (),
    ) -> None:
        self._bound = bound
        self._inputs = frozenset(inputs)
        self._local = local
        self._device = device

    def _is_input(self, node: ast.expr) -> bool:
        """Return whether an expression is an input or a copy of one. Only from these is `detach()`
        removed: the author's `detach()` of an intermediate value is kept.
        """
        while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr not in COPYING:
                return False
            node = node.func.value
        return isinstance(node, ast.Name) and node.id in self._inputs

    def _is_device(self, node: ast.expr) -> bool:
        """Return whether an expression names a device. In `make_inputs`, the name `device` does,
        because the default device is already that of this argument.
        """
        if self._device is None and isinstance(node, ast.Name) and node.id == "device":
            return True
        return is_device(node, self._local)

    def _is_told_device(self, argument: ast.expr) -> bool:
        """Return whether an argument of a call is a device: a name for one, or the CPU, as tests
        for the CPU pass it to a launcher.
        """
        if isinstance(argument, ast.Name):
            return is_device(argument, self._local)
        return isinstance(argument, ast.Call) and is_cpu(argument)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self._bound and isinstance(node.ctx, ast.Load):
            return _expression(self._bound[node.id])
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        match node.value:
            case ast.Call(func=ast.Attribute(attr=attr)) if attr in GRAPH_METHODS:
                return None
        return self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST | None:
        self.generic_visit(node)
        target = node.targets[0]
        if isinstance(target, ast.Attribute) and target.attr in {"requires_grad", "grad"}:
            return None
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        node.keywords = [k for k in node.keywords if k.arg != "requires_grad"]
        for keyword in list(node.keywords):
            allocates = ast.unparse(node.func).startswith("torch.")
            named = self._is_device if allocates else partial(is_device, local=self._local)
            if keyword.arg == "device" and named(keyword.value):
                if self._device is None and not allocates:
                    # A helper of the author may require it.
                    keyword.value = ast.Name("device", ast.Load())
                elif self._device is None:
                    node.keywords.remove(keyword)
                else:
                    keyword.value = _expression(self._device)
            elif keyword.arg == "device" and allocates and is_cpu(keyword.value):
                if self._device is not None:
                    keyword.value = _expression(self._device)
                elif not any(k.arg == "generator" for k in node.keywords):
                    node.keywords.remove(keyword)
        if isinstance(node.func, ast.Name):
            device = _expression(self._device or "device")
            node.args = [
                device if self._is_told_device(argument) else argument for argument in node.args
            ]
        if not isinstance(node.func, ast.Attribute):
            return node
        value, method = node.func.value, node.func.attr
        if method in GRAPH_METHODS or (method == "detach" and self._is_input(value)):
            return value
        moves = method == "cuda" and not node.args
        if method == "to" and len(node.args) == 1 and not node.keywords:
            moves = self._is_device(node.args[0])
        if moves and self._device is None:
            return HostRemoval().visit(value)  # type: ignore[no-any-return]
        if moves:
            device = _expression(self._device or "")
            return ast.Call(ast.Attribute(value, "to", ast.Load()), [device], [])
        return node
