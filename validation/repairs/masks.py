"""Mistakes in masks, and in values of masked lanes."""

import ast
from collections.abc import Iterable, Iterator

from validation.repairs.kind import MistakeKind
from validation.repairs.source import Mistake, ParsedText, in_order
from validation.repairs.tiles import VIEW
from validation.repairs.value_flow import called, users, values_of


def _without_mask(name: str, source: ParsedText) -> Iterator[Mistake]:
    for kernel in source.kernels:
        for call in source.calls([kernel], name):
            guards = [word for word in call.keywords if word.arg in ("mask", "other")]
            mask = next((word.value for word in guards if word.arg == "mask"), None)
            if mask is not None:
                # Drop `other` too: Triton rejects it without `mask`.
                edits = tuple(source.drop_argument(word) for word in guards)
                yield Mistake(edits, {"mask": source.flat(mask)})


def without_load_mask(source: ParsedText) -> Iterator[Mistake]:
    return _without_mask("load", source)


def without_store_mask(source: ParsedText) -> Iterator[Mistake]:
    return _without_mask("store", source)


def half_masks(source: ParsedText) -> Iterator[Mistake]:
    """Drop one of two bounds of a mask."""
    loads, stores = (_nodes(source.calls(source.kernels, name)) for name in ("load", "store"))
    for operation in source.operations(ast.BitAnd):
        if _is_bound(operation.left) and _is_bound(operation.right):
            left, right = source.flat(operation.left), source.flat(operation.right)
            act = "read or write"
            if id(operation) in loads | stores:
                act = "read" if id(operation) in loads else "write"
            facts = {"act": act}
            yield Mistake((source.drop_right(operation),), {**facts, "kept": left, "gone": right})
            edit = source.replace(operation, source.spelled(operation.right))
            yield Mistake((edit,), {**facts, "kept": right, "gone": left})


def _nodes(calls: Iterable[ast.Call]) -> set[int]:
    return {id(node) for call in calls for node in ast.walk(call)}


def _is_bound(node: ast.expr) -> bool:
    return isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Lt)


def masks_off_by_one(source: ParsedText) -> Iterator[Mistake]:
    """Replace `<` by `<=` before a size that the launcher passes."""
    for kernel in source.kernels:
        sizes = {argument.arg for argument in kernel.args.args if argument.annotation is None}
        for node in in_order(kernel):
            if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], ast.Lt):
                continue
            bound = node.comparators[0]
            if isinstance(bound, ast.Name) and bound.id in sizes:
                left, right = source.spelled(node.left), source.spelled(bound)
                edit = source.replace(node, f"{left} <= {right}")
                yield Mistake((edit,), {"size": right})


REDUCTIONS = ("sum", "max", "min", "argmax", "argmin", "cumsum")


def wrong_others(source: ParsedText) -> Iterator[Mistake]:
    """Load 0 into masked lanes before a maximum, or an infinity before a sum."""
    for kernel, call, word, mask in _reduced_others(source):
        right = source.spelled(word.value)
        if "inf" in right:
            extreme, sign = ("maximum", "negative") if "-" in right else ("minimum", "positive")
            text, harm = "0.0", f"0, and so is the {extreme} where all elements are {sign}"
            harm += ". Their exponentials are added to the sum" if _is_summed(kernel, call) else ""
        else:
            text, harm = '-float("inf")', _effect_of_infinity(source, kernel, call, right)
        facts = {"harm": harm, "right": right, "mask": mask}
        yield Mistake((source.replace(word.value, text),), facts)


def _is_summed(kernel: ast.FunctionDef, load: ast.Call) -> bool:
    """Return whether exponentials of the loaded values are summed."""
    return any(
        called(user) == "sum"
        for exponential in users(kernel, load)
        if called(exponential) in ("exp", "exp2")
        for user in users(kernel, exponential)
    )


def _effect_of_infinity(
    source: ParsedText, kernel: ast.FunctionDef, load: ast.Call, right: str
) -> str:
    """Return the effect of -inf in masked lanes, from the operations up to the first reduction."""
    for user in users(kernel, load):
        if called(user) == "dot":
            return "-inf, and the products of `tl.dot` with it are infinite or NaN instead of 0"
        if called(user) == "sum":
            return "-inf, and so is the sum"
        if isinstance(user, ast.BinOp) and isinstance(user.op, ast.Mult):
            for factor in map(_converted, (user.left, user.right)):
                if isinstance(factor, ast.Name) and _is_zero(source, kernel, factor, load):
                    return (
                        f"-inf, and -inf times the 0 in these lanes of `{factor.id}` is NaN, so "
                        "the sum is NaN too"
                    )
            break
        is_view = called(user) == "to"
        if not is_view and not (isinstance(user, ast.BinOp) and isinstance(user.op, ast.Add)):
            break
    return f"-inf instead of `{right}`"


def _converted(node: ast.expr) -> ast.expr:
    """Return the value inside of views and conversions."""
    while isinstance(node, ast.Subscript) or called(node) == "to":
        if isinstance(node, ast.Subscript):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            node = node.func.value
        else:
            break
    return node


def _is_zero(source: ParsedText, kernel: ast.FunctionDef, name: ast.Name, load: ast.Call) -> bool:
    """Return whether a name is loaded with 0 in the masked lanes of another load."""
    values = values_of(kernel, name.id)
    loads = [call for value in values for call in source.calls([value], "load")]
    return len(values) == len(loads) == 1 and all(
        other is not load
        and any(
            word.arg == "other" and source.spelled(word.value) in ("0", "0.0")
            for word in other.keywords
        )
        and _bounds(source, kernel, other) & _bounds(source, kernel, load)
        for other in loads
    )


def _bounds(source: ParsedText, kernel: ast.FunctionDef, load: ast.Call) -> set[str]:
    """Return the comparisons that a mask consists of, without views."""
    masks = [word.value for word in load.keywords if word.arg == "mask"]
    roots = [root for mask in masks for root in (mask, *_named(kernel, mask))]
    return {
        VIEW.sub("", source.spelled(leaf))
        for root in roots
        for leaf in ast.walk(root)
        if isinstance(leaf, ast.Compare)
    }


def _named(kernel: ast.FunctionDef, node: ast.expr) -> list[ast.expr]:
    return values_of(kernel, node.id) if isinstance(node, ast.Name) else []


def missing_others(source: ParsedText) -> Iterator[Mistake]:
    for _, _, word, mask in _reduced_others(source):
        right = source.spelled(word.value)
        if "inf" in right:
            yield Mistake((source.drop_argument(word),), {"mask": mask, "right": right})


def _reduced_others(
    source: ParsedText,
) -> Iterator[tuple[ast.FunctionDef, ast.Call, ast.keyword, str]]:
    """Yield the loads of kernels that reduce, each with its `other` value and its mask."""
    for kernel in source.kernels:
        if not any(source.calls([kernel], *REDUCTIONS)):
            continue
        chosen = {source.spelled(call.args[0]) for call in source.calls([kernel], "where")}
        for call in source.calls([kernel], "load"):
            words = {word.arg: word for word in call.keywords}
            # `tl.where` replaces these lanes, so their loaded values have no effect.
            if {"mask", "other"} <= set(words) and source.spelled(
                words["mask"].value
            ) not in chosen:
                yield kernel, call, words["other"], source.flat(words["mask"].value)


KINDS = (
    MistakeKind(
        "missing-load-mask",
        without_load_mask,
        "The load has no mask, so lanes where `{mask}` is false read too, from other places of the "
        "tensor or from outside of it.",
        "The mask keeps these lanes from reading.",
    ),
    MistakeKind(
        "missing-store-mask",
        without_store_mask,
        "The store has no mask, so lanes where `{mask}` is false write too, to other places of the "
        "tensor or outside of it.",
        "The mask lets only lanes before the end write.",
    ),
    MistakeKind(
        "half-mask",
        half_masks,
        "The mask is only `{kept}`. In the last tile of the other axis, lanes where `{gone}` is "
        "false {act} past the edge of the tensor.",
        "The mask must bound both axes.",
    ),
    MistakeKind(
        "mask-off-by-one",
        masks_off_by_one,
        "With `<=`, the index `{size}` passes the mask too, one past the last.",
        "With `<`, the last index that passes is `{size} - 1`.",
    ),
    MistakeKind(
        "wrong-other",
        wrong_others,
        "Lanes where `{mask}` is false take part in the reduction. They hold {harm}.",
        "With `other={right}` they do not affect the result.",
    ),
    MistakeKind(
        "missing-other",
        missing_others,
        "Without `other`, lanes where `{mask}` is false hold undefined values, and take part in "
        "the reduction.",
        "With `other={right}` they change nothing.",
    ),
)
