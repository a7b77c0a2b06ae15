"""Places where a mistake in a mask, value or data type can be planted, with the edit for it."""

import ast
from collections.abc import Iterator

from validation.repairs.source import Mistake, ParsedText, called, in_order, mistake

SMALL = 1e-3
SIZES = ("n_", "num_", "size", "length", "count", "cols", "rows")
REDUCTIONS = ("sum", "max", "min", "argmax", "argmin", "cumsum")
NARROWER = {"tl.int64": "tl.int32", "tl.int32": "tl.int8"}
# Effects of mistakes, for their explanations.
SWAPPED = {
    "-": "the difference has the opposite sign",
    "/": "the quotient is inverted",
    "where": "each value is chosen where the other belongs",
    "dot": "the product is another, or its shapes do not fit",
}
EXTREMES = ("minimum", "positive", "above"), ("maximum", "negative", "below")
UNSCALED = {"action": "multiplied", "effect": "the result lacks this factor"}
OVERFLOW = ", so large inputs overflow to infinity"
RESCALED = ". Sums of earlier blocks are still rescaled by it, so blocks are added at other scales"


# --- Masks -----------------------------------------------------------------------------------
def without_mask(access: str, source: ParsedText) -> Iterator[Mistake]:
    for call in source.calls(source.kernels, access):
        guards = {word.arg: word for word in call.keywords if word.arg in ("mask", "other")}
        if "mask" in guards:
            # Drop `other` too: Triton rejects it without `mask`.
            edits = map(source.drop_argument, guards.values())
            yield mistake(*edits, mask=source.flat(guards["mask"].value))


def half_mask(source: ParsedText) -> Iterator[Mistake]:
    """Drop one of two bounds of a mask."""
    for operation in source.operations(ast.BitAnd):
        if _is_bound(operation.left) and _is_bound(operation.right):
            left, right = source.flat(operation.left), source.flat(operation.right)
            yield mistake(source.drop_right(operation), kept=left, gone=right)
            edit = source.replace(operation, source.spelled(operation.right))
            yield mistake(edit, kept=right, gone=left)


def _is_bound(node: ast.expr) -> bool:
    return isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Lt)


def mask_off_by_one(source: ParsedText) -> Iterator[Mistake]:
    """Replace `<` by `<=` before a size that the launcher passes."""
    for kernel in source.kernels:
        sizes = {argument.arg for argument in kernel.args.args if argument.annotation is None}
        for node in in_order(kernel, ast.Compare):
            bound = node.comparators[0]
            if _is_bound(node) and isinstance(bound, ast.Name) and bound.id in sizes:
                left, right = source.spelled(node.left), source.spelled(bound)
                yield mistake(source.replace(node, f"{left} <= {right}"), size=right)


def wrong_other(source: ParsedText) -> Iterator[Mistake]:
    """Load 0 into masked lanes before a maximum, or an infinity before a sum."""
    for word, mask in _reduced_others(source):
        right = source.spelled(word.value)
        wrong = "0.0" if "inf" in right else '-float("inf")'
        yield mistake(source.replace(word.value, wrong), mask=mask, wrong=wrong, right=right)


def missing_other(source: ParsedText) -> Iterator[Mistake]:
    for word, mask in _reduced_others(source):
        if "inf" in (right := source.spelled(word.value)):
            yield mistake(source.drop_argument(word), mask=mask, right=right)


def _reduced_others(source: ParsedText) -> Iterator[tuple[ast.keyword, str]]:
    """Yield the `other` values of loads in kernels that reduce, each with its mask."""
    for kernel in source.kernels:
        if not any(source.calls([kernel], *REDUCTIONS)):
            continue
        chosen = {source.spelled(call.args[0]) for call in source.calls([kernel], "where")}
        for call in source.calls([kernel], "load"):
            words = {word.arg: word for word in call.keywords}
            # `tl.where` replaces these lanes, so their loaded values have no effect.
            if {"mask", "other"} <= {*words} and source.spelled(words["mask"].value) not in chosen:
                yield words["other"], source.flat(words["mask"].value)


def unmasked_reduction(source: ParsedText) -> Iterator[Mistake]:
    """Drop `tl.where(mask, …, neutral)` around values that are reduced."""
    for kernel in source.kernels:
        masks = {
            source.spelled(word.value)
            for call in source.calls([kernel], "load")
            for word in call.keywords
            if word.arg == "mask"
        }
        for call in source.calls([kernel], "where"):
            if len(call.args) == 3 and source.spelled(call.args[0]) in masks:
                mask, value, neutral = map(source.flat, call.args)
                edit = source.replace_by_operation(call, source.spelled(call.args[1]))
                yield mistake(edit, mask=mask, value=value, neutral=neutral)


# --- Data types ------------------------------------------------------------------------------
def narrow_integers(source: ParsedText) -> Iterator[Mistake]:
    for call, value in _conversions(source, "tl.int64", "tl.int32", "tl.uint32", "tl.uint64"):
        # Skip a comparison, which must become an integer, and a bitcast, which does not narrow.
        if not call.keywords and not isinstance(value, ast.Compare):
            yield mistake(source.drop_conversion(call), or_else="")
    for typed in _typed(source, NARROWER):
        words = ", or a loop would change the type of a variable, which does not compile"
        yield mistake(*typed.edits, or_else=words)


def low_precision(source: ParsedText) -> Iterator[Mistake]:
    """Accumulate in float16. Without an accumulator, compute in the inputs' type."""
    # With an accumulator of another type, the interpreter's `tl.dot` differs from the compiler's.
    added_to = any(len(call.args) > 2 for call in source.calls(source.kernels, "dot"))
    accumulators = list(_typed(source, {"tl.float32": "tl.float16"}))
    yield from () if added_to else accumulators
    for call, _ in _conversions(source, "tl.float32") if not accumulators else ():
        yield mistake(source.drop_conversion(call))


def _conversions(source: ParsedText, *types: str) -> Iterator[tuple[ast.Call, ast.expr]]:
    """Yield the calls of `value.to(type)` for any of the types, each with the value."""
    for kernel in source.kernels:
        for call in in_order(kernel, ast.Call):
            function = call.func
            if not isinstance(function, ast.Attribute) or function.attr != "to":
                continue
            if call.args and source.spelled(call.args[0]) in types:
                yield call, function.value


def _typed(source: ParsedText, types: dict[str, str]) -> Iterator[Mistake]:
    """Yield changes of the type of tiles and products, such as float32 to float16."""
    for call in source.calls(source.kernels, "zeros", "full", "dot"):
        for word in call.keywords:
            if word.arg in ("dtype", "out_dtype") and source.spelled(word.value) in types:
                yield mistake(source.replace(word.value, types[source.spelled(word.value)]))


# --- Reductions ------------------------------------------------------------------------------
def wrong_axis(source: ParsedText) -> Iterator[Mistake]:
    """Swap the axes of reductions of two-dimensional tiles."""
    for kernel in source.kernels:
        text = source.spelled(kernel)
        calls = in_order(kernel, ast.Call) if "[None, :" in text or "[:, None" in text else ()
        for call in calls:
            for word in call.keywords if call.args else ():
                if word.arg == "axis" and (axis := source.spelled(word.value)) in ("0", "1"):
                    wrong = "1" if axis == "0" else "0"
                    function, tile = source.spelled(call.func), source.flat(call.args[0])
                    edit = source.replace(word.value, wrong)
                    yield mistake(edit, call=function, tile=tile, axis=axis, wrong=wrong)


def overwritten_accumulator(source: ParsedText) -> Iterator[Mistake]:
    for kernel in source.kernels:
        inside = {id(node) for loop in in_order(kernel, ast.For) for node in ast.walk(loop)}
        accumulators = {
            source.spelled(node.targets[0])
            for node in in_order(kernel, ast.Assign)
            if id(node) not in inside
        }
        for node in in_order(kernel, ast.stmt):
            if id(node) not in inside:
                continue
            if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
                target, value = source.spelled(node.target), source.spelled(node.value)
                if target in accumulators and "ptr" not in target:
                    yield mistake(source.replace(node, f"{target} = {value}"), target=target)
            elif isinstance(node, ast.Assign):
                target = source.spelled(node.targets[0])
                yield from (
                    _overwritten(source, target, node.value) if target in accumulators else ()
                )


def _overwritten(source: ParsedText, target: str, value: ast.expr) -> Iterator[Mistake]:
    """Drop the accumulator from `acc + …`, `tl.maximum(acc, …)` and `tl.dot(a, b, acc)`."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        parts, rest = [value.left], value.right
    elif isinstance(value, ast.Call) and ast.unparse(value.func) in ("tl.maximum", "tl.minimum"):
        parts, rest = value.args[:1], value.args[1]
    elif isinstance(value, ast.Call) and ast.unparse(value.func) == "tl.dot":
        if len(value.args) == 3 and source.spelled(value.args[2]) == target:
            yield mistake(source.drop_argument(value.args[2]), target=target)
        return
    else:
        return
    if source.spelled(parts[0]) == target:
        yield mistake(source.replace(value, source.spelled(rest)), target=target)


def wrong_initial_value(source: ParsedText) -> Iterator[Mistake]:
    has_weights = any(source.calls(source.kernels, "exp", "exp2"))
    effect = ", so weights relative to it are small and lose digits" if has_weights else ""
    infinities = [call.args[1] for call in source.calls(source.kernels, "full") if call.args[1:]]
    for kernel in source.kernels:
        # A scalar, such as a running maximum.
        assigned = (node.value for node in in_order(kernel, ast.Assign))
        infinities += [value for value in assigned if "inf" in source.spelled(value)[:12]]
    for value in infinities:
        if "inf" in (text := source.spelled(value)):
            extreme, sign, side = EXTREMES["-" in text]
            edit = source.replace(value, "0.0")
            yield mistake(edit, extreme=extreme, sign=sign, right=text, side=side, effect=effect)


def missing_maximum(source: ParsedText) -> Iterator[Mistake]:
    for kernel in source.kernels:
        if not any(source.calls([kernel], "exp", "exp2")):
            continue
        assigned = [
            (source.spelled(each.targets[0]), each.value) for each in in_order(kernel, ast.Assign)
        ]
        maxima = {name for name, value in assigned if _is_maximum(value)}
        copies = {name for name, value in assigned if source.spelled(value) in maxima}
        for node in in_order(kernel, ast.BinOp):
            # Skip a difference of two maxima, because it rescales a sum.
            if not isinstance(node.op, ast.Sub) or source.spelled(node.left) in maxima | copies:
                continue
            right = node.right.value if isinstance(node.right, ast.Subscript) else node.right
            if source.spelled(right) in maxima or _is_maximum(right):
                edit, maximum = source.drop_right(node), source.flat(node.right)
                yield mistake(edit, maximum=maximum, effect=RESCALED if copies else OVERFLOW)


def _is_maximum(node: ast.expr) -> bool:
    """Return whether a value is a maximum of elements. A maximum with a constant is a bound."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return _is_maximum(node.left)
    if called(node) == "maximum" and isinstance(node, ast.Call):
        return not any(isinstance(argument, ast.Constant) for argument in node.args)
    return called(node) in ("max", "row_max")


# --- Arithmetic ------------------------------------------------------------------------------
def swapped_operands(source: ParsedText) -> Iterator[Mistake]:
    for sign, kind in (("-", ast.Sub), ("/", ast.Div)):
        for operation in source.operations(kind):
            # Swapping operands in a chain such as `a + b - c` would regroup it.
            chain = isinstance(operation.left, ast.BinOp)
            is_enclosed = source.text[source.start(operation)] == "("
            if (not chain or is_enclosed) and not isinstance(operation.right, ast.Constant):
                first = source.flat(operation.left)
                edits, effect = source.swap_operands(operation), SWAPPED[sign]
                yield mistake(*edits, operation=sign, first=first, effect=effect)
    for name, place, count in (("where", 1, 3), ("dot", 0, 2)):
        for call in source.calls(source.kernels, name):
            if len(call.args) >= count:
                left, right = call.args[place : place + 2]
                edits, first = source.swap(left, right), source.flat(left)
                yield mistake(*edits, operation=f"tl.{name}", first=first, effect=SWAPPED[name])


def dropped_scale(source: ParsedText) -> Iterator[Mistake]:
    for operation in source.operations(ast.Div):
        rest, factor = source.flat(operation.left), source.flat(operation.right)
        if factor.startswith(SIZES):
            edit = source.drop_right(operation)
            effect = f"the result is `{factor}` times as large as it must be"
            yield mistake(edit, rest=rest, action="divided", factor=factor, effect=effect)
    for operation in source.operations(ast.Mult):
        left, right = source.flat(operation.left), source.flat(operation.right)
        # A missing stride of an index is another kind of mistake.
        if "scale" in right and "stride" not in right:
            edit = source.drop_right(operation)
            yield mistake(edit, rest=left, factor=right, **UNSCALED)
        elif isinstance(operation.left, ast.Constant) and isinstance(operation.left.value, float):
            edit = source.drop_left(operation)
            yield mistake(edit, rest=right, factor=left, **UNSCALED)


def dropped_epsilon(source: ParsedText) -> Iterator[Mistake]:
    for operation in source.operations(ast.Add):
        value, name = (getattr(operation.right, key, None) for key in ("value", "id"))
        is_small = isinstance(value, float) and 0 < value < SMALL
        if is_small or (name and name.startswith("eps")):
            constant, rest = source.flat(operation.right), source.flat(operation.left)
            yield mistake(source.drop_right(operation), constant=constant, rest=rest)
