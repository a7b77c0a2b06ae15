"""Functions of Triton, grouped by what they require of arguments."""

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
