"""Mistakes in grids, blocks and launch arguments."""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise, takewhile

from validation.repairs.kind import MistakeKind
from validation.repairs.source import Edits, Mistake, ParsedText, Replacement, in_order
from validation.repairs.tiles import VIEW
from validation.repairs.value_flow import is_computed_from, names, values_of
from validation.repairs.value_flow import sources as values

POINTER = re.compile(r"_(ptr|pointer|base)$")
POINTERS = ("ptr", "ptrs")


def missing_constexprs(source: ParsedText) -> Iterator[Mistake]:
    for kernel in source.kernels:
        for argument in (*kernel.args.args, *kernel.args.kwonlyargs):
            if argument.annotation and "constexpr" in source.spelled(argument.annotation):
                edit = source.replace(argument, argument.arg)
                yield Mistake(
                    (edit,), {"name": argument.arg, "use": _use(source, kernel, argument)}
                )


def _use(source: ParsedText, kernel: ast.FunctionDef, argument: ast.arg) -> str:
    """Return the use of a constexpr parameter in a kernel, for an explanation."""
    for call in source.calls([kernel], "arange", "zeros", "full"):
        if argument.arg in names(call):
            return f"`{source.flat(call)}` makes a tile of that size"
    for node in in_order(kernel):
        if isinstance(node, ast.If) and argument.arg in names(node.test):
            return f"`if {source.flat(node.test)}` chooses the code"
    return "other constants are computed from it"


def no_powers_of_two(source: ParsedText) -> Iterator[Mistake]:
    for call in source.calls(source.launchers, "next_power_of_2"):
        size = source.spelled(call.args[0])
        yield Mistake((source.replace(call, size),), {"size": source.flat(call.args[0])})


def wrong_grids(source: ParsedText) -> Iterator[Mistake]:
    for call in source.calls(source.launchers, "cdiv"):
        size, block = map(source.as_operand, call.args[:2])
        edit = source.replace_by_operation(call, f"{size} // {block}")
        facts = {"size": source.flat(call.args[0]), "block": source.flat(call.args[1])}
        yield Mistake((edit,), facts)


SHORT_LOOP = {
    "what": "The loop ends before the last, incomplete block, so its elements are left out",
    "fix": "The loop must go on to the end, and the mask bounds its last block",
}

MUCH_SHORTER_LOOP = {
    "what": "The loop ends too early, so elements at the end are left out",
    "fix": "The loop must go on to the end, and the mask bounds its last block",
}


def short_loops(source: ParsedText) -> Iterator[Mistake]:
    """Skip the last, partial block: of a loop, or where blocks are counted."""
    deciding = _deciding_loops(source)
    for call in source.calls(source.kernels, "cdiv"):
        size, block = map(source.as_operand, call.args[:2])
        down = f"{size} // {block}"
        facts = {
            "what": f"`{down}` rounds down, so it does not count the last, incomplete block",
            "fix": f"`{source.flat(call)}` counts that block too",
        }
        edit = source.replace_by_operation(call, down)
        yield Mistake((edit,), SHORT_LOOP if id(call) in deciding else facts)
    for _, steps in source.loops():
        if len(steps.args) == 3:
            end, step = steps.args[1:]
            text = f"{source.as_operand(end)} - {source.spelled(step)} + 1"
            # Other loops skip full blocks too.
            is_plain = source.spelled(steps.args[0]) == "0" and isinstance(step, ast.Name)
            yield Mistake(
                (source.replace(end, text),), SHORT_LOOP if is_plain else MUCH_SHORTER_LOOP
            )


def _deciding_loops(source: ParsedText) -> set[int]:
    """Return ids of the nodes in loop ranges, and in values of names used there."""
    inside = [node for _, steps in source.loops() for node in ast.walk(steps)]
    names = {node.id for node in inside if isinstance(node, ast.Name)}
    for kernel in source.kernels:
        for node in in_order(kernel):
            if isinstance(node, ast.Assign) and source.spelled(node.targets[0]) in names:
                inside += ast.walk(node.value)
    return set(map(id, inside))


def repeated_blocks(source: ParsedText) -> Iterator[Mistake]:
    """Drop the term of an index, or the increment of a pointer, that advances with the loop."""
    for kernel in source.kernels:
        loops = (node for node in in_order(kernel) if isinstance(node, ast.For))
        for loop in (loop for loop in loops if isinstance(loop.iter, ast.Call)):
            counter = source.spelled(loop.target)
            for node in in_order(loop):
                if isinstance(node, ast.AugAssign):
                    if (target := source.spelled(node.target)).endswith(POINTERS):
                        facts = {"gone": source.flat(node), "what": f"`{target}`", "lanes": ""}
                        yield Mistake((source.drop_statement(node),), facts)
                elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
                    if counter in names(node.left) and isinstance(node.right, ast.Call):
                        facts = _without_part(source, kernel, node.left)
                        yield Mistake((source.drop_left(node),), facts)
                    elif counter in names(node.right):
                        facts = _without_part(source, kernel, node.right)
                        yield Mistake((source.drop_right(node),), facts)


def _without_part(source: ParsedText, kernel: ast.FunctionDef, part: ast.expr) -> dict[str, str]:
    facts = {"gone": source.flat(part), "what": "the address", "lanes": ""}
    if is_computed_from(kernel, part, "arange"):
        texts = (source.spelled(root) for root in values(kernel, part))
        axis = " along that axis" if any(VIEW.search(text) for text in texts) else ""
        facts["lanes"] = (
            f" `{facts['gone']}` also holds the offsets of the lanes, so all lanes{axis} take the "
            "same element."
        )
    return facts


def skipped_blocks(source: ParsedText) -> Iterator[Mistake]:
    """Start a loop at the second block."""
    for _, steps in source.loops():
        given = steps.args
        if len(given) in (2, 3) and source.spelled(given[0]) == "0":
            first = source.spelled(given[2]) if len(given) == 3 else "1"
            what = f"The loop begins at `{first}` instead of 0, so it leaves the first block out"
            yield Mistake((source.replace(given[0], first),), {"what": what})
    for kernel in source.kernels:
        for product in _block_offsets(source, kernel):
            number = source.spelled(product.left)
            what = f"`{number}` counts from 0, so with `+ 1` no program computes the first block"
            edit = source.replace(product.left, f"({number} + 1)")
            yield Mistake((edit,), {"what": what})


def overlapping_blocks(source: ParsedText) -> Iterator[Edits]:
    """Make each block start one element after the start of the previous block."""
    for kernel in source.kernels:
        for product in _block_offsets(source, kernel):
            yield (source.drop_right(product),)


def _block_offsets(source: ParsedText, kernel: ast.FunctionDef) -> Iterator[ast.BinOp]:
    """Yield products of a program index and a block size."""
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


def wrong_program_axes(source: ParsedText) -> Iterator[Mistake]:
    for kernel in source.kernels:
        stored = {
            id(node)
            for call in source.calls([kernel], "store")
            for node in ast.walk(call.args[0])
        }  # fmt: skip
        for call in source.calls([kernel], "program_id"):
            axis = call.args[0] if call.args else call.keywords[0].value
            if (number := source.spelled(axis)) in ("1", "2"):
                what = (
                    f"The number along axis 0 of the grid takes the place of the number along axis "
                    f"{number}. Programs that differ only along axis {number} do the same work, "
                    "and other work is left out"
                )
                if _is_diagonal(source, kernel, call):
                    what = (
                        "Two indices come from the same axis of the grid, so only tiles on the "
                        "diagonal are computed, each of them once for every program of the other "
                        "axis"
                    )
                if id(call) in stored:
                    what = (
                        f"The address takes the number along axis 0 of the grid in place of axis "
                        f"{number}. Programs that differ along axis {number} write to one place, "
                        "and the other places stay unwritten"
                    )
                yield Mistake((source.replace(axis, "0"),), {"what": what})


def _is_diagonal(source: ParsedText, kernel: ast.FunctionDef, changed: ast.Call) -> bool:
    """Return whether the changed `program_id` would equal another one, which has axis 0.

    An index that selects the steps of a loop splits the work of one tile. An index that is divided
    does not number tiles along one axis.
    """
    calls = list(source.calls([kernel], "program_id"))
    firsts = [call for call in calls if source.spelled(call).endswith(("(0)", "=0)"))]
    nodes = in_order(kernel)
    loops = [node.iter for node in nodes if isinstance(node, ast.For)]
    divided = [
        part
        for node in nodes
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv | ast.Mod)
        for part in (node.left, *values_of(kernel, source.spelled(node.left)))
        if "arange" not in source.spelled(part)
    ]
    steps = [root for loop in loops for root in values(kernel, loop)]
    is_split = any(leaf is call for step in steps for leaf in ast.walk(step) for call in calls)
    parts = [leaf for part in divided for leaf in ast.walk(part)]
    is_divided = any(leaf is call for leaf in parts for call in (changed, *firsts))
    return bool(firsts) and not is_split and not is_divided


def swapped_arguments(source: ParsedText) -> Iterator[Mistake]:
    """Swap two adjacent numbers in a launch, or an input and an output."""
    parameters = {kernel.name: [a.arg for a in kernel.args.args] for kernel in source.kernels}
    written = {kernel.name: _written(source, kernel) for kernel in source.kernels}
    for launcher in source.launchers:
        for node in in_order(launcher):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Subscript):
                continue
            kernel = source.spelled(node.func.value)
            names = parameters.get(kernel, [])
            # After unpacked strides, the positions of arguments are unknown.
            given = list(
                takewhile(lambda argument: not isinstance(argument, ast.Starred), node.args)
            )
            for (first, name), (second, other) in pairwise(zip(given, names, strict=False)):
                texts = source.flat(first), source.flat(second)
                facts = {"one": texts[0], "two": texts[1], "first": name, "second": other}
                facts["harm"] = ""
                are_pointers = [bool(POINTER.search(each)) for each in (name, other)]
                if any(are_pointers):
                    # Two inputs may be summands, whose order does not matter.
                    outputs = {name, other} & written[kernel]
                    if not all(are_pointers) or len(outputs) != 1:
                        continue
                    right, wrong = texts if name in outputs else reversed(texts)
                    facts["harm"] = f", so it writes into `{wrong}` instead of `{right}`"
                yield Mistake(source.swap(first, second), facts)


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
        assigned = values_of(kernel, name)
        if not assigned or name in seen:
            return name
        seen.add(name)
        address = assigned[0]


def uninitialized_outputs(source: ParsedText) -> Iterator[Mistake]:
    adds = any(source.calls(source.kernels, "atomic_add"))
    what = "The kernel adds to that" if adds else "What no program writes keeps it"
    for call in source.calls(source.launchers, "zeros", "zeros_like"):
        end = source.end(call.func)
        start = source.start(call.func)
        name = source.text[start:end].replace("zeros", "empty")
        yield Mistake((Replacement(start, end, name),), {"what": what})


KINDS = (
    MistakeKind(
        "missing-constexpr",
        missing_constexprs,
        "The value of `{name}` must be known when the kernel is compiled: {use}.",
        "`tl.constexpr` makes it a constant of the compiled kernel.",
    ),
    MistakeKind(
        "no-power-of-two",
        no_powers_of_two,
        "The length of a `tl.arange` must be a power of two, and `{size}` may be any number.",
        "`triton.next_power_of_2` rounds it up, and the mask hides the rest.",
    ),
    MistakeKind(
        "wrong-grid",
        wrong_grids,
        "`{size} // {block}` rounds down. Where `{block}` does not divide `{size}`, the grid has "
        "too few programs, and the blocks with the highest numbers are never computed.",
        "`triton.cdiv` rounds up, so every block has a program.",
    ),
    MistakeKind(
        "short-loop",
        short_loops,
        "{what}.",
        "{fix}.",
    ),
    MistakeKind(
        "repeated-block",
        repeated_blocks,
        "Without `{gone}`, {what} does not move with the loop, so each iteration takes the same "
        "elements.{lanes}",
        "With it, each iteration takes its own elements.",
    ),
    MistakeKind(
        "skipped-block",
        skipped_blocks,
        "{what}.",
        "The first block begins at 0.",
    ),
    MistakeKind(
        "overlapping-blocks",
        overlapping_blocks,
        "The program ID is not multiplied by the size of a block, so the blocks of neighboring "
        "programs begin one element apart: they overlap, and do not reach all elements.",
        "With the product, each program has a block of its own.",
    ),
    MistakeKind(
        "wrong-program-axis",
        wrong_program_axes,
        "{what}.",
        "Each index must come from its own axis of the grid.",
    ),
    MistakeKind(
        "swapped-arguments",
        swapped_arguments,
        "The launch passes `{two}` as `{first}` and `{one}` as `{second}`{harm}.",
        "The arguments must come in the order of the parameters.",
    ),
    MistakeKind(
        "uninitialized-output",
        uninitialized_outputs,
        "`empty` leaves in the tensor what its memory held before. {what}.",
        "The tensor must begin with zeros.",
    ),
)
