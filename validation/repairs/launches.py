"""Mistakes of grids, blocks and launch arguments."""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise, takewhile

from validation.repairs.kind import Kind
from validation.repairs.source import Edit, Edits, Source, in_order

POINTER = re.compile(r"_(ptr|pointer|base)$")


def missing_constexprs(source: Source) -> Iterator[Edits]:
    for kernel in source.kernels:
        for argument in (*kernel.args.args, *kernel.args.kwonlyargs):
            if argument.annotation and "constexpr" in source.spelled(argument.annotation):
                yield (source.replace(argument, argument.arg),)


def no_powers_of_two(source: Source) -> Iterator[Edits]:
    for call in source.calls(source.launchers, "next_power_of_2"):
        yield (source.replace(call, source.spelled(call.args[0])),)


def wrong_grids(source: Source) -> Iterator[Edits]:
    for call in source.calls(source.launchers, "cdiv"):
        size, block = map(source.as_operand, call.args[:2])
        yield (source.replace(call, f"{size} // {block}"),)


def skipped_blocks(source: Source) -> Iterator[Edits]:
    """Begin at the second block."""
    for kernel in source.kernels:
        for node in in_order(kernel):
            if isinstance(node, ast.For) and isinstance(node.iter, ast.Call):
                given = node.iter.args
                if len(given) == 3 and source.spelled(given[0]) == "0":
                    yield (source.replace(given[0], source.spelled(given[2])),)
        for product in _block_offsets(source, kernel):
            number = source.spelled(product.left)
            yield (source.replace(product.left, f"({number} + 1)"),)


def overlapping_blocks(source: Source) -> Iterator[Edits]:
    """Let each block begin one element behind the start of the previous block."""
    for kernel in source.kernels:
        for product in _block_offsets(source, kernel):
            yield (source.drop_right(product),)


def _block_offsets(source: Source, kernel: ast.FunctionDef) -> Iterator[ast.BinOp]:
    """Yield the products of a program's number and a block's size."""
    constants = {
        argument.arg
        for argument in kernel.args.args
        if argument.annotation and "constexpr" in source.spelled(argument.annotation)
    }
    for node in in_order(kernel):
        if (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Mult)
            and isinstance(node.right, ast.Name)
            and node.right.id in constants
            and ("program_id" in source.spelled(node.left) or "pid" in source.spelled(node.left))
        ):
            yield node


def wrong_program_axes(source: Source) -> Iterator[Edits]:
    for call in source.calls(source.kernels, "program_id"):
        axis = call.args[0] if call.args else call.keywords[0].value
        if source.spelled(axis) in ("1", "2"):
            yield (source.replace(axis, "0"),)


def swapped_arguments(source: Source) -> Iterator[Edits]:
    """Exchange two neighbors among the tensors, or among the numbers, of a launch."""
    parameters = {kernel.name: [a.arg for a in kernel.args.args] for kernel in source.kernels}
    for launcher in source.launchers:
        for node in in_order(launcher):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Subscript):
                continue
            names = parameters.get(source.spelled(node.func.value), [])
            # Behind unpacked strides, places are not known.
            given = list(
                takewhile(lambda argument: not isinstance(argument, ast.Starred), node.args)
            )
            for (first, name), (second, other) in pairwise(zip(given, names, strict=False)):
                if bool(POINTER.search(name)) == bool(POINTER.search(other)):
                    yield source.swap(first, second)


def uninitialized_outputs(source: Source) -> Iterator[Edits]:
    for call in source.calls(source.launchers, "zeros", "zeros_like"):
        end = source.end(call.func)
        start = source.start(call.func)
        name = source.text[start:end].replace("zeros", "empty")
        yield (Edit(start, end, name),)


KINDS = (
    Kind(
        "missing-constexpr",
        missing_constexprs,
        "the parameter shapes the tiles, so it must be known when the kernel is compiled: it needs "
        "`tl.constexpr`.",
    ),
    Kind(
        "no-power-of-two",
        no_powers_of_two,
        "`tl.arange` takes powers of two only, so the block must be `triton.next_power_of_2` of "
        "the size, with a mask for the rest.",
    ),
    Kind(
        "wrong-grid",
        wrong_grids,
        "the floor division starts no program for the last, incomplete block. `triton.cdiv` "
        "rounds up.",
    ),
    Kind(
        "skipped-block",
        skipped_blocks,
        "the first block is skipped: counting begins at 0.",
    ),
    Kind(
        "overlapping-blocks",
        overlapping_blocks,
        "the program's number must be multiplied by the size of a block; without it the blocks "
        "overlap and the end is never reached.",
    ),
    Kind(
        "wrong-program-axis",
        wrong_program_axes,
        "both indices come from the same axis of the grid, so only tiles on the diagonal are "
        "computed.",
    ),
    Kind(
        "swapped-arguments",
        swapped_arguments,
        "two arguments of the launch are in the wrong order for the kernel's parameters.",
    ),
    Kind(
        "uninitialized-output",
        uninitialized_outputs,
        "`empty` leaves in the tensor whatever its memory held before, and the kernel adds to it "
        "or leaves parts of it unwritten.",
    ),
)
