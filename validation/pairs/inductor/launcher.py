"""Conversion of Inductor's code around kernels to a launcher: allocate, launch, return."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from validation.pairs.inductor.plain_kernels import CompiledKernel
from validation.pairs.inductor.unwritable import Unwritable

# Calls for Inductor's own bookkeeping, which are dropped.
IDLE = frozenset({"args.clear", "torch.cuda.set_device", "assert_size_stride", "assert_alignment"})
# Block sizes of a matrix product.
TILE = {"ZBLOCK": 1, "YBLOCK": 64, "XBLOCK": 64, "R0_BLOCK": 32}
POINTWISE = {1: (1024,), 2: (32, 32), 3: (16, 16, 4)}
# Block sizes of reductions: number of rows, and elements along a row.
ROWS, ALONG = 8, 1024
WIDE = 4096
AXES = {"XBLOCK": "x", "YBLOCK": "y", "ZBLOCK": "z", "R0_BLOCK": "r0_", "R1_BLOCK": "r1_"}


def body(
    module: ast.Module,
    kernels: Mapping[str, CompiledKernel],
    tensors: Sequence[str],
    *,
    alone: bool,
) -> list[str]:
    """Return the launcher's statements.

    `tensors` are its parameters. It returns a single tensor if `alone`, otherwise a tuple of
    tensors.
    """
    return _Body(kernels, tensors, alone).written(_call(module))


def _call(module: ast.Module) -> ast.FunctionDef:
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef) and node.name == "call":
            return node
    raise Unwritable("a module without a call")


@dataclass
class _Body:
    kernels: Mapping[str, CompiledKernel]
    tensors: Sequence[str]
    alone: bool
    lines: list[str] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)

    def written(self, call: ast.FunctionDef) -> list[str]:
        self._statements(call.body)
        return self.lines

    def _statements(self, statements: Sequence[ast.stmt]) -> None:
        for statement in statements:
            self._statement(statement)

    def _statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.With(body=inner):
                self._statements(inner)
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
            # `_Named.visit_Subscript` replaces its uses, such as `x_size[0]`.
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
        settings = configuration(kernel)
        counts = dict(zip(("x", "y", "z"), _counts(kernel, arguments), strict=False))
        kept_arguments = [one for one, kept in zip(arguments, kernel.handed, strict=True) if kept]
        blocks = [f"{name}={size}" for name, size in settings.blocks.items()]
        grid = _grid(kernel, counts, settings.blocks)
        words = ", ".join([*kept_arguments, *blocks, f"num_warps={settings.warps}"])
        self.lines.append(f"{kernel.name}[{grid}]({words})")

    def _text(self, node: ast.expr) -> str:
        return ast.unparse(_Named(self.names, f"{self.tensors[0]}.device").visit(node))


def _counts(kernel: CompiledKernel, arguments: Sequence[str]) -> list[str]:
    """Return the numbers of elements along x, y and z: the last arguments, in reverse."""
    axes = [axis for axis in kernel.hints if not axis.startswith("r")]
    reduced = len(kernel.hints) - len(axes)
    end = len(arguments) - reduced
    return list(arguments[end - len(axes) : end])[::-1]


def _grid(kernel: CompiledKernel, counts: Mapping[str, str], blocks: Mapping[str, int]) -> str:
    def programs(axis: str) -> str:
        block = blocks.get(f"{axis.upper()}BLOCK", 1)
        count = counts[axis]
        return count if block == 1 else f"triton.cdiv({count}, {block})"

    axes = [axis for axis in "xyz" if axis in counts]
    if kernel.grid == "BatchMatmulGrid3D":
        axes.reverse()
    if kernel.grid == "Grid2DWithYZOverflow":
        # CUDA limits the second axis of a grid to 65,535 programs.
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
        """Replace `x_size[0]`, where `x_size` was assigned `x.size()`."""
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


@dataclass(frozen=True, slots=True)
class Configuration:
    blocks: dict[str, int]
    warps: int


def configuration(kernel: CompiledKernel) -> Configuration:
    """Return one fixed configuration instead of Inductor's list to try.

    It depends only on the kind of kernel and the approximate size of each axis. It is not tuned for
    a GPU or an exact size.
    """
    hints = {block: kernel.hints.get(AXES[block], 1) for block in AXES}
    if kernel.matrices:
        return Configuration({block: TILE[block] for block in kernel.blocks}, 4)
    if "r0_" in kernel.hints:
        return _of_reduction(kernel, hints)
    sizes = POINTWISE[min(len(kernel.blocks), 3)]
    blocks = {b: min(most, max(hints[b], 16)) for b, most in zip(kernel.blocks, sizes, strict=True)}
    return Configuration(blocks, 4)


def _of_reduction(kernel: CompiledKernel, hints: dict[str, int]) -> Configuration:
    along = min(hints["R0_BLOCK"], ALONG)
    blocks = {}
    for block in kernel.blocks:
        if block == "R0_BLOCK":
            blocks[block] = along
        elif block == "R1_BLOCK":
            blocks[block] = min(hints[block], max(1, ALONG // along))
        elif block == "XBLOCK":
            # Without a block along the row, the kernel processes a full row at once.
            room = WIDE // max(1, along if "R0_BLOCK" in kernel.blocks else hints["R0_BLOCK"])
            blocks[block] = min(hints[block], ROWS, max(1, room))
        else:
            blocks[block] = 1
    return Configuration(blocks, 8 if along >= ALONG else 4)
