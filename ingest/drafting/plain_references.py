"""Simplification of a reference: what only the author's test needed goes."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Sequence

from curation.source.functions import is_docstring
from curation.source.text import Edits, parse, rewrite, walk
from ingest.drafting.new_tensors import without_writing

ROUNDS = 40

Rule = Callable[[ast.FunctionDef, Edits, str], bool]

# Functions that compute in at least single precision and round once. Their answer for 16 bits is
# that of a wider type, up to its last digit. `pow` rounds a number that is its base first.
ROUNDING_ONCE = {
    "abs", "add", "addcdiv", "addcmul", "amax", "amin", "argmax", "argmin", "asin", "acos",
    "atan", "celu", "clamp", "cos", "cosh", "div", "elu", "erf", "exp", "exp2", "expm1",
    "fmax", "fmin", "gelu", "glu", "hardtanh", "leaky_relu", "lerp", "log", "log10", "log1p",
    "log2", "log_softmax", "logaddexp", "logsigmoid", "max", "maximum", "min", "minimum",
    "mish", "mul", "neg", "reciprocal", "relu", "relu6", "rsqrt", "selu", "sigmoid",
    "sign", "silu", "sin", "sinh", "softmax", "softplus", "sort", "sqrt", "square", "sub",
    "sum", "tan", "tanh", "threshold", "topk", "true_divide", "outer", "sigmoid_backward",
    "silu_backward", "tanh_backward",
    "threshold_backward", "gelu_backward", "elu_backward", "where", "layer_norm",
    "batch_norm", "instance_norm",
    "group_norm", "rms_norm", "max_pool2d", "max_pool2d_with_indices", "upsample_nearest2d",
    "addmm", "addmv", "addr", "baddbmm", "bmm", "conv1d", "conv2d", "conv3d", "dot", "linear",
    "matmul", "mean", "mm", "mv", "vdot", "cross_entropy", "nll_loss", "mse_loss",
}  # fmt: skip
# Functions whose answer is always boolean.
BOOLEAN = {
    "logical_and", "logical_not", "logical_or", "logical_xor", "eq", "ne", "lt", "le", "gt",
    "ge", "isnan", "isinf", "isfinite", "isclose", "isin", "equal", "isneginf", "isposinf",
    "signbit",
}  # fmt: skip
# Functions whose answer is always of 64-bit whole numbers.
PLACES = {"argmax", "argmin", "argsort"}
# These answer with bytes for bytes.
BOOLEAN_BUT_BYTES = frozenset({"any", "all"})


def simplify_reference(text: str, name: str, test: str) -> str:
    """Return the reference with plainer statements in its function `name`. `test` is the text of
    the pair's test.
    """
    return rewrite(text, lambda text: _changed(text, name, test), ROUNDS)


def return_directly(text: str, name: str) -> str:
    """Return the module whose function `name` returns its last value without a name of its own."""
    return rewrite(text, lambda text: _changed(text, name, "", (_returned,)), ROUNDS)


def _changed(text: str, name: str, test: str, rules: Sequence[Rule] | None = None) -> str | None:
    for function in parse(text).body:
        if isinstance(function, ast.FunctionDef) and function.name == name:
            edits = Edits(text)
            for rule in rules or (
                without_writing, _without_upcasts, _without_conversions, _returned,
                _with_wide_arguments, _with_equal_branches,
            ):  # fmt: skip
                if rule(function, edits, test):
                    return edits.text()
    return None


def _loads(function: ast.FunctionDef) -> Counter[str]:
    return Counter(
        node.id
        for node in walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    )


def _stores(function: ast.FunctionDef) -> Counter[str]:
    return Counter(
        node.id
        for node in walk(function)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    )


def _upcast(statement: ast.stmt, parameters: Sequence[str]) -> tuple[str, str] | None:
    """Return the names of `wide = x.double()`."""
    match statement:
        case ast.Assign(
            targets=[ast.Name(id=wide)],
            value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="double"), args=[]),
        ) if name in parameters and wide not in parameters:
            return wide, name
        case ast.Assign(
            targets=[ast.Name(id=wide)],
            value=ast.IfExp(
                test=ast.Compare(left=ast.Name(id=name)),
                body=ast.Constant(value=None),
                orelse=ast.Call(func=ast.Attribute(value=ast.Name(id=other), attr="double")),
            ),
        ) if name == other and name in parameters and wide not in parameters:
            return wide, name
    return None


def _without_upcasts(function: ast.FunctionDef, edits: Edits, test: str) -> bool:
    """Compute in the type of the inputs where the answer is the same up to its last digit:
    `torch.exp(x.double()).to(x.dtype)` is `torch.exp(x)`.
    """
    parameters = [each.arg for each in function.args.args]
    body = [each for each in function.body if not is_docstring(each)]
    widened = [_upcast(each, parameters) for each in body]
    names = dict(pair for pair in widened if pair is not None)
    last = body[-1]
    if len(names) != len(body) - 1 or not isinstance(last, ast.Return):
        return False
    match last.value:
        case ast.Call(
            func=ast.Attribute(value=ast.Call(func=func) as call, attr="to"),
            args=[ast.Attribute(value=ast.Name(id=like), attr="dtype")],
        ) if like in parameters:
            pass
        case _:
            return False
    called = ast.unparse(func)
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    match func:
        case ast.Attribute(value=ast.Call(func=ast.Attribute(attr="double")) as owner, attr=method):
            # `x.double().add(y)`
            given.insert(0, owner)
            called = f"torch.{method}"
    inner = [node for each in given for node in walk(each)]
    wide = [node for node in inner if isinstance(node, ast.Attribute) and node.attr == "double"]
    direct = [each.value.id for each in wide if isinstance(each.value, ast.Name)]
    calls = [node for node in inner if isinstance(node, ast.Call)]
    if not called.startswith(("torch.", "F.")) or called.rpartition(".")[2] not in ROUNDING_ONCE:
        return False
    if "rounding_mode" in {keyword.arg for keyword in call.keywords}:
        return False
    tensors = [*names.values(), *direct]
    plain = [each for each in given if isinstance(each, ast.Name)]
    optional = [each for each in given if _optional_upcast(each)]
    if not tensors or len(direct) != len(wide) or like not in tensors:
        return False
    if any(each.func not in wide for each in calls):
        return False
    if not all(_has_case_type(each, test) for each in tensors):
        return False
    # An input that the test widens is left wide, so the others must be wide too.
    if any(each.id not in names and _is_widened(each.id, test) for each in plain):
        return False
    for argument in plain:
        if argument.id in names:
            edits.put(argument, names[argument.id])
    for each in optional:
        edits.put(each, _optional_upcast(each))
    for each in calls:
        if isinstance(each.func, ast.Attribute):
            edits.put(each, edits.of(each.func.value))
    for statement in body[:-1]:
        edits.drop(statement, alone=False)
    edits.replace(edits.end(call), edits.end(last.value), "")
    return True


def _optional_upcast(node: ast.expr) -> str:
    """Return `b` for `None if b is None else b.double()`, and "" for other code."""
    match node:
        case ast.IfExp(
            test=ast.Compare(left=ast.Name(id=name), ops=[ast.Is()]),
            body=ast.Constant(value=None),
            orelse=ast.Call(func=ast.Attribute(value=ast.Name(id=other), attr="double")),
        ) if name == other:
            return name
    return ""


def _has_case_type(name: str, test: str) -> bool:
    """Return whether an input has the floating type that each case names."""
    types = set(re.findall(r"[\"']dtype[\"']: [\"'](\w+)[\"']", test))
    made = re.findall(rf"^ +{re.escape(name)} = (.*)$", test, re.M)
    if not types or not all("float" in each for each in types) or not made:
        return False
    like = re.match(r"torch\.\w+_like\((\w+)\)$", made[0])
    if like is not None:
        return len(made) == 1 and like[1] != name and _has_case_type(like[1], test)
    allocated = re.compile(r"(-?\d\S* [*+/-] )?torch\.\w+\(.*dtype=dtype\b")
    kept = re.compile(
        rf"((torch\.(neg|abs)\()?|torch\.(where|cat)\(.*){re.escape(name)}\b(?!.*\b(to|float|conj)\()"
    )
    typed = [each for each in made if each != "None"]
    return bool(
        typed
        and allocated.match(typed[0])
        and all(allocated.match(each) or kept.match(each) for each in typed[1:])
    )


def _is_widened(name: str, test: str) -> bool:
    return bool(re.search(rf"^ +{re.escape(name)} = .*\.double\(\)", test, re.M))


def _without_conversions(function: ast.FunctionDef, edits: Edits, test: str) -> bool:
    """Drop `.to(torch.bool)` of what is boolean, and `x if x is not None else None`."""
    for node in walk(function):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Call(func=func) as inner, attr="to"),
                args=[ast.Attribute(value=ast.Name(id="torch"), attr="bool")],
                keywords=[],
            ):
                called = ast.unparse(func)
                last = called.rpartition(".")[2]
                if not called.startswith("torch."):
                    continue
                if last in BOOLEAN or (last in BOOLEAN_BUT_BYTES and "uint8" not in test):
                    edits.put(node, edits.of(inner))
                    return True
            case ast.ListComp(
                elt=ast.Name(id=each),
                generators=[ast.comprehension(target=ast.Name(id=name), iter=of, ifs=[])],
            ) if each == name and isinstance(of, ast.Name):
                edits.put(node, of.id)
                return True
            case ast.Call(
                func=ast.Attribute(value=ast.Call(func=func) as inner, attr="to"),
                args=[ast.Attribute(value=ast.Name(id="torch"), attr="int64" | "long")],
                keywords=[],
            ) if ast.unparse(func) in {f"torch.{each}" for each in PLACES}:
                edits.put(node, edits.of(inner))
                return True
            case ast.IfExp(
                test=ast.Compare(
                    left=ast.Name(id=name),
                    ops=[ast.IsNot()],
                    comparators=[ast.Constant(value=None)],
                ),
                body=ast.Name(id=kept) as body,
                orelse=ast.Constant(value=None),
            ) if name == kept:
                edits.put(node, edits.of(body))
                return True
            case ast.Call(
                func=ast.Attribute(
                    value=ast.Call(
                        func=ast.Attribute(attr="to"), args=[first], keywords=[]
                    ) as inner,
                    attr="to",
                ),
                args=[second],
                keywords=[],
            ) if ast.dump(first) == ast.dump(second):
                edits.put(node, edits.of(inner))
                return True
    return False


def _returned(function: ast.FunctionDef, edits: Edits, test: str) -> bool:
    """Return a value without a name of its own."""
    if len(function.body) < 2:
        return False
    match function.body[-2:]:
        case [
            ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Call() as call) as statement,
            ast.Return(value=ast.Tuple(elts=values) as result),
        ] if list(map(ast.unparse, targets)) == list(map(ast.unparse, values)):
            edits.put(result, edits.of(call))
            edits.drop(statement, alone=False)
            return True
        case [
            ast.Assign(targets=[ast.Name(id=name)], value=value) as statement,
            ast.Return(value=ast.expr() as result),
        ]:
            inside = result
            while isinstance(inside, ast.Call | ast.Attribute | ast.Subscript):
                if isinstance(inside, ast.Call) and not isinstance(inside.func, ast.Attribute):
                    return False
                inside = inside.func if isinstance(inside, ast.Call) else inside.value
            if not isinstance(inside, ast.Name) or inside.id != name:
                return False
            if _loads(function)[name] != 1:
                return False
            written = edits.of(value)
            if "\n" in written and not isinstance(value, ast.Call):
                return False
            if not isinstance(value, ast.Call | ast.Name | ast.Attribute | ast.Subscript) and (
                result is not inside
            ):
                written = f"({written})"
            edits.put(inside, written)
            edits.drop(statement, alone=False)
            return True
    return False


def _with_wide_arguments(function: ast.FunctionDef, edits: Edits, test: str) -> bool:
    """Widen an input where it is used, if that is one place in the next statements."""
    parameters = [each.arg for each in function.args.args]
    loads, stores = _loads(function), _stores(function)
    for statement in function.body:
        pair = _upcast(statement, parameters)
        if (
            pair is None
            or " if " in ast.unparse(statement)
            or loads[pair[0]] != 1
            or stores[pair[0]] != 1
            or stores[pair[1]]
        ):
            continue
        for node in walk(function):
            if isinstance(node, ast.Name) and node.id == pair[0] and isinstance(node.ctx, ast.Load):
                if _in_loop(function, node):
                    return False
                edits.put(node, f"{pair[1]}.double()")
                edits.drop(statement, alone=False)
                return True
    return False


def _in_loop(function: ast.FunctionDef, node: ast.AST) -> bool:
    kinds = ast.For | ast.While | ast.FunctionDef | ast.Lambda | ast.ListComp | ast.GeneratorExp
    return any(
        isinstance(each, kinds) and each is not function and node in walk(each)
        for each in walk(function)
    )


def _with_equal_branches(function: ast.FunctionDef, edits: Edits, test: str) -> bool:
    """Keep one of two branches that are the same."""
    for node in walk(function):
        if not isinstance(node, ast.If) or len(node.body) != 1 or len(node.orelse) != 1:
            continue
        if ast.dump(node.body[0]) == ast.dump(node.orelse[0]) and _is_pure(node.test):
            edits.put(node, edits.of(node.body[0]))
            return True
    return False


def _is_pure(node: ast.expr) -> bool:
    """Return whether a condition has no effect: it calls only torch and `isinstance`."""
    calls = [each for each in walk(node) if isinstance(each, ast.Call)]
    return all(ast.unparse(each.func).startswith(("torch.", "isinstance")) for each in calls)
