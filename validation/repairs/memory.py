"""Mistakes of addresses and masks."""

import ast
from collections.abc import Iterator
from itertools import pairwise

from validation.repairs.kind import Kind
from validation.repairs.source import Edits, Source, in_order


def _without_mask(name: str, source: Source) -> Iterator[Edits]:
    for call in source.calls(source.kernels, name):
        guards = [word for word in call.keywords if word.arg in ("mask", "other")]
        if any(word.arg == "mask" for word in guards):
            # `other` without `mask` is an error of Triton.
            yield tuple(source.drop_argument(word) for word in guards)


def without_load_mask(source: Source) -> Iterator[Edits]:
    return _without_mask("load", source)


def without_store_mask(source: Source) -> Iterator[Edits]:
    return _without_mask("store", source)


def half_masks(source: Source) -> Iterator[Edits]:
    """Drop one of two bounds."""
    for operation in source.operations(ast.BitAnd):
        if _is_bound(operation.left) and _is_bound(operation.right):
            yield (source.drop_right(operation),)
            yield (source.replace(operation, source.spelled(operation.right)),)


def _is_bound(node: ast.expr) -> bool:
    return isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Lt)


def masks_off_by_one(source: Source) -> Iterator[Edits]:
    """Write `<=` instead of `<` before a size that the launcher passes."""
    for kernel in source.kernels:
        sizes = {argument.arg for argument in kernel.args.args if argument.annotation is None}
        for node in in_order(kernel):
            if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], ast.Lt):
                continue
            bound = node.comparators[0]
            if isinstance(bound, ast.Name) and bound.id in sizes:
                left, right = source.spelled(node.left), source.spelled(bound)
                yield (source.replace(node, f"{left} <= {right}"),)


REDUCTIONS = ("sum", "max", "min", "argmax", "argmin", "cumsum")


def wrong_others(source: Source) -> Iterator[Edits]:
    """Fill masked lanes with 0 for a maximum, or with 1 or an infinity for a sum."""
    for kernel in source.kernels:
        if not any(source.calls([kernel], *REDUCTIONS)):
            continue
        chosen = {source.spelled(call.args[0]) for call in source.calls([kernel], "where")}
        for call in source.calls([kernel], "load"):
            words = {word.arg: word.value for word in call.keywords}
            # Lanes that `tl.where` sets again may hold anything.
            if "other" in words and source.spelled(words["mask"]) not in chosen:
                for text in ("0.0", "1.0", 'float("-inf")'):
                    yield (source.replace(words["other"], text),)


def _strides(node: ast.AST) -> list[ast.BinOp]:
    """Return the products of an index and a stride."""
    return [
        product
        for product in in_order(node)
        if isinstance(product, ast.BinOp)
        and isinstance(product.op, ast.Mult)
        and isinstance(product.right, ast.Name)
        and "stride" in product.right.id
    ]


def wrong_strides(source: Source) -> Iterator[Edits]:
    """Multiply two indices by the strides of each other."""
    for call in source.calls(source.kernels, "load", "store"):
        strides = [product.right for product in _strides(call.args[0])]
        for first, second in pairwise(strides):
            yield source.swap(first, second)


def assumed_contiguous(source: Source) -> Iterator[Edits]:
    """Drop the stride of the last index."""
    for call in source.calls(source.kernels, "load", "store"):
        if strides := _strides(call.args[0]):
            yield (source.drop_right(strides[-1]),)


TURNED = {"[:, None]": "[None, :]", "[None, :]": "[:, None]"}


def transposed_loads(source: Source) -> Iterator[Edits]:
    for call in source.calls(source.kernels, "load"):
        views = [
            node
            for node in in_order(call)
            if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name)
        ]
        edits = []
        for view in views:
            name = source.spelled(view.value)
            turned = TURNED.get(source.spelled(view).removeprefix(name))
            if turned:
                edits.append(source.replace(view, name + turned))
        if len(edits) > 1:
            yield tuple(edits)


def racing_stores(source: Source) -> Iterator[Edits]:
    for kernel in source.kernels:
        for node in in_order(kernel):
            if isinstance(node, ast.Expr) and source.spelled(node).startswith("tl.atomic_add("):
                assert isinstance(node.value, ast.Call)  # noqa: S101 - by its text
                yield (source.replace(node.value.func, "tl.store"),)


def shared_places(source: Source) -> Iterator[Edits]:
    """Drop the program's own offset from the address of a store."""
    for kernel in source.kernels:
        programs = _programs(kernel)
        for call in source.calls([kernel], "store"):
            for node in in_order(call.args[0]):
                if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
                    names = {leaf.id for leaf in ast.walk(node.right) if isinstance(leaf, ast.Name)}
                    if names & programs:
                        yield (source.drop_right(node),)


def _programs(kernel: ast.FunctionDef) -> set[str]:
    """Return the names of program numbers."""
    return {
        node.targets[0].id
        for node in ast.walk(kernel)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and ast.unparse(node.value).startswith("tl.program_id(")
    }


KINDS = (
    Kind(
        "missing-load-mask",
        without_load_mask,
        "the load has no mask, so the lanes beyond the end read memory that is not the tensor's.",
    ),
    Kind(
        "missing-store-mask",
        without_store_mask,
        "the store has no mask, so the lanes beyond the end write to memory that is not the "
        "tensor's.",
    ),
    Kind(
        "half-mask",
        half_masks,
        "the mask bounds only one axis of the tile, so a tile at the other edge reaches beyond "
        "the tensor.",
    ),
    Kind(
        "mask-off-by-one",
        masks_off_by_one,
        "the last valid index is one below the size, so `<=` lets one element too many through.",
    ),
    Kind(
        "wrong-other",
        wrong_others,
        "masked lanes must hold the value that changes nothing in what follows, and this value "
        "changes the result.",
    ),
    Kind(
        "wrong-stride",
        wrong_strides,
        "each index must be multiplied by the stride of its own axis; here the strides of two "
        "axes are exchanged.",
    ),
    Kind(
        "assumed-contiguous",
        assumed_contiguous,
        "the address leaves out a stride, which is right only while neighbors lie side by side "
        "in memory.",
    ),
    Kind(
        "transposed-load",
        transposed_loads,
        "rows and columns of the tile are exchanged, so it arrives transposed.",
    ),
    Kind(
        "racing-store",
        racing_stores,
        "several programs add to the same place. A plain store overwrites what others have "
        "written; only an atomic addition keeps it.",
    ),
    Kind(
        "shared-place",
        shared_places,
        "the address leaves out the program's own offset, so programs overwrite each other's "
        "results.",
    ),
)
