"""Launchers' names instead of torch's names, in a context that redirects torch to launchers."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from curation.source.functions import dotted_name, signature
from curation.source.text import Edits
from ingest.drafting.adapters.adapter import RegisteredLauncher
from ingest.drafting.adapters.blocks import Range

PARTS = ("values", "indices")
"""Names of the parts of torch's results, in order."""
TENSOR, NUMBER = "Tensor", "Scalar"
FACTORS = {"alpha", "beta"}
PREFIXES = ("torch.nn.functional.", "torch.ops.aten.", "torch._C._nn.", "torch.special.",
            "torch.linalg.", "torch.", "F.")  # fmt: skip
OPERATORS: Mapping[type[ast.operator | ast.cmpop], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.FloorDiv: "floor_divide",
    ast.Mod: "remainder", ast.Pow: "pow", ast.BitAnd: "bitwise_and", ast.BitOr: "bitwise_or",
    ast.BitXor: "bitwise_xor", ast.LShift: "bitwise_left_shift", ast.RShift: "bitwise_right_shift",
    ast.MatMult: "matmul", ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le",
    ast.Gt: "gt", ast.GtE: "ge",
}  # fmt: skip

# Kinds of the first arguments, by overload.
KINDS: Mapping[str, tuple[str, ...]] = {
    "Tensor": (TENSOR, TENSOR),
    "Scalar": (TENSOR, NUMBER),
    "Tensor_Tensor": (TENSOR, TENSOR),
    "Tensor_Scalar": (TENSOR, NUMBER),
    "Scalar_Tensor": (NUMBER, TENSOR),
    "self": (TENSOR, TENSOR, TENSOR),
    "ScalarSelf": (TENSOR, NUMBER, TENSOR),
    "ScalarOther": (TENSOR, TENSOR, NUMBER),
    "Tensor_float": (TENSOR, NUMBER),
    "float_Tensor": (NUMBER, TENSOR),
}
# Operations whose overload takes other kinds or another order of arguments: `pow(2, tensor)`.
TURNED = {
    ("pow", "Scalar"): (NUMBER, TENSOR),
    ("repeat_interleave", "Tensor"): (TENSOR,),
    ("lerp", "Scalar"): (TENSOR, TENSOR, NUMBER),
    ("lerp", "Tensor"): (TENSOR, TENSOR, TENSOR),
}


class Launchers:
    """The launchers of a library, by the operation that each of them computes."""

    def __init__(self, launchers: Iterable[RegisteredLauncher]) -> None:
        self._by_operation: defaultdict[str, list[RegisteredLauncher]] = defaultdict(list)
        for launcher in launchers:
            self._by_operation[launcher.operation].append(launcher)

    def write(self, text: str, ranges: Sequence[Range]) -> str:
        """Return a test's text with launchers' names instead of torch's names in these lines."""
        tree = ast.parse(text)
        edits = Edits(text)
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef):
                kinds = _kinds(function)
                launched = {
                    id(node)
                    for node in ast.walk(function)
                    if isinstance(node, ast.expr) and _within(node, ranges)
                    if self._rewrite(node, kinds, edits)
                }
                _take_parts(function, launched, edits)
        return edits.text()

    def _rewrite(self, node: ast.expr, kinds: Mapping[str, str], edits: Edits) -> bool:
        """Replace a call of torch by a call of its launcher. Return whether there is a launcher."""
        found = _operation(node)
        if found is None:
            return False
        name, given, named = found
        launcher = self._choose(name, given, named, kinds)
        if launcher is None:
            return False
        arguments = [edits.of(argument) for argument in given]
        arguments += [f"{keyword.arg}={_of_keyword(keyword, kinds, edits)}" for keyword in named]
        # Keep the number of lines of a call that is written on several lines.
        missing = "\n" * edits.of(node).count("\n")
        if launcher.call:
            by_name = _by_name(launcher.arguments, given, named)
            written = launcher.call.format_map({k: _Argument(v) for k, v in by_name.items()})
            written = f"({written}{missing})" if missing else written
        else:
            missing = missing[sum(argument.count("\n") for argument in arguments) :]
            written = f"{launcher.path}({', '.join(arguments)}{missing}){launcher.result}"
        edits.put(node, written)
        return True

    def _choose(
        self,
        name: str,
        given: Sequence[ast.expr],
        named: Sequence[ast.keyword],
        kinds: Mapping[str, str],
    ) -> RegisteredLauncher | None:
        """Return the launcher that accepts such a call, or None."""
        names = [keyword.arg for keyword in named]
        fits = [
            launcher
            for launcher in self._by_operation[name]
            if _takes(launcher.arguments, len(given), names)
        ]
        values = [*given, *(keyword.value for keyword in named)]
        shown = [_kind(value, kinds) for value in values]
        best = [launcher for launcher in fits if _matches(launcher, shown)]
        # Prefer launchers for which the adapter gives a format of the call.
        best = [launcher for launcher in best if launcher.call] or best
        return min(best, key=lambda one: len(signature(one.arguments).names), default=None)


class _Argument(str):
    """An argument's source. The format `{dim:list}` makes a list of a single number."""

    def __format__(self, spec: str) -> str:
        if spec != "list":
            return str(self)
        match ast.parse(self, mode="eval").body:
            case ast.Constant(value=int()) | ast.UnaryOp(operand=ast.Constant(value=int())):
                return f"[{self}]"
            case ast.Name() | ast.Attribute() | ast.Subscript() | ast.Call():
                return f"[{self}] if isinstance({self}, int) else {self}"
        return str(self)


def _of_keyword(keyword: ast.keyword, kinds: Mapping[str, str], edits: Edits) -> str:
    """Return a keyword's value. If a factor is a tensor, torch uses the number in it."""
    value = edits.of(keyword.value)
    if keyword.arg in FACTORS and _kind(keyword.value, kinds) == TENSOR:
        return f"{value}.item()"
    return value


def _take_parts(function: ast.FunctionDef, launched: set[int], edits: Edits) -> None:
    """Replace `answer.values` by `answer[0]`, because launchers return unnamed tuples."""
    answers = {
        node.targets[0].id
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and id(node.value) in launched
        if isinstance(node.targets[0], ast.Name)
    }
    for node in ast.walk(function):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if attr in PARTS:
                if name in answers:
                    edits.put(node, f"{name}[{PARTS.index(attr)}]")


def _operation(node: ast.expr) -> tuple[str, list[ast.expr], list[ast.keyword]] | None:
    """Return the name and the arguments of an operation of torch, or None for other expressions."""
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr=attr) as func, args=given):
            if any(isinstance(argument, ast.Starred) for argument in given):
                return None
            if any(keyword.arg is None for keyword in node.keywords):
                return None
            whole = ".".join(dotted_name(func) or ())
            whole = whole.removesuffix(".default")
            for prefix in PREFIXES:
                if whole.startswith(prefix) and "." not in whole[len(prefix) :]:
                    name = whole.removeprefix(prefix)
                    name = f"linalg_{name}" if prefix == "torch.linalg." else name
                    return name, given, node.keywords
            if whole.startswith("torch."):
                return None
            return attr, [value, *given], node.keywords
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            return OPERATORS[type(op)], [left, right], []
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in OPERATORS:
            return OPERATORS[type(op)], [left, right], []
    return None


def _takes(arguments: ast.arguments, given: int, named: Sequence[str | None]) -> bool:
    takes = signature(arguments)
    filled = {*takes.positional[:given], *named}
    fits = given <= len(takes.positional) and filled.issubset(takes.names)
    return fits and filled.issuperset(takes.required)


def _by_name(
    arguments: ast.arguments, given: Sequence[ast.expr], named: Sequence[ast.keyword]
) -> dict[str, str]:
    """Return the source of each argument of a call by name, including defaults."""
    takes = signature(arguments)
    call = ast.Call(ast.Name("launcher"), list(given), list(named))
    values = {**takes.defaults, **takes.given(call)}
    return {name: ast.unparse(value) for name, value in values.items()}


def _matches(launcher: RegisteredLauncher, shown: Sequence[str]) -> bool:
    wanted = TURNED.get((launcher.operation.rstrip("_"), launcher.overload))
    wanted = wanted or KINDS.get(launcher.overload.partition("_mode")[0], ())
    return len(wanted) <= len(shown) and all(
        kind in {"", want} for kind, want in zip(shown, wanted, strict=False)
    )


def _kinds(function: ast.FunctionDef) -> dict[str, str]:
    """Return for the names in a test whether they are tensors or numbers, where it is certain."""
    # Parameters are numbers, because cases contain no tensors.
    kinds = {argument.arg: NUMBER for argument in function.args.args}
    for node in ast.walk(function):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                kinds[name] = _kind(value, kinds)
            case ast.AugAssign(target=ast.Name(id=name)):
                kinds[name] = ""
    return kinds


def _kind(node: ast.expr, kinds: Mapping[str, str]) -> str:
    match node:
        case ast.Constant(value=int() | float() | bool()) | ast.UnaryOp(operand=ast.Constant()):
            return NUMBER
        case ast.Name(id=name):
            return kinds.get(name, "")
        case ast.Compare(left=left, comparators=[right]) | ast.BinOp(left=left, right=right):
            parts = {_kind(left, kinds), _kind(right, kinds)}
            return TENSOR if TENSOR in parts else (NUMBER if parts == {NUMBER} else "")
        case ast.Call(func=func):
            name = ast.unparse(func)
            if name in {"float", "int", "bool"} or name.startswith(("random.", "np.random.")):
                return NUMBER
            if name.endswith(".item"):
                return NUMBER
            if name.startswith("torch.") or name.endswith((".to", ".clone")):
                return TENSOR
    return ""


def _within(node: ast.expr, ranges: Sequence[Range]) -> bool:
    return any(first <= node.lineno <= last for first, last in ranges)
