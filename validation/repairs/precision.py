"""Mistakes in data types."""

import ast
from collections.abc import Iterator, Mapping

from validation.repairs.kind import MistakeKind
from validation.repairs.source import Edits, Mistake, ParsedText, in_order
from validation.repairs.value_flow import called

FLOAT16 = {
    "what": "float16 keeps 11 bits, so each addition loses digits, and beyond 65,504 it is "
    "infinite",
    "fix": "float32 keeps the digits, and only the result is rounded",
}
INPUT_TYPE = {
    "what": "Without the conversion, what follows is computed in the inputs' type. float16 "
    "keeps only 11 bits of a value, and bfloat16 8",
    "fix": "float32 keeps the digits, and only the result is rounded",
}
# Functions that raise "Expected dtype" for types other than float32 and float64.
CHECKED = {
    "exp", "exp2", "log", "log2", "cos", "sin", "sqrt", "rsqrt", "erf", "floor", "ceil", "sigmoid",
}  # fmt: skip
# Functions whose result has the common type of the arguments at these positions.
SAME_TYPE = {"abs": (0,), "maximum": (0, 1), "minimum": (0, 1), "where": (1, 2), "clamp": (0,)}


def _conversions(source: ParsedText, *types: str) -> Iterator[tuple[ast.FunctionDef, ast.Call]]:
    for kernel in source.kernels:
        for node in in_order(kernel):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "to"
                and node.args
                and source.spelled(node.args[0]) in types
            ):
                yield kernel, node


def _typed(source: ParsedText, types: dict[str, str]) -> Iterator[Edits]:
    """Yield edits that change the type of tiles and products, such as float32 to float16."""
    for call in source.calls(source.kernels, "zeros", "full", "dot"):
        for word in call.keywords:
            if word.arg in ("dtype", "out_dtype") and source.spelled(word.value) in types:
                yield (source.replace(word.value, types[source.spelled(word.value)]),)


def narrow_integers(source: ParsedText) -> Iterator[Edits]:
    for _, call in _conversions(source, "tl.int64", "tl.int32", "tl.uint32", "tl.uint64"):
        assert isinstance(call.func, ast.Attribute)  # noqa: S101 - see _conversions
        # A comparison must still be converted to an integer, and a bitcast does not narrow.
        if not call.keywords and not isinstance(call.func.value, ast.Compare):
            yield (source.drop_conversion(call),)
    yield from _typed(source, {"tl.int64": "tl.int32", "tl.int32": "tl.int8"})


def low_precision(source: ParsedText) -> Iterator[Mistake]:
    """Accumulate in float16. Without an accumulator, compute in the inputs' type."""
    # With an accumulator of another type, the interpreter's `tl.dot` differs from the compiler's.
    added_to = any(len(call.args) > 2 for call in source.calls(source.kernels, "dot"))
    accumulators = list(_typed(source, {"tl.float32": "tl.float16"}))
    for edits in () if added_to else accumulators:
        yield Mistake(edits, FLOAT16)
    for kernel, call in _conversions(source, "tl.float32") if not accumulators else ():
        yield Mistake((source.drop_conversion(call),), _lost_conversion(source, kernel, call))


def _lost_conversion(
    source: ParsedText, kernel: ast.FunctionDef, conversion: ast.Call
) -> Mapping[str, str]:
    types = Types(source, conversion)
    types.follow(kernel, frozenset())
    if types.rejecting is None:
        return INPUT_TYPE
    function = source.spelled(types.rejecting.func)
    return {
        "what": f"`{function}` accepts only float32 and float64, and without the conversion it "
        "gets the inputs' type",
        "fix": f"float32 is a type that `{function}` accepts",
    }


class Types:
    """Analysis of which values have the inputs' type if it is not converted.

    rejecting: the first call that does not accept the inputs' type.
    """

    def __init__(self, source: ParsedText, conversion: ast.Call) -> None:
        self._functions = {kernel.name: kernel for kernel in source.kernels}
        self._conversion = conversion
        self._constants = _constants(source)
        self.rejecting: ast.Call | None = None

    def follow(self, kernel: ast.FunctionDef, arguments: frozenset[str]) -> bool:
        """Follow a kernel, and return whether its result has the inputs' type.

        arguments: parameters that have the inputs' type.
        """
        narrow, result = set(arguments), False
        for node in in_order(kernel):
            if self.rejecting is not None:
                return False
            if not isinstance(node, ast.stmt) or hasattr(node, "body"):
                continue
            self._look_for_error(node, narrow)
            if isinstance(node, ast.Return) and node.value:
                result = self._is_narrow(node.value, narrow) is True
            elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                operation = ast.BinOp(ast.Name(node.target.id, ast.Load()), node.op, node.value)
                self._assign(node.target, operation, narrow)
            elif isinstance(node, ast.Assign):
                self._assign(node.targets[0], node.value, narrow)
        return result

    def _assign(self, target: ast.expr, value: ast.expr, narrow: set[str]) -> None:
        if isinstance(target, ast.Name):
            (narrow.add if self._is_narrow(value, narrow) is True else narrow.discard)(target.id)

    def _look_for_error(self, node: ast.AST, narrow: set[str]) -> None:
        """Store the first call that rejects a value of the inputs' type, inner calls first."""
        for child in ast.iter_child_nodes(node):
            self._look_for_error(child, narrow)
        if self.rejecting is not None or not isinstance(node, ast.Call) or not node.args:
            return
        if called(node) in CHECKED and self._is_narrow(node.args[0], narrow) is True:
            self.rejecting = node
        elif helper := self._helper(node):
            self._follow_helper(helper, node, narrow)

    def _helper(self, call: ast.Call) -> ast.FunctionDef | None:
        return self._functions.get(call.func.id) if isinstance(call.func, ast.Name) else None

    def _follow_helper(self, helper: ast.FunctionDef, call: ast.Call, narrow: set[str]) -> bool:
        pairs = zip(helper.args.args, call.args, strict=False)
        given = {argument.arg for argument, value in pairs if self._is_narrow(value, narrow)}
        return self.follow(helper, frozenset(given))

    def _is_narrow(self, node: ast.expr, narrow: set[str]) -> bool | None:
        """Return whether a value has the inputs' type, or None for a Python number."""
        match node:
            case ast.Call() if node is self._conversion:
                return True
            case ast.Constant():
                return None
            case ast.Name():
                return None if node.id in self._constants else node.id in narrow
            case ast.UnaryOp():
                return self._is_narrow(node.operand, narrow)
            case ast.Subscript():
                return self._is_narrow(node.value, narrow)
            # Division is not listed: Triton divides in float32.
            case ast.BinOp(op=ast.Add() | ast.Sub() | ast.Mult()):
                return self._both([node.left, node.right], narrow)
            case ast.Call() if called(node) in SAME_TYPE and len(node.args) > 1:
                return self._both([node.args[at] for at in SAME_TYPE[called(node)]], narrow)
            case ast.Call() if called(node) == "abs" and node.args:
                return self._is_narrow(node.args[0], narrow)
            case ast.Call() if helper := self._helper(node):
                return self._follow_helper(helper, node, narrow)
        return False

    def _both(self, parts: list[ast.expr], narrow: set[str]) -> bool | None:
        kinds = [self._is_narrow(part, narrow) for part in parts]
        if False in kinds:
            return False
        return True if True in kinds else None


def _constants(source: ParsedText) -> set[str]:
    """Return the names of compile-time constants."""
    module = {
        source.spelled(node.targets[0]) for node in source.tree.body if isinstance(node, ast.Assign)
    }
    return module | {
        argument.arg
        for kernel in source.kernels
        for argument in (*kernel.args.args, *kernel.args.kwonlyargs)
        if argument.annotation and "constexpr" in source.spelled(argument.annotation)
    }


KINDS = (
    MistakeKind(
        "narrow-integers",
        narrow_integers,
        "The integer type cannot hold the values, so they overflow, lose bits or change "
        "their sign.",
        "The type of the correction holds all values.",
    ),
    MistakeKind(
        "low-precision",
        low_precision,
        "{what}.",
        "{fix}.",
        shown_in_interpreter="Expected dtype",
    ),
)
