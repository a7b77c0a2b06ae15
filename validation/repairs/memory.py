"""Mistakes of addresses and masks."""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise

from validation.repairs.kind import Kind
from validation.repairs.source import Edits, Mistake, Source, in_order


def _without_mask(name: str, source: Source) -> Iterator[Mistake]:
    for call in source.calls(source.kernels, name):
        guards = [word for word in call.keywords if word.arg in ("mask", "other")]
        mask = next((word.value for word in guards if word.arg == "mask"), None)
        if mask is not None:
            operations = [node for node in ast.walk(call.args[0]) if isinstance(node, ast.operator)]
            # A pointer, a row and a column.
            sums = sum(isinstance(node, ast.Add) for node in operations)
            rows = sums > 1 and any(isinstance(node, ast.Mult) for node in operations)
            where = "in the next row or " if rows else ""
            # `other` without `mask` is an error of Triton.
            edits = tuple(source.drop_argument(word) for word in guards)
            yield Mistake(edits, {"mask": source.flat(mask), "where": where})


def without_load_mask(source: Source) -> Iterator[Mistake]:
    return _without_mask("load", source)


def without_store_mask(source: Source) -> Iterator[Mistake]:
    return _without_mask("store", source)


def half_masks(source: Source) -> Iterator[Mistake]:
    """Drop one of two bounds."""
    for operation in source.operations(ast.BitAnd):
        if _is_bound(operation.left) and _is_bound(operation.right):
            left, right = source.flat(operation.left), source.flat(operation.right)
            yield Mistake((source.drop_right(operation),), {"kept": left, "gone": right})
            edit = source.replace(operation, source.spelled(operation.right))
            yield Mistake((edit,), {"kept": right, "gone": left})


def _is_bound(node: ast.expr) -> bool:
    return isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Lt)


def masks_off_by_one(source: Source) -> Iterator[Mistake]:
    """Write `<=` instead of `<` before a size that the launcher passes."""
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


PROGRAM = re.compile(r"tl\.program_id\((axis=)?\d\)(\.to\(tl\.int64\))?")
REDUCTIONS = ("sum", "max", "min", "argmax", "argmin", "cumsum")


def wrong_others(source: Source) -> Iterator[Mistake]:
    """Fill masked lanes with 0 for a maximum, or with an infinity for a sum."""
    summed = any(source.calls(source.kernels, "exp", "exp2"))
    for word, mask in _reduced_others(source):
        right = source.spelled(word.value)
        if "inf" in right:
            extreme, sign = ("maximum", "negative") if "-" in right else ("minimum", "positive")
            text, harm = "0.0", f"0, and so is the {extreme} where all elements are {sign}"
            harm += ". Their exponentials are added to the sum" if summed else ""
        else:
            text, harm = '-float("inf")', "-inf, which makes a sum -inf and a product with 0 NaN"
        facts = {"harm": harm, "right": right, "mask": mask}
        yield Mistake((source.replace(word.value, text),), facts)


def missing_others(source: Source) -> Iterator[Mistake]:
    for word, mask in _reduced_others(source):
        right = source.spelled(word.value)
        if "inf" in right:
            yield Mistake((source.drop_argument(word),), {"mask": mask, "right": right})


def _reduced_others(source: Source) -> Iterator[tuple[ast.keyword, str]]:
    """Yield the values of masked lanes in kernels that reduce, each with its mask."""
    for kernel in source.kernels:
        if not any(source.calls([kernel], *REDUCTIONS)):
            continue
        chosen = {source.spelled(call.args[0]) for call in source.calls([kernel], "where")}
        for call in source.calls([kernel], "load"):
            words = {word.arg: word for word in call.keywords}
            # Lanes that `tl.where` sets again may hold anything.
            if {"mask", "other"} <= set(words) and source.spelled(
                words["mask"].value
            ) not in chosen:
                yield words["other"], source.flat(words["mask"].value)


def _is_stride(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and "stride" in node.id


def _strides(node: ast.AST) -> list[ast.BinOp]:
    """Return the products of an index and a stride."""
    return [
        product
        for product in in_order(node)
        if isinstance(product, ast.BinOp)
        and isinstance(product.op, ast.Mult)
        and _is_stride(product.right)
    ]


def wrong_strides(source: Source) -> Iterator[Mistake]:
    """Multiply two indices by the strides of each other."""
    for call in source.calls(source.kernels, "load", "store"):
        for first, second in pairwise(_strides(call.args[0])):
            facts = {
                "first": source.flat(first.left), "first_stride": source.spelled(first.right),
                "second": source.flat(second.left), "second_stride": source.spelled(second.right),
            }  # fmt: skip
            yield Mistake(source.swap(first.right, second.right), facts)


def assumed_contiguous(source: Source) -> Iterator[Mistake]:
    """Drop the stride of the last index."""
    for call in source.calls(source.kernels, "load", "store"):
        if strides := _strides(call.args[0]):
            product = strides[-1]
            facts = {"index": source.flat(product.left), "stride": source.spelled(product.right)}
            yield Mistake((source.drop_right(product),), facts)


TURNED = {"[:, None]": "[None, :]", "[None, :]": "[:, None]"}


def transposed_loads(source: Source) -> Iterator[Mistake]:
    for call in source.calls(source.kernels, "load"):
        views = [
            node
            for node in in_order(call)
            if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name)
        ]
        edits, along = [], {"[:, None]": "", "[None, :]": ""}
        for view in views:
            name = source.spelled(view.value)
            turned = TURNED.get(source.spelled(view).removeprefix(name))
            if turned:
                edits.append(source.replace(view, name + turned))
                along[turned] = along[turned] or name
        if len(edits) > 1 and all(along.values()):
            first, second = along.values()
            masks = [word.value for word in call.keywords if word.arg == "mask"]
            rest = "".join(
                f" The mask `{mask.id}` is not transposed with it, so it guards other lanes."
                for mask in masks
                if isinstance(mask, ast.Name)
            )
            yield Mistake(tuple(edits), {"first": first, "second": second, "rest": rest})


def racing_stores(source: Source) -> Iterator[Edits]:
    """Store instead of adding, without the arguments that a store does not take."""
    for kernel in source.kernels:
        for node in in_order(kernel):
            if isinstance(node, ast.Expr) and source.spelled(node).startswith("tl.atomic_add("):
                assert isinstance(node.value, ast.Call)  # noqa: S101 - by its text
                words = [word for word in node.value.keywords if word.arg in ("sem", "scope")]
                dropped = (source.drop_argument(word) for word in words)
                yield (source.replace(node.value.func, "tl.store"), *dropped)


def shared_places(source: Source) -> Iterator[Mistake]:
    """Drop the program's own offset from the address of a store."""
    for kernel in source.kernels:
        programs = _programs(kernel)
        for call in source.calls([kernel], "store"):
            for node in in_order(call.args[0]):
                if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
                    names = {leaf.id for leaf in ast.walk(node.right) if isinstance(leaf, ast.Name)}
                    if names & programs:
                        yield Mistake((source.drop_right(node),), {"gone": source.flat(node.right)})


def _programs(kernel: ast.FunctionDef) -> set[str]:
    """Return the names of program numbers, without tiles of offsets."""
    return {
        node.targets[0].id
        for node in ast.walk(kernel)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and PROGRAM.fullmatch(ast.unparse(node.value))
    }


KINDS = (
    Kind(
        "missing-load-mask",
        without_load_mask,
        "The load has no mask, so lanes where `{mask}` is false read too, {where}past the end of "
        "the tensor.",
        "The mask keeps these lanes from reading.",
    ),
    Kind(
        "missing-store-mask",
        without_store_mask,
        "The store has no mask, so lanes where `{mask}` is false write too, {where}past the end of "
        "the tensor.",
        "The mask lets only lanes before the end write.",
    ),
    Kind(
        "half-mask",
        half_masks,
        "The mask is only `{kept}`. In the last tile of the other axis, lanes where `{gone}` is "
        "false read or write too.",
        "The mask must bound both axes.",
    ),
    Kind(
        "mask-off-by-one",
        masks_off_by_one,
        "With `<=`, the index `{size}` passes the mask too, one past the last.",
        "With `<`, the last index that passes is `{size} - 1`.",
    ),
    Kind(
        "wrong-other",
        wrong_others,
        "Lanes where `{mask}` is false take part in the reduction. They hold {harm}.",
        "With `other={right}` they do not affect the result.",
    ),
    Kind(
        "missing-other",
        missing_others,
        "Without `other`, lanes where `{mask}` is false hold undefined values, and take part in "
        "the reduction.",
        "With `other={right}` they change nothing.",
    ),
    Kind(
        "wrong-stride",
        wrong_strides,
        "`{first}` is multiplied by `{second_stride}`, and `{second}` by `{first_stride}`. The "
        "strides are swapped, so element [j, i] stands for element [i, j].",
        "`{first_stride}` is the stride of `{first}`, and `{second_stride}` that of `{second}`.",
    ),
    Kind(
        "assumed-contiguous",
        assumed_contiguous,
        "`{index}` is not multiplied by `{stride}`. This is right only if that stride is 1. With "
        "another one the address lies between the elements, or at other elements.",
        "With `{stride}` the address is right for every stride.",
    ),
    Kind(
        "transposed-load",
        transposed_loads,
        "`{first}` lies along axis 0 of the tile and `{second}` along axis 1, so the tile is "
        "transposed. A tile with unequal sizes does not fit those beside it. In another, lane "
        "(i, j) holds the value of lane (j, i).{rest}",
        "`{second}` belongs along axis 0, and `{first}` along axis 1.",
    ),
    Kind(
        "racing-store",
        racing_stores,
        "Several programs store their shares to the same element, so only the share of the last "
        "one remains.",
        "An atomic addition adds up all shares.",
    ),
    Kind(
        "shared-place",
        shared_places,
        "The address lacks `{gone}`. So programs that differ only in it write to the same place, "
        "and other places stay unwritten.",
        "With `{gone}`, each program writes to its own place.",
    ),
)
