"""Mistakes in addresses."""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise

from validation.repairs.kind import MistakeKind
from validation.repairs.source import Edits, Mistake, ParsedText, Replacement, in_order
from validation.repairs.tiles import literal_sizes, sizes

PROGRAM = re.compile(r"tl\.program_id\((axis=)?\d\)(\.to\(tl\.int64\))?")


def _is_stride(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and "stride" in node.id


def _strides(node: ast.AST) -> list[ast.BinOp]:
    """Return the products of an index and a stride in an expression."""
    return [
        product
        for product in in_order(node)
        if isinstance(product, ast.BinOp)
        and isinstance(product.op, ast.Mult)
        and _is_stride(product.right)
    ]


def wrong_strides(source: ParsedText) -> Iterator[Mistake]:
    """Swap the strides of two indices."""
    for call in source.calls(source.kernels, "load", "store"):
        for first, second in pairwise(_strides(call.args[0])):
            facts = {
                "first": source.flat(first.left), "first_stride": source.spelled(first.right),
                "second": source.flat(second.left), "second_stride": source.spelled(second.right),
            }  # fmt: skip
            yield Mistake(source.swap(first.right, second.right), facts)


def assumed_contiguous(source: ParsedText) -> Iterator[Mistake]:
    """Drop the stride of the last index."""
    for call in source.calls(source.kernels, "load", "store"):
        if strides := _strides(call.args[0]):
            product = strides[-1]
            facts = {"index": source.flat(product.left), "stride": source.spelled(product.right)}
            yield Mistake((source.drop_right(product),), facts)


def transposed_loads(source: ParsedText) -> Iterator[Mistake]:
    for kernel in source.kernels:
        for call in source.calls([kernel], "load"):
            edits, along = _turned(source, call)
            if len(edits) > 1 and all(along.values()):
                first, second = (each[0] for each in along.values())
                facts = {
                    "what": _transposed(source, kernel, call, first, second),
                    "first": first.id,
                    "second": second.id,
                }
                yield Mistake(edits, facts)


TURNED = {"[:, None]": "[None, :]", "[None, :]": "[:, None]"}


def _turned(source: ParsedText, scope: ast.AST) -> tuple[Edits, dict[str, list[ast.Name]]]:
    """Return edits that transpose all views of names, and the names by their new view."""
    edits: list[Replacement] = []
    along: dict[str, list[ast.Name]] = {"[:, None]": [], "[None, :]": []}
    for view in in_order(scope):
        if isinstance(view, ast.Subscript) and isinstance(view.value, ast.Name):
            name = view.value.id
            turned = TURNED.get(source.spelled(view).removeprefix(name))
            if turned:
                edits.append(source.replace(view, name + turned))
                along[turned].append(view.value)
    return tuple(edits), along


def _transposed(
    source: ParsedText, kernel: ast.FunctionDef, call: ast.Call, first: ast.Name, second: ast.Name
) -> str:
    """Return the effect of transposed views: `first` then varies along axis 0, `second` along 1."""
    _, in_address = _turned(source, call.args[0])
    if not any(in_address.values()):
        return (
            f"Only the mask is transposed: `{first.id}` lies along axis 0 of it and `{second.id}` "
            "along axis 1"
        )
    if not all(in_address.values()):
        axis, name = (0, first.id) if in_address["[:, None]"] else (1, second.id)
        return f"`{name}` lies along axis {axis} of the address"
    what = (
        f"`{first.id}` lies along axis 0 of the tile and `{second.id}` along axis 1, so the tile "
        "is transposed"
    )
    effect = _effect_of_sizes(source, kernel, first, second)
    what += effect
    masks = [word.value for word in call.keywords if word.arg == "mask"]
    if effect == OTHER_LANES and masks and isinstance(masks[0], ast.Name):
        name = masks[0].id
        what += f". The mask `{name}` is not transposed with it, so it guards other lanes"
    return what


OTHER_LANES = ". Lane (i, j) gets the value that belongs to lane (j, i)"


def _effect_of_sizes(
    source: ParsedText, kernel: ast.FunctionDef, first: ast.Name, second: ast.Name
) -> str:
    """Return the effect that follows from the tile's sizes, or "" if the code leaves them open."""
    lengths = [sizes(source, kernel, name) for name in (second, first)]
    if any(len(set(length)) != 1 for length in lengths):
        return ""
    rows, cols = (length[0] for length in lengths)
    pairs = literal_sizes(source, kernel, rows, cols)
    if rows == cols or (pairs and all(one == two for one, two in pairs)):
        return OTHER_LANES
    # An axis of size 1 is broadcast, so the shapes could still be combined.
    if pairs and all(one != two and min(one, two) > 1 for one, two in pairs):
        return (
            f". It has the shape [{cols}, {rows}] instead of [{rows}, {cols}], so it cannot be "
            "combined with the other tiles"
        )
    return ""


def racing_stores(source: ParsedText) -> Iterator[Edits]:
    """Replace an atomic addition by a store, without arguments that a store does not take."""
    for kernel in source.kernels:
        for node in in_order(kernel):
            if isinstance(node, ast.Expr) and source.spelled(node).startswith("tl.atomic_add("):
                assert isinstance(node.value, ast.Call)  # noqa: S101 - by its text
                words = [word for word in node.value.keywords if word.arg in ("sem", "scope")]
                dropped = (source.drop_argument(word) for word in words)
                yield (source.replace(node.value.func, "tl.store"), *dropped)


def shared_places(source: ParsedText) -> Iterator[Mistake]:
    """Drop the program's offset from the address of a store."""
    for kernel in source.kernels:
        programs = _programs(kernel)
        for call in source.calls([kernel], "store"):
            for node in in_order(call.args[0]):
                if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
                    names = {leaf.id for leaf in ast.walk(node.right) if isinstance(leaf, ast.Name)}
                    if names & programs:
                        yield Mistake((source.drop_right(node),), {"gone": source.flat(node.right)})


def _programs(kernel: ast.FunctionDef) -> set[str]:
    """Return the names of program indices, without those of offset tiles."""
    return {
        node.targets[0].id
        for node in ast.walk(kernel)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and PROGRAM.fullmatch(ast.unparse(node.value))
    }


KINDS = (
    MistakeKind(
        "wrong-stride",
        wrong_strides,
        "`{first}` is multiplied by `{second_stride}`, and `{second}` by `{first_stride}`. The "
        "strides are swapped, so element [j, i] stands for element [i, j].",
        "`{first_stride}` is the stride of `{first}`, and `{second_stride}` that of `{second}`.",
    ),
    MistakeKind(
        "assumed-contiguous",
        assumed_contiguous,
        "`{index}` is not multiplied by `{stride}`. This is right only if that stride is 1. With "
        "another one the address lies between the elements, or at other elements.",
        "With `{stride}` the address is right for every stride.",
    ),
    MistakeKind(
        "transposed-load",
        transposed_loads,
        "{what}.",
        "`{second}` belongs along axis 0, and `{first}` along axis 1.",
    ),
    MistakeKind(
        "racing-store",
        racing_stores,
        "Several programs store their shares to the same element, so only the share of the last "
        "one remains.",
        "An atomic addition adds up all shares.",
    ),
    MistakeKind(
        "shared-place",
        shared_places,
        "The address lacks `{gone}`. So programs that differ only in it write to the same place, "
        "and other places stay unwritten.",
        "With `{gone}`, each program writes to its own place.",
    ),
)
