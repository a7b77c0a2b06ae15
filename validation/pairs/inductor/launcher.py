"""Conversion of Inductor's code around the kernels to a launcher: allocate, launch, return."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from itertools import chain

from validation.pairs.inductor import Unwritable
from validation.pairs.inductor.plain_kernels import CompiledKernel

# Inductor's own bookkeeping, and reads of all sizes or strides of a tensor.
IDLE = re.compile(
    r"del |args\.clear|torch\.cuda\.set_device|assert_size_stride|assert_alignment"
    r"|\w+ = (get_raw_stream\(|\w+\.(size|stride)\(\)$)"
)
# Inductor's expressions, and the same in plain PyTorch.
PLAIN = (
    (r"(\w+)_(size|stride)\[(\d+)\]", r"\1.\2(\3)"),
    (r"empty_strided_cuda\((.*), (torch\.\w+)\)", r"torch.empty_strided(\1, dtype=\2, device=@)"),
    (r"reinterpret_tensor\(", "torch.as_strided("),
)
CALLED = re.compile(r"torch\.empty_strided|torch\.as_strided|min|max|\w+\.(size|stride)")
# Block sizes of a matrix product.
TILE = {"ZBLOCK": 1, "YBLOCK": 64, "XBLOCK": 64, "R0_BLOCK": 32}
POINTWISE = {1: (1024,), 2: (32, 32), 3: (16, 16, 4)}
# Block sizes of reductions: number of rows (ROWS), and elements along a row (ALONG).
ROWS, ALONG = 8, 1024
WIDE = 4096
AXES = {"XBLOCK": "x", "YBLOCK": "y", "ZBLOCK": "z", "R0_BLOCK": "r0_", "R1_BLOCK": "r1_"}


def body(
    module: ast.Module, kernels: Mapping[str, CompiledKernel], tensors: Sequence[str], alone: bool
) -> list[str]:
    """Return the launcher's statements.

    `tensors` are the launcher's parameters. If `alone`, the launcher returns a single tensor, and
    otherwise a tuple of tensors.
    """
    lines: list[str] = []
    names: dict[str, str] = {}
    for statement in _statements(module):
        text = ast.unparse(statement)
        if IDLE.match(text):
            continue
        if text.endswith(" = args"):
            names = dict(zip(re.findall(r"\w+", text.removesuffix("args")), tensors, strict=True))
            continue
        for pattern, plain in PLAIN:
            text = re.sub(pattern, plain, text)
        for name, tensor in names.items():
            text = re.sub(rf"\b{name}\b", tensor, text)
        lines.append(_line(text.replace("@", f"{tensors[0]}.device"), kernels, alone))
    return lines


def _statements(module: ast.Module) -> list[ast.stmt]:
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef) and node.name == "call":
            inner = [n.body if isinstance(n, ast.With) else [n] for n in node.body]
            return list(chain.from_iterable(inner))
    raise Unwritable("a module without a call")


def _line(text: str, kernels: Mapping[str, CompiledKernel], alone: bool) -> str:
    statement = ast.parse(text).body[0]
    for node in ast.walk(statement):
        if isinstance(node, ast.Call):
            function = ast.unparse(node.func)
            if kernel := kernels.get(function.removesuffix(".run")):
                return _launch(kernel, [ast.unparse(argument) for argument in node.args])
            if not CALLED.fullmatch(function):
                raise Unwritable(function)
    if isinstance(statement, ast.Return) and isinstance(value := statement.value, ast.Tuple):
        more = "," if len(value.elts) == 1 and not alone else ""
        return f"return {', '.join(map(ast.unparse, value.elts))}{more}"
    return text


def _launch(kernel: CompiledKernel, arguments: Sequence[str]) -> str:
    if len(arguments) != len(kernel.handed):
        raise Unwritable("a launch that does not fit its kernel")
    blocks, warps = configuration(kernel)
    # Numbers of elements come last: those along z, y and x, then those of the reduction axes.
    axes = [axis for axis in kernel.hints if not axis.startswith("r")]
    end = len(arguments) - (len(kernel.hints) - len(axes))
    counts = dict(zip("xyz", arguments[end - len(axes) : end][::-1], strict=False))
    words = [one for one, kept in zip(arguments, kernel.handed, strict=True) if kept]
    words += [f"{name}={size}" for name, size in blocks.items()]
    return f"{kernel.name}[{_grid(kernel, counts, blocks)}]({', '.join(words)}, num_warps={warps})"


def _grid(kernel: CompiledKernel, counts: Mapping[str, str], blocks: Mapping[str, int]) -> str:
    def programs(axis: str) -> str:
        block = blocks.get(f"{axis.upper()}BLOCK", 1)
        count = counts[axis]
        return count if block == 1 else f"triton.cdiv({count}, {block})"

    axes = [axis for axis in "xyz" if axis in counts]
    if kernel.grid == "BatchMatmulGrid3D":
        axes.reverse()
    if kernel.grid == "Grid2DWithYZOverflow":
        # CUDA allows at most 65,535 programs along the second axis of a grid.
        y = programs("y")
        return f"({programs('x')}, min({y}, 65535), triton.cdiv({y}, 65535))"
    return f"({', '.join(programs(axis) for axis in axes)}{',' if len(axes) == 1 else ''})"


def configuration(kernel: CompiledKernel) -> tuple[dict[str, int], int]:
    """Return the block sizes and the number of warps, instead of Inductor's list of candidates.

    They depend only on the kind of kernel and the approximate size of each axis. They are not tuned
    for a GPU or for an exact size.
    """
    hints = {block: kernel.hints.get(axis, 1) for block, axis in AXES.items()}
    if kernel.matrices:
        return {block: TILE[block] for block in kernel.blocks}, 4
    if "r0_" not in kernel.hints:
        sizes = zip(kernel.blocks, POINTWISE[min(len(kernel.blocks), 3)], strict=True)
        return {block: min(most, max(hints[block], 16)) for block, most in sizes}, 4
    along = min(hints["R0_BLOCK"], ALONG)
    # A kernel without a block along the row processes the full row at once.
    row = along if "R0_BLOCK" in kernel.blocks else hints["R0_BLOCK"]
    bounds = {
        "R0_BLOCK": along,
        "R1_BLOCK": min(hints["R1_BLOCK"], max(1, ALONG // along)),
        "XBLOCK": min(hints["XBLOCK"], ROWS, max(1, WIDE // max(1, row))),
    }
    return {block: bounds.get(block, 1) for block in kernel.blocks}, 8 if along >= ALONG else 4
