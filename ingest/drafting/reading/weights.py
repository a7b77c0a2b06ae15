"""Conversion of modules that share weights into functions of these weights.

`a.weight.data.copy_(b.weight)` means that both modules use the same values. The weight becomes an
input, which is read from the reference's module. Each side then calls its own module with it.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ingest.drafting.reading.statements import flatten

IsModule = Callable[[ast.expr], "str | None"]
"""Function that returns the kind of module that a call constructs: `kernel` if it launches, `local`
for another module of the repository, or `torch`. It returns None for other expressions.
"""


@dataclass(slots=True)
class _Module:
    construction: ast.Assign
    launches: bool
    of_torch: bool
    weights: dict[str, str] = field(default_factory=dict)
    """Name of the input for each shared parameter of the module, by the parameter's path."""
    optional: bool = False


def share_weights(function: ast.FunctionDef, kind: IsModule) -> tuple[ast.FunctionDef, set[str]]:
    """Return the test with shared weights as variables, and the names of these variables."""
    body = flatten(copy.deepcopy(function.body))
    modules = _modules(body, kind)
    links = _Links(modules)
    body = [kept for statement in body if isinstance(kept := links.visit(statement), ast.stmt)]
    if not links.names:
        return function, set()
    calls = _Calls(modules)
    # Read the weights after the last copy, because the modules are initialized before it.
    reading = [
        _assign(name, ast.Attribute(ast.Name(owner, ast.Load()), path, ast.Load()))
        for name, (owner, path) in links.names.items()
    ]
    fresh = [
        ast.Assign([ast.Name(f"{name}_module", ast.Store())], copy.deepcopy(m.construction.value),
                   lineno=m.construction.lineno)
        for name, m in modules.items() if m.weights and not m.launches
    ]  # fmt: skip
    place = min(links.last, len(body))
    written = [*body[:place], *reading, *fresh, *(calls.visit(one) for one in body[place:])]
    made = ast.FunctionDef(**{**vars(function), "body": written})
    return ast.fix_missing_locations(made), set(links.names)


def _modules(body: Sequence[ast.stmt], kind: IsModule) -> dict[str, _Module]:
    modules: dict[str, _Module] = {}
    for statement in body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as value):
                what = kind(innermost_call(value))
                if what is not None:
                    modules[name] = _Module(statement, what == "kernel", what == "torch")
    return modules


def innermost_call(call: ast.Call) -> ast.expr:
    """Return `C(…)` for `C(…).to(device).eval()`."""
    node: ast.expr = call
    while (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Call)
    ):
        node = node.func.value
    return node


class _Links(ast.NodeTransformer):
    """Removal of the statements that copy weights. It records which weights they copied."""

    def __init__(self, modules: dict[str, _Module]) -> None:
        self._modules = modules
        self.names: dict[str, tuple[str, str]] = {}
        self.last = 0
        self._seen = 0
        self._depth = 0

    def visit(self, node: ast.AST) -> ast.AST | None:
        outermost = isinstance(node, ast.stmt) and self._depth == 0
        self._depth += isinstance(node, ast.stmt)
        before = len(self.names)
        kept: ast.AST | None = super().visit(node)
        self._depth -= isinstance(node, ast.stmt)
        if isinstance(kept, ast.If | ast.For | ast.With) and not kept.body:
            kept = None
        if outermost:
            self._seen += kept is not None
            if len(self.names) > before:
                self.last = self._seen
        return kept

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        match node.value:
            case ast.Call(func=ast.Attribute(value=to, attr="copy_"), args=[source, *_]):
                if self._link(to, source):
                    return None
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST | None:
        target = node.targets[0]
        if isinstance(target, ast.Attribute) and self._link(target, node.value):
            return None
        return node

    def _link(self, to: ast.expr, source: ast.expr) -> bool:
        first, second = self._weight(to), self._weight(source)
        if first is None or second is None or first[0] == second[0]:
            return False
        kernel_weight, torch_weight = (
            (first, second) if self._modules[first[0]].launches else (second, first)
        )
        if self._modules[torch_weight[0]].launches or not self._modules[kernel_weight[0]].launches:
            return False
        name = f"{torch_weight[0]}_{torch_weight[1]}".replace(".", "_")
        self.names[name] = torch_weight
        for owner, path in (kernel_weight, torch_weight):
            module = self._modules[owner]
            module.weights[path] = name
            module.optional |= self._depth > 1
        return True

    def _weight(self, node: ast.expr) -> tuple[str, str] | None:
        """Return the module and the path in `m.a.weight`. `.data`, `.clone()` and `nn.Parameter(…)`
        are ignored.
        """
        while True:
            match node:
                case ast.Call(func=ast.Attribute(value=value, attr="clone" | "detach" | "to")):
                    node = value
                case ast.Call(func=func, args=[value, *_]) if ast.unparse(func).endswith(
                    "Parameter"
                ):
                    node = value
                case ast.Attribute(value=value, attr="data"):
                    node = value
                case _:
                    break
        path: list[str] = []
        while isinstance(node, ast.Attribute):
            path.append(node.attr)
            node = node.value
        if isinstance(node, ast.Name) and node.id in self._modules and path:
            return node.id, ".".join(reversed(path))
        return None


class _Calls(ast.NodeTransformer):
    """Replacement of `m(x)` by a call that also passes the weights that are inputs."""

    def __init__(self, modules: dict[str, _Module]) -> None:
        self._modules = modules

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.func, ast.Name):
            return node
        module = self._modules.get(node.func.id)
        if module is None or not module.weights:
            return node
        plain = None if module.launches else functional_form(module, node)
        if plain is not None:
            return ast.copy_location(plain, node)
        name = node.func.id if module.launches else f"{node.func.id}_module"
        weights = ", ".join(f"{path!r}: {tensor}" for path, tensor in module.weights.items())
        state = "{" + weights + "}"
        if module.optional:
            state = f"{{k: w for k, w in {state}.items() if w is not None}}"
        given = ", ".join(ast.unparse(argument) for argument in node.args)
        named = ", ".join(f"{k.arg!r}: {ast.unparse(k.value)}" for k in node.keywords if k.arg)
        options = f", {{{named}}}" if named else ""
        arguments = f"({given}{',' if len(node.args) == 1 else ''})"
        text = f"torch.func.functional_call({name}, {state}, {arguments}{options})"
        return ast.copy_location(ast.parse(text, mode="eval").body, node)


# The function for a torch module: its name, the arguments before the weights, and those after them.
# A number is the index of a constructor's argument, followed by its name and its default.
Option = tuple[int, str, str]
FUNCTIONS: dict[str, tuple[str, tuple[Option, ...], tuple[Option, ...]]] = {
    "LayerNorm": ("layer_norm", ((0, "normalized_shape", ""),), ((1, "eps", "1e-05"),)),
    "RMSNorm": ("rms_norm", ((0, "normalized_shape", ""),), ((1, "eps", "None"),)),
    "GroupNorm": ("group_norm", ((0, "num_groups", ""),), ((2, "eps", "1e-05"),)),
    "Linear": ("linear", (), ()),
    "Embedding": ("embedding", (), ((2, "padding_idx", "None"),)),
}


def functional_form(module: _Module, call: ast.Call) -> ast.expr | None:
    """Return `F.layer_norm(x, …)` for a call of a torch module with shared weights. Return None for
    other modules.
    """
    construction = innermost_call(module.construction.value)  # type: ignore[arg-type]
    if not isinstance(construction, ast.Call) or len(call.args) != 1:
        return None
    kind = ast.unparse(construction.func)
    known = FUNCTIONS.get(kind.rpartition(".")[2])
    if known is None or not module.of_torch:
        return None
    name, before, behind = known
    first = [_option(construction, *option) for option in before]
    last = [_option(construction, *option) for option in behind]
    if name in {"layer_norm", "rms_norm"} and not first[0].startswith("("):
        first = [f"({first[0]},)"] if re.fullmatch(r"[\w.]+(\[-?\d+\])?", first[0]) else first
    weights = [module.weights.get("weight", "None")]
    if name in {"layer_norm", "group_norm", "linear"}:
        weights.append(module.weights.get("bias", "None"))
    if "weight" not in module.weights or "" in first:
        return None
    if (
        name == "linear"
        and "bias" not in module.weights
        and "bias=False" not in ast.unparse(construction)
    ):
        # Its bias is random, while the bias of a normalization is zero.
        return None
    arguments = [ast.unparse(call.args[0]), *first, *weights, *last]
    if name == "embedding":
        arguments = [part for part in arguments if part != "None"]
    text = f"torch.nn.functional.{name}({', '.join(arguments)})"
    return ast.parse(text, mode="eval").body


def _option(call: ast.Call, place: int, name: str, default: str) -> str:
    for keyword in call.keywords:
        if keyword.arg == name:
            return ast.unparse(keyword.value)
    return ast.unparse(call.args[place]) if place < len(call.args) else default


def _assign(name: str, value: ast.expr) -> ast.Assign:
    return ast.Assign([ast.Name(name, ast.Store())], value, lineno=1)
