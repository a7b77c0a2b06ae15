"""Mistakes in operations: operands, factors, small constants."""

import ast
from collections.abc import Iterator, Sequence

from validation.repairs.kind import MistakeKind
from validation.repairs.source import Mistake, ParsedText, in_order
from validation.repairs.value_flow import called, parents

SMALL = 1e-3
SIZES = ("n_", "num_", "size", "length", "count", "cols", "rows")


def swapped_operands(source: ParsedText) -> Iterator[Mistake]:
    for kind in (ast.Sub, ast.Div):
        for operation in source.operations(kind):
            # Swapping operands in a chain such as `a + b - c` would regroup it.
            chain = isinstance(operation.left, ast.BinOp)
            is_enclosed = source.text[source.start(operation)] == "("
            if (not chain or is_enclosed) and not isinstance(operation.right, ast.Constant):
                sign, effect = ("-", "negative") if kind is ast.Sub else ("/", "reciprocal")
                yield Mistake(
                    source.swap_operands(operation),
                    {"what": f"those of `{sign}` give the {effect} of what is needed",
                     "right": "first operand", "first": source.flat(operation.left)},
                )  # fmt: skip
    for call in source.calls(source.kernels, "where"):
        if len(call.args) == 3:
            condition, first, second = map(source.flat, call.args)
            yield Mistake(
                source.swap(call.args[1], call.args[2]),
                {"what": f"lanes where `{condition}` is true get `{second}`, the others `{first}`",
                 "right": "value where the condition holds", "first": first},
            )  # fmt: skip
    for call in source.calls(source.kernels, "dot"):
        yield Mistake(
            source.swap(call.args[0], call.args[1]),
            {"what": "a matrix product depends on the order of its factors", "right": "left factor",
             "first": source.flat(call.args[0])},
        )  # fmt: skip


def dropped_scales(source: ParsedText) -> Iterator[Mistake]:
    for operation in source.operations(ast.Div):
        if (size := source.flat(operation.right)).startswith(SIZES):
            total = source.flat(operation.left)
            facts = {
                "what": f"`{total}` is not divided by `{size}`, so it is a sum instead of a mean",
                "fix": f"The division by `{size}` makes it the mean",
            }
            yield Mistake((source.drop_right(operation),), facts)
    around = {key: node for kernel in source.kernels for key, node in parents(kernel).items()}
    for operation in source.operations(ast.Mult):
        left, right = source.flat(operation.left), source.flat(operation.right)
        # A missing stride of an index is another kind of mistake.
        if "scale" in right and "stride" not in right:
            facts = _without_factor(left, operation.right, right)
            facts["what"] += _equal_cases(operation, operation.left, around)
            yield Mistake((source.drop_right(operation),), facts)
        elif _is_factor(operation.left):
            facts = _without_factor(right, operation.left, left)
            facts["what"] += _equal_cases(operation, operation.right, around)
            yield Mistake((source.drop_left(operation),), facts)


def _without_factor(rest: str, node: ast.expr, factor: str) -> dict[str, str]:
    fix = f"With `{factor}`, it is as large as it must be"
    if isinstance(node, ast.Constant) and isinstance(node.value, float) and 0 < node.value != 1:
        times, change = max(node.value, 1 / node.value), "small" if node.value > 1 else "large"
        about = "" if float(f"{times:.4g}") == times else "about "
        effect = f"so it is {about}{times:.4g} times too {change}"
        return {"what": f"`{rest}` is not multiplied by `{factor}`, {effect}", "fix": fix}
    return {"what": f"`{rest}` is not scaled by `{factor}`", "fix": fix}


def _equal_cases(operation: ast.BinOp, rest: ast.expr, around: dict[int, ast.AST]) -> str:
    """Return a sentence if the mistake makes both cases of the surrounding `tl.where` equal."""
    choice = around.get(id(operation))
    if not isinstance(choice, ast.Call) or called(choice) != "where" or len(choice.args) != 3:
        return ""
    others = [case for case in choice.args[1:] if case is not operation]
    if len(others) == 1 and ast.dump(others[0]) == ast.dump(rest):
        return ". Both cases of `tl.where` are then equal, so the condition has no effect"
    return ""


def _is_factor(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, float)


def dropped_epsilons(source: ParsedText) -> Iterator[Mistake]:
    for operation in source.operations(ast.Add):
        right = operation.right
        is_small = (
            isinstance(right, ast.Constant)
            and isinstance(right.value, float)
            and 0 < right.value < SMALL
        )
        if is_small or (isinstance(right, ast.Name) and right.id.startswith("eps")):
            constant, rest = source.flat(right), source.flat(operation.left)
            harm, fix = HARMS[_role(source, operation)]
            facts = {
                "constant": constant, "harm": harm.format(rest=rest),
                "fix": fix.format(constant=constant),
            }  # fmt: skip
            yield Mistake((source.drop_right(operation),), facts)


# By use of the sum: the effect of the missing constant, and the effect of the constant.
HARMS = {
    "rsqrt": (
        "The reciprocal root of `{rest}` is too large, the more so the smaller that is. Where it "
        "is 0, the result is infinite or NaN",
        "With `{constant}`, the root is never 0",
    ),
    "divisor": (
        "The divisor `{rest}` is too small. Where it is 0, the result is infinite or NaN",
        "With `{constant}`, the divisor is never 0",
    ),
    "divisor's root": (
        "The root of `{rest}` is too small as a divisor. Where it is 0, the result is infinite or "
        "NaN",
        "With `{constant}`, the divisor is never 0",
    ),
    "floor": (
        "Where `{rest}` is small, the result is too small",
        "With `{constant}`, small values keep that floor",
    ),
    "": ("It counts most where `{rest}` is small", "`{constant}` is a part of the sum"),
}


def _role(source: ParsedText, operation: ast.BinOp) -> str:
    """Return how a sum is used, or an empty text if the code does not show it."""
    kernel = next(one for one in source.kernels if operation in ast.walk(one))
    around = parents(kernel)
    roles = _roles(kernel, operation, around, ())
    if not roles or "" in roles:
        return ""
    divides = roles & {"rsqrt", "divisor", "divisor's root"}
    return min(divides) if len(divides) == 1 else "" if divides else "floor"


def _roles(
    kernel: ast.FunctionDef, node: ast.AST, around: dict[int, ast.AST], functions: Sequence[str]
) -> set[str]:
    """Return how an expression is used, following roots, views and names.

    functions: the roots and logarithms applied to the sum so far.
    """
    parent = around.get(id(node))
    match parent:
        case ast.BinOp(op=ast.Div()) if parent.right is node:
            if not functions:
                return {"divisor"}
            return {"divisor's root"} if functions == ("sqrt",) else {""}
        case ast.Call() if called(parent) == "rsqrt" and not functions:
            return {"rsqrt"}
        case ast.Call() if called(parent) in ("sqrt", "log", "log2") and not functions:
            return _roles(kernel, parent, around, (called(parent),))
        case ast.Subscript() if parent.value is node:
            return _roles(kernel, parent, around, functions)
        case ast.Assign(targets=[ast.Name(id=name)]):
            return _roles_of_name(kernel, name, parent, around, functions)
    return {"floor"} if functions else {""}


def _roles_of_name(
    kernel: ast.FunctionDef,
    name: str,
    statement: ast.Assign,
    around: dict[int, ast.AST],
    functions: Sequence[str],
) -> set[str]:
    """Return how a name's value is used, if this is the name's only assignment."""
    uses = [node for node in in_order(kernel) if isinstance(node, ast.Name) and node.id == name]
    loads = [use for use in uses if isinstance(use.ctx, ast.Load)]
    if len(uses) > len(loads) + 1 or any(load.lineno <= statement.lineno for load in loads):
        # If the name is a divisor somewhere, that may be another value of it.
        divides = any(
            isinstance(parent := around[id(load)], ast.BinOp)
            and isinstance(parent.op, ast.Div)
            and parent.right is load
            for load in loads
        )
        return {"floor"} if functions and not divides else {""}
    return set().union(*(_roles(kernel, load, around, functions) for load in loads))


KINDS = (
    MistakeKind(
        "swapped-operands",
        swapped_operands,
        "The operands are swapped: {what}.",
        "`{first}` must be the {right}.",
    ),
    MistakeKind(
        "dropped-scale",
        dropped_scales,
        "A factor is missing: {what}.",
        "{fix}.",
    ),
    MistakeKind(
        "dropped-epsilon",
        dropped_epsilons,
        "The small constant `{constant}` is missing. {harm}.",
        "{fix}.",
        needs_variations=True,
    ),
)
