"""Functions of Triton by what they require of arguments, and queries of a syntax tree."""

import ast

SAME = {
    "multiple_of", "max_contiguous", "max_constancy", "broadcast_to", "expand_dims", "reshape",
    "view", "trans", "permute", "cast", "to", "advance", "ravel", "item", "assume", "split",
    "flip", "constexpr", "to_tensor",
}  # fmt: skip
MATHS = {
    "exp", "exp2", "log", "log2", "sqrt", "rsqrt", "sin", "cos", "sigmoid", "erf", "tanh",
    "floor", "ceil", "div_rn", "fdiv", "sqrt_rn", "softmax", "log1p", "expm1", "pow",
}  # fmt: skip
BITWISE_ATOMICS = {"atomic_and", "atomic_or", "atomic_xor", "atomic_cas"}
INTEGER_OPERATORS = (
    ast.FloorDiv, ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift
)  # fmt: skip
SHAPED = {"zeros": 0, "full": 0, "empty": 0, "broadcast_to": 1, "reshape": 1, "view": 1}
TYPED = {"zeros": 1, "full": 2, "cast": 1, "to": 1, "zeros_like": 9}


def parameters_of(node: ast.FunctionDef) -> list[ast.arg]:
    return [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]


def last_name(callee: ast.expr) -> str:
    match callee:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case _:
            return ""


def unstarred(node: ast.expr) -> ast.expr:
    return node.value if isinstance(node, ast.Starred) else node


def literals(node: ast.expr) -> list[object]:
    match node:
        case ast.Constant(value=value):
            return [value]
        case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
            return [e.value for e in elements if isinstance(e, ast.Constant)]
        case _:
            return []
