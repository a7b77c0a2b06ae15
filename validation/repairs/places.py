"""Positions of mistakes in addresses, blocks, grids and launches, with the edits that make them."""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise, takewhile

from validation.repairs.source import (
    Mistake,
    ParsedText,
    Replacement,
    assigned,
    in_order,
    mistake,
    names,
)

PROGRAM = re.compile(r"tl\.program_id\((axis=)?\d\)(\.to\(tl\.int64\))?")
POINTER = re.compile(r"_(ptr|pointer|base)$")
POINTERS = ("ptr", "ptrs")
TURNED = {"[:, None]": "[None, :]", "[None, :]": "[:, None]"}


# --- Addresses -------------------------------------------------------------------------------
def _strides(node: ast.AST) -> list[ast.BinOp]:
    """Return the products of an index and a stride in an expression."""
    return [
        product
        for product in in_order(node, ast.BinOp)
        if isinstance(product.op, ast.Mult)
        and isinstance(product.right, ast.Name)
        and "stride" in product.right.id
    ]


def wrong_stride(source: ParsedText) -> Iterator[Mistake]:
    """Swap the strides of two indices."""
    for call in source.calls(source.kernels, "load", "store"):
        for first, second in pairwise(_strides(call.args[0])):
            yield mistake(
                *source.swap(first.right, second.right),
                first=source.flat(first.left), first_stride=source.spelled(first.right),
                second=source.flat(second.left), second_stride=source.spelled(second.right),
            )  # fmt: skip


def assumed_contiguous(source: ParsedText) -> Iterator[Mistake]:
    """Drop the stride of the last index."""
    for call in source.calls(source.kernels, "load", "store"):
        for product in _strides(call.args[0])[-1:]:
            index, stride = source.flat(product.left), source.spelled(product.right)
            yield mistake(source.drop_right(product), index=index, stride=stride)


def transposed_load(source: ParsedText) -> Iterator[Mistake]:
    for call in source.calls(source.kernels, "load"):
        edits: list[Replacement] = []
        along: dict[str, str] = {}
        for view in in_order(call, ast.Subscript):
            name = source.spelled(view.value)
            turned = TURNED.get(source.spelled(view).removeprefix(name))
            if isinstance(view.value, ast.Name) and turned:
                edits.append(source.replace(view, name + turned))
                along.setdefault(turned, name)
        if len(along) == 2:
            yield mistake(*edits, first=along["[:, None]"], second=along["[None, :]"])


def racing_store(source: ParsedText) -> Iterator[Mistake]:
    """Replace an atomic addition by a store. Drop the arguments that a store does not take."""
    for kernel in source.kernels:
        for statement in in_order(kernel, ast.Expr):
            call = statement.value
            if isinstance(call, ast.Call) and source.spelled(call.func) == "tl.atomic_add":
                words = [word for word in call.keywords if word.arg in ("sem", "scope")]
                yield mistake(
                    source.replace(call.func, "tl.store"), *map(source.drop_argument, words)
                )


def shared_place(source: ParsedText) -> Iterator[Mistake]:
    """Drop the program's offset from the address of a store."""
    for kernel in source.kernels:
        # Drop only program indices. Without an offset tile, a program's lanes would collide too.
        programs = {
            source.spelled(node.targets[0])
            for node in in_order(kernel, ast.Assign)
            if PROGRAM.fullmatch(ast.unparse(node.value))
        }
        for call in source.calls([kernel], "store"):
            for node in in_order(call.args[0], ast.BinOp):
                if isinstance(node.op, ast.Add) and names(node.right) & programs:
                    yield mistake(source.drop_right(node), gone=source.flat(node.right))


# --- Blocks and loops ------------------------------------------------------------------------
def missing_constexpr(source: ParsedText) -> Iterator[Mistake]:
    for kernel in source.kernels:
        for argument in source.constants(kernel):
            yield mistake(source.replace(argument, argument.arg), name=argument.arg)


def short_loop(source: ParsedText) -> Iterator[Mistake]:
    """Leave out the last, partial block of a loop, or round a number of blocks down."""
    for call in source.calls(source.kernels, "cdiv"):
        size, block = map(source.as_operand, call.args[:2])
        wrong = f"{size} // {block}"
        yield mistake(source.replace_by_operation(call, wrong), wrong=wrong)
    for _, steps in source.loops():
        if len(steps.args) == 3:
            end, step = steps.args[1:]
            wrong = f"{source.as_operand(end)} - {source.spelled(step)} + 1"
            yield mistake(source.replace(end, wrong), wrong=wrong)


def repeated_block(source: ParsedText) -> Iterator[Mistake]:
    """Drop the term of an index, or the increment of a pointer, that advances with the loop."""
    for loop, _ in source.loops():
        counter = source.spelled(loop.target)
        for node in in_order(loop, ast.AST):
            if isinstance(node, ast.AugAssign):
                if source.spelled(node.target).endswith(POINTERS):
                    yield mistake(source.drop_statement(node), gone=source.flat(node))
            elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
                if counter in names(node.left) and isinstance(node.right, ast.Call):
                    yield mistake(source.drop_left(node), gone=source.flat(node.left))
                elif counter in names(node.right):
                    yield mistake(source.drop_right(node), gone=source.flat(node.right))


def skipped_block(source: ParsedText) -> Iterator[Mistake]:
    """Start a loop, or the blocks of programs, at the second block."""
    for _, steps in source.loops():
        given = steps.args
        if len(given) in (2, 3) and source.spelled(given[0]) == "0":
            first = source.spelled(given[2]) if len(given) == 3 else "1"
            yield mistake(source.replace(given[0], first), wrong=first, right="0")
    for product in _block_offsets(source):
        number = source.spelled(product.left)
        wrong = f"({number} + 1)"
        yield mistake(source.replace(product.left, wrong), wrong=wrong, right=number)


def overlapping_blocks(source: ParsedText) -> Iterator[Mistake]:
    """Make each block start one element after the start of the previous block."""
    for product in _block_offsets(source):
        yield mistake(source.drop_right(product))


def _block_offsets(source: ParsedText) -> Iterator[ast.BinOp]:
    """Yield products of a program index and a block size."""
    for kernel in source.kernels:
        sizes = {argument.arg for argument in source.constants(kernel)}
        for node in in_order(kernel, ast.BinOp):
            index = source.spelled(node.left)
            is_product = isinstance(node.op, ast.Mult) and source.spelled(node.right) in sizes
            if is_product and ("program_id" in index or "pid" in index):
                yield node


def wrong_program_axis(source: ParsedText) -> Iterator[Mistake]:
    for call in source.calls(source.kernels, "program_id"):
        axis = call.args[0] if call.args else call.keywords[0].value
        if (number := source.spelled(axis)) in ("1", "2"):
            yield mistake(source.replace(axis, "0"), axis=number)


# --- Launches --------------------------------------------------------------------------------
def no_power_of_two(source: ParsedText) -> Iterator[Mistake]:
    for call in source.calls(source.launchers, "next_power_of_2"):
        size = source.spelled(call.args[0])
        yield mistake(source.replace(call, size), size=source.flat(call.args[0]))


def wrong_grid(source: ParsedText) -> Iterator[Mistake]:
    for call in source.calls(source.launchers, "cdiv"):
        size, block = map(source.as_operand, call.args[:2])
        edit = source.replace_by_operation(call, f"{size} // {block}")
        yield mistake(edit, size=source.flat(call.args[0]), block=source.flat(call.args[1]))


def swapped_arguments(source: ParsedText) -> Iterator[Mistake]:
    """Swap two adjacent arguments of a launch: two numbers, or an input and an output."""
    kernels = {kernel.name: kernel for kernel in source.kernels}
    for launcher in source.launchers:
        for node in in_order(launcher, ast.Call):
            launched = isinstance(node.func, ast.Subscript) and source.spelled(node.func.value)
            if not launched or launched not in kernels:
                continue
            kernel = kernels[launched]
            parameters = [argument.arg for argument in kernel.args.args]
            # After unpacked strides, the positions of arguments are unknown.
            given = takewhile(lambda one: not isinstance(one, ast.Starred), node.args)
            pairs = zip(given, parameters, strict=False)
            for (first, name), (second, other) in pairwise(pairs):
                pointers = [bool(POINTER.search(each)) for each in (name, other)]
                # Two inputs may be summands, whose order does not matter.
                is_output = len({name, other} & _written(source, kernel)) == 1
                if not any(pointers) or (all(pointers) and is_output):
                    yield mistake(
                        *source.swap(first, second),
                        left=source.flat(first), right=source.flat(second),
                        first=name, second=other,
                    )  # fmt: skip


def _written(source: ParsedText, kernel: ast.FunctionDef) -> set[str]:
    """Return the names of the pointers to which the kernel stores."""
    stores = source.calls([kernel], "store", "atomic_add", "atomic_max", "atomic_min")
    return {_first_name(kernel, call.args[0]) for call in stores}


def _first_name(kernel: ast.FunctionDef, address: ast.expr) -> str:
    seen: set[str] = set()
    while True:
        while isinstance(address, ast.BinOp):
            address = address.left
        name = address.id if isinstance(address, ast.Name) else ""
        values = [value for target, value in assigned(kernel) if target == name]
        if not values or name in seen:
            return name
        seen.add(name)
        address = values[0]


def uninitialized_output(source: ParsedText) -> Iterator[Mistake]:
    for call in source.calls(source.launchers, "zeros", "zeros_like"):
        name = source.spelled(call.func).replace("zeros", "empty")
        yield mistake(source.replace(call.func, name))
