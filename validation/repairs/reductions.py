"""Mistakes in reductions: masks, axes, accumulators, maxima."""

import ast
from collections.abc import Iterator

from validation.repairs.kind import MistakeKind
from validation.repairs.source import Edits, Mistake, ParsedText, in_order
from validation.repairs.tiles import VIEW, axes
from validation.repairs.value_flow import called, combines, names, sources, users

# Most characters of a call to quote in an explanation.
SHORT = 60


def unmasked_reductions(source: ParsedText) -> Iterator[Mistake]:
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
                facts = {"mask": mask, "value": value, "neutral": neutral}
                yield Mistake((edit,), facts | _counted(source, kernel, call))


def _counted(source: ParsedText, kernel: ast.FunctionDef, call: ast.Call) -> dict[str, str]:
    """Return the effect of lanes without the neutral value on the first reduction after them."""
    helpers = {other.name for other in source.kernels if any(map(combines, ast.walk(other)))}
    reductions = (
        user
        for user in users(kernel, call)
        if isinstance(user, ast.Call) and (combines(user) or called(user) in helpers)
    )
    reduction = next(reductions, None)
    if reduction is None:
        return {"effect": "what follows counts them", "unchanged": "changes nothing"}
    text = source.flat(reduction)
    # Don't quote a call that contains the mistake: its text in the faulty kernel differs.
    is_around = any(node is call for node in ast.walk(reduction))
    shown = source.spelled(reduction.func) if is_around or len(text) > SHORT else text
    return {"effect": f"`{shown}` includes them", "unchanged": "does not change its result"}


def wrong_axes(source: ParsedText) -> Iterator[Mistake]:
    """Swap the axes of reductions of two-dimensional tiles."""
    for kernel in source.kernels:
        if not VIEW.search(source.spelled(kernel)):
            continue
        for call in (node for node in in_order(kernel) if isinstance(node, ast.Call)):
            for word in call.keywords if call.args else ():
                if word.arg == "axis" and (axis := source.spelled(word.value)) in ("0", "1"):
                    other = "1" if axis == "0" else "0"
                    is_line = axes(source, kernel, call.args[0]) == 1
                    facts = {
                        "call": source.spelled(call.func),
                        "tile": source.flat(call.args[0]),
                        "axis": axis,
                        "wrong": other,
                    }
                    facts |= LINE if is_line else COLUMNS if other == "0" else ROWS
                    yield Mistake((source.replace(word.value, other),), facts)


LINE = {
    "within": "", "limit": " This tile has one axis only.",
    "needed": "is the only axis of that tile",
}  # fmt: skip
COLUMNS = {
    "within": ", within its columns,", "limit": "",
    "needed": "combines the values within the rows",
}  # fmt: skip
ROWS = {
    "within": ", within its rows,", "limit": "",
    "needed": "combines the values within the columns",
}  # fmt: skip


def overwritten_accumulators(source: ParsedText) -> Iterator[Mistake]:
    for kernel in source.kernels:
        loops = [node for node in in_order(kernel) if isinstance(node, ast.For)]
        # Inner loops come later, so they replace outer ones.
        around = {id(node): loop for loop in loops for node in in_order(loop)}
        inside = [node for node in in_order(kernel) if id(node) in around]
        accumulators = {
            source.spelled(node.targets[0])
            for node in in_order(kernel)
            if isinstance(node, ast.Assign) and id(node) not in around
        }
        for node in inside:
            if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
                target, value = source.spelled(node.target), source.spelled(node.value)
                if target in accumulators and "ptr" not in target:
                    edits: Edits = (source.replace(node, f"{target} = {value}"),)
                    yield Mistake(edits, _replaced(target, node, node.value, around[id(node)]))
            elif isinstance(node, ast.Assign):
                target = source.spelled(node.targets[0])
                for edits, block in _overwritten(source, node) if target in accumulators else ():
                    yield Mistake(edits, _replaced(target, node, block, around[id(node)]))


def _replaced(target: str, statement: ast.stmt, block: ast.expr, loop: ast.For) -> dict[str, str]:
    """Return the effect of a lost accumulator, which depends on other reads in the loop.

    block: the value without the accumulator.
    """
    if any(target in names(root) for root in sources(loop, block)):
        return {"what": f"Each iteration replaces `{target}` by the change that it must add to it"}
    own = {id(node) for node in ast.walk(statement)}
    reads = [
        node.lineno
        for node in ast.walk(loop)
        if isinstance(node, ast.Name) and node.id == target and isinstance(node.ctx, ast.Load)
        and id(node) not in own
    ]  # fmt: skip
    if any(line < statement.lineno for line in reads):
        return {
            "what": f"`{target}` holds only the previous block, so each iteration goes on from "
            "that one instead of from all earlier blocks"
        }
    if reads:
        return {"what": f"Each iteration replaces `{target}`, so it holds only its own block"}
    return {
        "what": f"Each iteration replaces `{target}`, so after the loop it holds only the last "
        "block"
    }


def _overwritten(source: ParsedText, node: ast.Assign) -> Iterator[tuple[Edits, ast.expr]]:
    """Drop the accumulator from `acc = acc + …`, `acc = f(acc, …)` and `acc = dot(a, b, acc)`.

    Yield the edits with the remaining value.
    """
    target, value = source.spelled(node.targets[0]), node.value
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        if source.spelled(value.left) == target:
            yield (source.replace(value, source.spelled(value.right)),), value.right
    elif isinstance(value, ast.Call) and ast.unparse(value.func) in ("tl.maximum", "tl.minimum"):
        if source.spelled(value.args[0]) == target:
            yield (source.replace(value, source.spelled(value.args[1])),), value.args[1]
    elif (
        isinstance(value, ast.Call)
        and ast.unparse(value.func) == "tl.dot"
        and len(value.args) == 3
        and source.spelled(value.args[2]) == target
    ):
        # The remaining value is a product of two factors.
        factors = ast.Tuple(value.args[:2], ast.Load())
        yield (source.drop_argument(value.args[2]),), factors


def wrong_initial_values(source: ParsedText) -> Iterator[Mistake]:
    infinities = [call.args[1] for call in source.calls(source.kernels, "full") if call.args[1:]]
    for kernel in source.kernels:
        # A scalar, such as a running maximum.
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


def missing_maxima(source: ParsedText) -> Iterator[Mistake]:
    for kernel in source.kernels:
        if not any(source.calls([kernel], "exp", "exp2")):
            continue
        maxima = {
            node.targets[0].id
            for node in ast.walk(kernel)
            if isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and _is_maximum(node.value)
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
        # A difference of two maxima rescales a sum; a later kernel may rescale by a stored maximum.
        stored = {source.spelled(call.args[1]) for call in source.calls([kernel], "store")}
        rescaling = {
            id(node) for node in differences if source.spelled(node.left) in maxima | copies
        }
        harm = OVERFLOW
        if rescaling or stored & maxima:
            harm = "parts that are rescaled by their maxima no longer fit together"
        for node in differences:
            right = node.right.value if isinstance(node.right, ast.Subscript) else node.right
            used = {right.id} & maxima if isinstance(right, ast.Name) else set()
            if id(node) not in rescaling and (used or _is_maximum(right)):
                facts = {"maximum": source.flat(node.right), "harm": harm}
                if harm == OVERFLOW and _is_used_again(source, kernel, node, used):
                    facts["harm"] = f"`{source.flat(right)}` {USED_AGAIN}"
                yield Mistake((source.drop_right(node),), facts)


def _is_maximum(node: ast.expr) -> bool:
    """Return whether a value is a maximum of elements. A maximum with a constant is a bound."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return _is_maximum(node.left)
    return called(node) in ("max", "row_max") or (
        called(node) == "maximum"
        and isinstance(node, ast.Call)
        and not any(isinstance(argument, ast.Constant) for argument in node.args)
    )


OVERFLOW = "large inputs overflow to infinity"
USED_AGAIN = "is used again, where it must have been subtracted here"


def _is_used_again(
    source: ParsedText, kernel: ast.FunctionDef, difference: ast.BinOp, maxima: set[str]
) -> bool:
    """Return whether a maximum is read or computed elsewhere than in the difference."""
    right, inside = source.spelled(difference.right), set(map(id, ast.walk(difference)))
    return any(
        id(node) not in inside
        and (
            (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in maxima)
            or (isinstance(node, ast.Call) and source.spelled(node) == right)
        )
        for node in ast.walk(kernel)
    )


KINDS = (
    MistakeKind(
        "unmasked-reduction",
        unmasked_reductions,
        "Lanes where `{mask}` is false hold `{value}` instead of `{neutral}`, and {effect}.",
        "`tl.where` sets these lanes to `{neutral}`, which {unchanged}.",
    ),
    MistakeKind(
        "wrong-axis",
        wrong_axes,
        "`{call}` works along axis {wrong} of `{tile}`{within} instead of axis {axis}.{limit}",
        "Axis {axis} {needed}.",
    ),
    MistakeKind(
        "overwritten-accumulator",
        overwritten_accumulators,
        "{what}.",
        "Each block must be combined with what the earlier iterations accumulated.",
    ),
    MistakeKind(
        "wrong-initial-value",
        wrong_initial_values,
        "A {extreme} that begins at 0 stays 0 where all values are {sign}.",
        "`{right}` is {side} every value, so the first one replaces it.",
        needs_variations=True,
    ),
    MistakeKind(
        "missing-maximum",
        missing_maxima,
        "The maximum `{maximum}` is not subtracted before the exponential: {harm}.",
        "After the subtraction, no exponent is above 0.",
        needs_variations=True,
    ),
)
