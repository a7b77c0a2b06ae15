"""Compilation of recorded launches' kernels to Triton's first stage, without a GPU.

Triton's interpreter runs kernels as Python, and accepts much that its compiler rejects. The
recorded launches have the types and constants of each kernel, so nothing is guessed.
"""

import math
import re
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import torch
import triton
import triton.language as tl
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, make_backend
from triton.compiler.errors import CompilationError
from triton.runtime import interpreter, jit

from validation.harness.pool.channel import Blob
from validation.harness.program import Launch
from validation.harness.program_reader import read
from validation.harness.replayer.kernel_syntax import UnsupportedKernel
from validation.harness.replayer.text_kernels import TextKernels, value_of, values_of_views

TARGET = GPUTarget("cuda", 90, 32)
# Number of distinct launches to compile for an entry, and CPU seconds for all of them.
LAUNCHES_MOST = 8
SECONDS = 20.0
# An address that needs 64 bits; its value does not matter.
ADDRESS = 1 << 40
# Errors that concern another target or this process, not the kernel.
OF_THE_TARGET = re.compile(
    r"supported (?:on|in|for) (?:this|sm|hip|cuda|arch|target|the (?:arch|target|device))"
    r"|requires (?:sm|compute|nvidia|amd|cuda)|InterpreterError",
    re.IGNORECASE,
)
# An error's `repr`, which Triton uses as its message.
REPR_OF_ERROR = re.compile(r"^(?!KeyError)\w+\((['\"])(.*)\1,?\)$", re.DOTALL)
UNDEFINED = re.compile(r"^(\w+) is not defined$")
# Triton's message if the IR that it generated is malformed.
UNVERIFIED = "error encountered during parsing"

_compiled: dict[int, Any] = {}
"""Compilable versions of Triton's library functions, by the id of the interpreter's version."""


class CompileTooSlow(BaseException):
    """The CPU time is used up. Not a subclass of Exception, because Triton would catch that."""


@dataclass(frozen=True, slots=True)
class Specialized:
    """A kernel specialized for a launch: the types and constants that Triton derives from it."""

    kernel: Any
    options: dict[str, Any]
    bound: Any
    types: Any

    @property
    def key(self) -> str:
        # Constants and types decide whether a kernel compiles. Alignment does not.
        constants = [(kind, value if kind == "constexpr" else "") for kind, value in self.types]
        return repr((id(self.kernel), constants, self.options.get("num_warps")))


def prepare(kernel: Any) -> None:
    """Do the work that all children need, and compile `kernel`, which imports Triton's compiler."""
    for _, _, function in _interpreted():
        _compiled[id(function)] = jit.JITFunction(function.fn)
    backend, function = _Backend(), jit.JITFunction(kernel.fn)
    backend.compile(backend.specialize(function, (torch.empty(1), 4), {}))


class CompilingProcess:
    """Worker role that compiles kernels. It interprets none, because a process can't do both."""

    def __init__(self, order: dict[str, Any]) -> None:
        self._text, self._backend = order["triton_code"], _Backend()
        self._kernels: dict[str, TextKernels] = {}
        self._unclear: Counter[str] = Counter()
        triton.knobs.runtime.interpret = False
        for owner, name, function in list(_interpreted()):
            setattr(owner, name, _compiled[id(function)])

    def compile(self, order: dict[str, Any], _: list[memoryview]) -> tuple[Any, list[Blob]]:
        """Answer with the kernels that Triton rejects, and with unclear cases."""
        refused: dict[str, Any] = {}
        done = 0
        with suppress(CompileTooSlow), _limit(SECONDS):
            launches = self._launches(order["programs"])
            for launch, kernels in launches[:LAUNCHES_MOST]:
                name = launch.kernel.fn.__name__
                try:
                    self._backend.compile(launch)
                except Exception as error:  # noqa: BLE001 - Triton raises whatever Python does
                    reason, line = _complaint(error, kernels)
                    if _is_of_the_kernel(error, reason, kernels):
                        refused.setdefault(name, {"reason": reason, "line": line})
                    else:
                        self._unclear[f"{name}: {reason}"] += 1
                done += 1
        return {
            "done": done, "left_out": len(launches) - done,
            "refused": refused, "unclear": list(self._unclear),
        }, []  # fmt: skip

    def _launches(self, programs: Sequence[Any]) -> list[tuple[Specialized, TextKernels]]:
        """Return the distinct launches: each kernel's largest first, then each second largest."""
        largest: dict[str, tuple[int, Specialized, TextKernels]] = {}
        for program in map(read, programs):
            key = repr(program.kernels)
            kernels = self._kernels.setdefault(key, TextKernels(self._text, program.kernels))
            for instruction in program.every_instruction():
                if isinstance(instruction, Launch):
                    try:
                        launch = self._specialized(instruction, kernels)
                    except UnsupportedKernel:
                        # The replay of the launch reports this error.
                        continue
                    except Exception as error:  # noqa: BLE001 - as above
                        self._unclear[_brief(f"{type(error).__name__}: {error}")] += 1
                        continue
                    count = math.prod(instruction.grid)
                    if count > largest.get(launch.key, (0,))[0]:
                        largest[launch.key] = (count, launch, kernels)
        ranks: Counter[int] = Counter()
        ordered = []
        for count, launch, kernels in sorted(largest.values(), key=lambda one: -one[0]):
            ordered.append((ranks[id(launch.kernel)], -count, launch, kernels))
            ranks[id(launch.kernel)] += 1
        ordered.sort(key=lambda one: one[:2])
        return [(launch, kernels) for *_, launch, kernels in ordered]

    def _specialized(self, launch: Launch, kernels: TextKernels) -> Specialized:
        # Tensors and addresses need only their type; constants need their value.
        special: dict[str, Callable[[Any], Any]] = {
            **values_of_views(lambda view: torch.empty(1, dtype=getattr(torch, view.dtype))),
            "address": lambda _: ADDRESS,
            "kernel": kernels.__getitem__,
            "list": lambda parts: tuple(value_of(part, special) for part in parts),
        }
        arguments = [value_of(one, special) for one in launch.arguments]
        options = {name: one.value for name, one in launch.options.items() if one.kind == "plain"}
        return self._backend.specialize(kernels[launch.kernel], arguments, options)


class _Backend:
    """Triton's compiler backend for the target."""

    def __init__(self) -> None:
        self._backend: Any = make_backend(TARGET)
        self._options = set(vars(self._backend.parse_options({}))) - {"arch", "ir_override"}
        self._binders: dict[int, Any] = {}

    def specialize(
        self, kernel: Any, arguments: Sequence[Any], options: dict[str, Any]
    ) -> Specialized:
        if id(kernel) not in self._binders:
            self._binders[id(kernel)] = jit.create_function_from_signature(
                kernel.signature, kernel.params, self._backend
            )
        known = {name: value for name, value in options.items() if name in self._options}
        bound, types, _ = self._binders[id(kernel)](*arguments)
        return Specialized(kernel, known, bound, types)

    def compile(self, launch: Specialized) -> None:
        """Compile a kernel to the first stage. Exceptions are Triton's."""
        kernel, backend = launch.kernel, self._backend
        options, signature, constants, attributes = kernel._pack_args(
            backend, launch.options, launch.bound, launch.types, None
        )
        context = ir.context()
        ir.load_dialects(context)
        backend.load_dialects(context)
        ASTSource(kernel, signature, constants, attributes).make_ir(
            TARGET, options, backend.get_codegen_implementation(options),
            backend.get_module_map(), context,
        )  # fmt: skip


def _interpreted() -> Iterator[tuple[Any, str, Any]]:
    """Yield the functions that the interpreter patches: owner, name and function.

    A patched method of tensors is a closure over the interpreter's function.
    """
    modules = [module for name, module in sys.modules.items() if name.startswith("triton.language")]
    for module in modules:
        for name, value in vars(module).items():
            if isinstance(value, interpreter.InterpretedFunction):
                yield module, name, value
    for name, value in vars(tl.tensor).items():
        cells: tuple[Any, ...] = getattr(value, "__closure__", None) or ()
        if len(cells) == 1 and isinstance(
            function := cells[0].cell_contents, interpreter.InterpretedFunction
        ):
            yield tl.tensor, name, function


def _complaint(error: BaseException, kernels: TextKernels) -> tuple[str, int | None]:
    """Return the innermost error message, and the line of triton_code that it refers to."""
    innermost, line = error, None
    while True:
        if isinstance(innermost, CompilationError):
            name = (innermost.src or "").partition("def ")[2].partition("(")[0].strip()
            first = kernels.line(name)
            if first is not None and hasattr(innermost.node, "lineno"):
                line = first + innermost.node.lineno - 1
        if innermost.__cause__ is None:
            break
        innermost = innermost.__cause__
    reason = getattr(innermost, "error_message", None) or str(innermost) or type(innermost).__name__
    return _brief(REPR_OF_ERROR.sub(r"\2", reason)), line


def _is_of_the_kernel(error: BaseException, reason: str, kernels: TextKernels) -> bool:
    """Return whether Triton rejects the kernel on every machine."""
    if undefined := UNDEFINED.match(reason):
        # The text may define the name, with a value that the recording could not describe.
        return undefined[1] not in kernels.unknown
    if OF_THE_TARGET.search(reason):
        return False
    return isinstance(error, CompilationError) or "num_warps" in reason or UNVERIFIED in reason


def _brief(text: str) -> str:
    return " ".join(text.split())[:300]


@contextmanager
def _limit(seconds: float) -> Iterator[None]:
    """Raise CompileTooSlow after this much CPU time."""

    def ring(*_: object) -> None:
        raise CompileTooSlow

    signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
