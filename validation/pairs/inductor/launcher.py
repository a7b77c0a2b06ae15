"""Conversion of Inductor's code around the kernels to a launcher: allocate, launch, return."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from validation.pairs.inductor import Unwritable
from validation.pairs.inductor.plain_kernels import CompiledKernel

# Calls for Inductor's own bookkeeping. They are removed.
IDLE = frozenset({"args.clear", "torch.cuda.set_device", "assert_size_stride", "assert_alignment"})
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
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef) and node.name == "call":
            launcher = _Body(kernels, tensors, alone)
            launcher.add(node.body)
            return launcher.lines
    raise Unwritable("a module without a call")


@dataclass
class _Body:
    kernels: Mapping[str, CompiledKernel]
    tensors: Sequence[str]
    alone: bool
    lines: list[str] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)

    def add(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            self._statement(statement)

    def _statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.With(body=inner):
                self.add(inner)
            case ast.Delete():
                pass
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Name(id="args")):
                self.names = {
                    name.id: tensor
                    for name, tensor in zip(names, self.tensors, strict=True)
                    if isinstance(name, ast.Name)
                }
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call):
                self._assigned(name, call)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self.lines.append(f"{name} = {self._text(value)}")
            case ast.Expr(value=ast.Call() as call):
                self._called(call)
            case ast.Return(value=ast.Tuple(elts=elements)):
                outputs = [self._text(element) for element in elements]
                more = "," if len(outputs) == 1 and not self.alone else ""
                self.lines.append(f"return {', '.join(outputs)}{more}")
            case _:
                raise Unwritable("a statement that no launcher has")

    def _assigned(self, name: str, call: ast.Call) -> None:
        function = ast.unparse(call.func)
        if function == "get_raw_stream":
            return
        if function.endswith((".size", ".stride")):
            # `_Named.visit_Subscript` replaces the uses of the name, such as `x_size[0]`.
            self.names[name] = ast.unparse(call)
            return
        self.lines.append(f"{name} = {self._text(call)}")

    def _called(self, call: ast.Call) -> None:
        function = ast.unparse(call.func)
        kernel = self.kernels.get(function.removesuffix(".run"))
        if kernel is not None and function.endswith(".run"):
            self._launch(kernel, [self._text(argument) for argument in call.args])
        elif function not in IDLE:
            raise Unwritable(function)

    def _launch(self, kernel: CompiledKernel, arguments: Sequence[str]) -> None:
        if len(arguments) != len(kernel.handed):
            raise Unwritable("a launch that does not fit its kernel")
        blocks, warps = configuration(kernel)
        # Numbers of elements come last: those along z, y and x, then those of the reduction axes.
        axes = [axis for axis in kernel.hints if not axis.startswith("r")]
        end = len(arguments) - (len(kernel.hints) - len(axes))
        counts = dict(zip("xyz", arguments[end - len(axes) : end][::-1], strict=False))
        words = [one for one, kept in zip(arguments, kernel.handed, strict=True) if kept]
        words += [f"{name}={size}" for name, size in blocks.items()]
        grid = _grid(kernel, counts, blocks)
        self.lines.append(f"{kernel.name}[{grid}]({', '.join(words)}, num_warps={warps})")

    def _text(self, node: ast.expr) -> str:
        return ast.unparse(_Named(self.names, f"{self.tensors[0]}.device").visit(node))


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


class _Named(ast.NodeTransformer):
    """AST transformer that replaces Inductor's names for inputs, sizes and allocations."""

    def __init__(self, names: Mapping[str, str], device: str) -> None:
        self._names = names
        self._device = device

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.parse(self._names.get(node.id, node.id), mode="eval").body

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """Replace `x_size[0]` if `x_size` was assigned `x.size()`."""
        self.generic_visit(node)
        if isinstance(node.value, ast.Call) and not node.value.args:
            read = ast.unparse(self.visit(node.value.func))
            return ast.parse(f"{read}({ast.unparse(node.slice)})", mode="eval").body
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        function = ast.unparse(node.func)
        words = [ast.unparse(argument) for argument in node.args]
        if function == "empty_strided_cuda":
            shape, strides, dtype = words
            where = f"dtype={dtype}, device={self._device}"
            text = f"torch.empty_strided({shape}, {strides}, {where})"
        elif function == "reinterpret_tensor":
            text = f"torch.as_strided({', '.join(words)})"
        elif function.endswith((".size", ".stride")) or function in ("min", "max"):
            return node
        else:
            raise Unwritable(function)
        return ast.parse(text, mode="eval").body


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
