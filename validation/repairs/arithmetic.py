"""Mistakes of arithmetic: types, axes, operands, accumulators."""

import ast
import re
from collections.abc import Iterator

from validation.repairs.kind import Kind
from validation.repairs.source import Edits, Mistake, Source, in_order

SMALL = 1e-3
FLOAT16 = "float16 keeps 11 bits, so each addition loses digits, and beyond 65,504 it is infinite"
INPUT_TYPE = (
    "Without the conversion, all that follows is computed in the inputs' type, with 8 or 11 bits"
)
MAXIMUM = re.compile(r"(tl\.max|tl\.maximum|row_max)\(")
TWO_AXES = re.compile(r"\[(None, :|:, None)\]")
SIZES = ("n_", "num_", "size", "length", "count", "cols", "rows")


def _conversions(source: Source, *types: str) -> Iterator[ast.Call]:
    for kernel in source.kernels:
        for node in in_order(kernel):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "to"
                and node.args
                and source.spelled(node.args[0]) in types
            ):
                yield node


def _typed(source: Source, types: dict[str, str]) -> Iterator[Edits]:
    """Give tiles and products another type."""
    for call in source.calls(source.kernels, "zeros", "full", "dot"):
        for word in call.keywords:
            if word.arg in ("dtype", "out_dtype") and source.spelled(word.value) in types:
                yield (source.replace(word.value, types[source.spelled(word.value)]),)


def narrow_integers(source: Source) -> Iterator[Edits]:
    for call in _conversions(source, "tl.int64", "tl.int32", "tl.uint32", "tl.uint64"):
        assert isinstance(call.func, ast.Attribute)  # noqa: S101 - see _conversions
        # A comparison is no integer, and a bit cast changes no width.
        if not call.keywords and not isinstance(call.func.value, ast.Compare):
            yield (source.drop_conversion(call),)
    yield from _typed(source, {"tl.int64": "tl.int32", "tl.int32": "tl.int8"})


def low_precision(source: Source) -> Iterator[Mistake]:
    """Accumulate in float16; without an accumulator, compute in the type of the inputs."""
    # The interpreter computes something else if `tl.dot` adds to another type.
    added_to = any(len(call.args) > 2 for call in source.calls(source.kernels, "dot"))
    accumulators = list(_typed(source, {"tl.float32": "tl.float16"}))
    for edits in () if added_to else accumulators:
        yield Mistake(edits, {"what": FLOAT16})
    for call in _conversions(source, "tl.float32") if not accumulators else ():
        yield Mistake((source.drop_conversion(call),), {"what": INPUT_TYPE})


def unmasked_reductions(source: Source) -> Iterator[Mistake]:
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
                yield Mistake((edit,), {"mask": mask, "value": value, "neutral": neutral})


def wrong_axes(source: Source) -> Iterator[Mistake]:
    """Exchange the axes of tiles with two axes."""
    for kernel in source.kernels:
        if not TWO_AXES.search(source.spelled(kernel)):
            continue
        for call in (node for node in in_order(kernel) if isinstance(node, ast.Call)):
            for word in call.keywords if call.args else ():
                if word.arg == "axis" and (axis := source.spelled(word.value)) in ("0", "1"):
                    other = "1" if axis == "0" else "0"
                    is_line = other == "1" and not _has_two_axes(source, kernel, call.args[0])
                    facts = {
                        "call": source.spelled(call.func),
                        "tile": source.flat(call.args[0]),
                        "axis": axis,
                        "wrong": other,
                        "lines": "columns" if other == "0" else "rows",
                        "needed": "rows" if other == "0" else "columns",
                        "limit": " This tile has one axis only." if is_line else "",
                    }
                    yield Mistake((source.replace(word.value, other),), facts)


def _has_two_axes(source: Source, kernel: ast.FunctionDef, tile: ast.expr) -> bool:
    """Return whether the tile is composed of values along two axes."""
    values: dict[str, list[ast.expr]] = {}
    for node in in_order(kernel):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            values.setdefault(node.targets[0].id, []).append(node.value)
    seen: set[str] = set()
    waiting = [tile]
    while waiting:
        text = source.spelled(node := waiting.pop())
        # A reduction has one axis less than its tile.
        if "axis=" in text:
            continue
        if TWO_AXES.search(text):
            return True
        for name in {leaf.id for leaf in ast.walk(node) if isinstance(leaf, ast.Name)} - seen:
            seen.add(name)
            waiting += values.get(name, [])
    return False


def swapped_operands(source: Source) -> Iterator[Mistake]:
    for kind in (ast.Sub, ast.Div):
        for operation in source.operations(kind):
            # A chain such as `a + b - c` has another structure when it is turned around.
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
            yield Mistake(
                source.swap(call.args[1], call.args[2]),
                {"what": "each lane gets the value of the other case",
                 "right": "value where the condition holds", "first": source.flat(call.args[1])},
            )  # fmt: skip
    for call in source.calls(source.kernels, "dot"):
        yield Mistake(
            source.swap(call.args[0], call.args[1]),
            {"what": "a matrix product depends on the order of its factors", "right": "left factor",
             "first": source.flat(call.args[0])},
        )  # fmt: skip


def dropped_scales(source: Source) -> Iterator[Mistake]:
    for operation in source.operations(ast.Div):
        if (size := source.flat(operation.right)).startswith(SIZES):
            total = source.flat(operation.left)
            facts = {
                "what": f"`{total}` is not divided by `{size}`, so it is a sum instead of a mean",
                "fix": f"The division by `{size}` makes it the mean",
            }
            yield Mistake((source.drop_right(operation),), facts)
    for operation in source.operations(ast.Mult):
        left, right = source.flat(operation.left), source.flat(operation.right)
        # An index without its stride is another mistake.
        if "scale" in right and "stride" not in right:
            yield Mistake((source.drop_right(operation),), _without_factor(left, right))
        elif _is_factor(operation.left):
            yield Mistake((source.drop_left(operation),), _without_factor(right, left))


def _without_factor(rest: str, factor: str) -> dict[str, str]:
    return {
        "what": f"`{rest}` is not multiplied by `{factor}`, so it has the wrong size",
        "fix": f"The product with `{factor}` has the right size",
    }


def _is_factor(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, float)


def dropped_epsilons(source: Source) -> Iterator[Mistake]:
    for operation in source.operations(ast.Add):
        right = operation.right
        is_small = (
            isinstance(right, ast.Constant)
            and isinstance(right.value, float)
            and 0 < right.value < SMALL
        )
        if is_small or (isinstance(right, ast.Name) and right.id.startswith("eps")):
            facts = {"constant": source.flat(right), "rest": source.flat(operation.left)}
            yield Mistake((source.drop_right(operation),), facts)


def overwritten_accumulators(source: Source) -> Iterator[Edits]:
    for kernel in source.kernels:
        loops = [node for node in in_order(kernel) if isinstance(node, ast.For)]
        inside = {id(node): node for loop in loops for node in in_order(loop)}
        accumulators = {
            source.spelled(node.targets[0])
            for node in in_order(kernel)
            if isinstance(node, ast.Assign) and id(node) not in inside
        }
        for node in inside.values():
            if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
                target, value = source.spelled(node.target), source.spelled(node.value)
                if target in accumulators and "ptr" not in target:
                    yield (source.replace(node, f"{target} = {value}"),)
            elif isinstance(node, ast.Assign) and source.spelled(node.targets[0]) in accumulators:
                yield from _overwritten(source, node)


def _overwritten(source: Source, node: ast.Assign) -> Iterator[Edits]:
    """Drop the accumulator from `acc = acc + …`, `acc = f(acc, …)` and `acc = dot(a, b, acc)`."""
    target, value = source.spelled(node.targets[0]), node.value
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        if source.spelled(value.left) == target:
            yield (source.replace(value, source.spelled(value.right)),)
    elif isinstance(value, ast.Call) and ast.unparse(value.func) in ("tl.maximum", "tl.minimum"):
        if source.spelled(value.args[0]) == target:
            yield (source.replace(value, source.spelled(value.args[1])),)
    elif (
        isinstance(value, ast.Call)
        and ast.unparse(value.func) == "tl.dot"
        and len(value.args) == 3
        and source.spelled(value.args[2]) == target
    ):
        yield (source.drop_argument(value.args[2]),)


def wrong_initial_values(source: Source) -> Iterator[Mistake]:
    infinities = [call.args[1] for call in source.calls(source.kernels, "full") if call.args[1:]]
    for kernel in source.kernels:
        # A single number, such as a running maximum.
        assigned = (node.value for node in in_order(kernel) if isinstance(node, ast.Assign))
        infinities += [value for value in assigned if "inf" in source.spelled(value)[:12]]
    for value in infinities:
        if "inf" in (text := source.spelled(value)):
            small = "-" in text
            facts = {
                "extreme": "maximum" if small else "minimum",
                "sign": "negative" if small else "positive",
                "right": text,
                "side": "below" if small else "above",
            }
            yield Mistake((source.replace(value, "0.0"),), facts)


def missing_maxima(source: Source) -> Iterator[Mistake]:
    for kernel in source.kernels:
        if not any(source.calls([kernel], "exp", "exp2")):
            continue
        maxima = {
            node.targets[0].id
            for node in ast.walk(kernel)
            if isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and MAXIMUM.match(ast.unparse(node.value))
        }
        copies = {
            source.spelled(node.targets[0])
            for node in ast.walk(kernel)
            if isinstance(node, ast.Assign) and source.spelled(node.value) in maxima
        }
        differences = [
            node
            for node in in_order(kernel)
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub)
        ]
        # The difference of two maxima rescales a sum; a stored maximum does so in a later kernel.
        stored = {source.spelled(call.args[1]) for call in source.calls([kernel], "store")}
        rescaling = {
            id(node) for node in differences if source.spelled(node.left) in maxima | copies
        }
        harm = "large inputs overflow to infinity"
        if rescaling or stored & maxima:
            harm = "parts that are rescaled by their maxima no longer fit together"
        for node in differences:
            names = {leaf.id for leaf in ast.walk(node.right) if isinstance(leaf, ast.Name)}
            right = source.spelled(node.right)
            if id(node) not in rescaling and (names & maxima or MAXIMUM.match(right)):
                yield Mistake(
                    (source.drop_right(node),), {"maximum": source.flat(node.right), "harm": harm}
                )


KINDS = (
    Kind(
        "narrow-integers",
        narrow_integers,
        "The integer type cannot hold the values, so they overflow, lose bits or change "
        "their sign.",
        "The type of the correction holds all values.",
    ),
    Kind(
        "low-precision",
        low_precision,
        "{what}.",
        "float32 keeps the digits, and only the result is rounded.",
    ),
    Kind(
        "unmasked-reduction",
        unmasked_reductions,
        "Lanes where `{mask}` is false hold `{value}` instead of `{neutral}`, and what follows "
        "counts them.",
        "`tl.where` sets these lanes to `{neutral}`, which changes nothing.",
    ),
    Kind(
        "wrong-axis",
        wrong_axes,
        "`{call}` works along axis {wrong} of `{tile}`, within its {lines}, instead of axis "
        "{axis}.{limit}",
        "Axis {axis} combines the values within the {needed}.",
    ),
    Kind(
        "swapped-operands",
        swapped_operands,
        "The operands are swapped: {what}.",
        "`{first}` must be the {right}.",
    ),
    Kind(
        "dropped-scale",
        dropped_scales,
        "A factor is missing: {what}.",
        "{fix}.",
    ),
    Kind(
        "dropped-epsilon",
        dropped_epsilons,
        "The small constant `{constant}` is missing. What is divided by `{rest}` or its root is "
        "too large, the more so the smaller that is. Where it is 0, the result is infinite or NaN.",
        "With `{constant}`, the divisor is never 0.",
        needs_variations=True,
    ),
    Kind(
        "overwritten-accumulator",
        overwritten_accumulators,
        "Each iteration replaces the accumulator, so only the last block counts.",
        "Each block must be combined with what the earlier iterations accumulated.",
    ),
    Kind(
        "wrong-initial-value",
        wrong_initial_values,
        "A {extreme} that begins at 0 stays 0 where all values are {sign}.",
        "`{right}` is {side} every value, so the first one replaces it.",
        needs_variations=True,
    ),
    Kind(
        "missing-maximum",
        missing_maxima,
        "The maximum `{maximum}` is not subtracted before the exponential: {harm}.",
        "After the subtraction, no exponent is above 0, and all parts have the same reference.",
        needs_variations=True,
    ),
)
