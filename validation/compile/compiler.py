"""Part of the check that uses Triton: loads a unit, and compiles its kernel for a guess.

Runs only in the sandbox, because loading a unit executes it.
"""

import contextlib
import linecache
import os
import re
import signal
import sys
import tempfile
import traceback
import types
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, make_backend
from triton.runtime import Autotuner, Heuristics, JITFunction

from validation.compile.compiler_errors import Complaint
from validation.compile.guess import MISSING, Constant, Dtype, Guess, Guessed
from validation.compile.outcome import TEXT_MOST, TEXTS
from validation.compile.resources import read_resources
from validation.compile.search import TooSlow
from validation.compile.value_sources import Place, place

try:
    from triton._C.libtriton import ir
except ImportError as error:  # another version of Triton, with different internals
    raise SystemExit(f"This Triton can't be asked for its first stage: {error}") from None

DEBUG_SECTION = "\t.section\t.debug"
# Source locations in Triton's IR, and lines with source locations in PTX.
LOCATIONS = re.compile(
    r"^#loc\d* = .*\n|^\s*\.(?:loc|file)\s.*\n| loc\((?:[^()]|\([^()]*\))*\)", re.MULTILINE
)


class NotLoaded(Exception):
    """The unit can't be executed; `by_triton` tells whether Triton itself rejected it."""

    def __init__(self, message: str, *, by_triton: bool) -> None:
        super().__init__(message)
        self.by_triton = by_triton


@dataclass(frozen=True, slots=True)
class Loaded:
    kernel: Any
    parameters: list[Guessed]
    known: dict[str, Constant]
    options: dict[str, int]


def imported(source: str) -> types.ModuleType:
    """Execute the unit from memory, because another process could change a file.

    Triton uses `inspect`, which finds the source in linecache, under a path without a file.
    """
    path = str(Path(tempfile.gettempdir()) / "unit.py")
    linecache.cache[path] = (len(source), None, source.splitlines(keepends=True), path)
    module = types.ModuleType("unit")
    module.__file__ = path
    sys.modules["unit"] = module
    try:
        exec(compile(source, path, "exec"), vars(module))  # noqa: S102 - in the sandbox
    except BaseException as error:  # noqa: BLE001 - scraped code may raise anything
        raise NotLoaded(_said(error), by_triton=_by_triton(error)) from None
    return module


def found_in(module: types.ModuleType, name: str) -> Loaded:
    """Return the kernel of a module."""
    kernel, tuned, options = _unwrapped(getattr(module, name, None))
    if kernel is None:
        kernel = next(
            (
                found
                for found in map(_jit_function, vars(module).values())
                if found is not None and found.fn.__name__ == name
            ),
            None,
        )
    if kernel is None:
        raise NotLoaded(f"The unit has no kernel {name} once it is executed.", by_triton=False)
    parameters = [
        Guessed(p.name, p.is_constexpr, p.default if p.has_default else MISSING)
        for p in kernel.params
    ]
    return Loaded(kernel, parameters, tuned, options)


def _unwrapped(value: object) -> tuple[Any, dict[str, Constant], dict[str, int]]:
    constants: dict[str, Constant] = {}
    options: dict[str, int] = {}
    while not isinstance(value, JITFunction):
        if isinstance(value, Autotuner) and value.configs:
            config = value.configs[0]
            constants |= {
                k: v for k, v in config.kwargs.items() if isinstance(v, int | str | float)
            }
            options = {"num_warps": config.num_warps, "num_stages": config.num_stages}
        if not isinstance(value, Autotuner | Heuristics) and not hasattr(value, "fn"):
            return None, {}, {}
        value = value.fn
    return value, constants, options


def _jit_function(value: object) -> Any:
    for _ in range(8):
        if isinstance(value, JITFunction):
            return value
        value = getattr(value, "fn", None)
    return None


class Compiler:
    """Compiler of one kernel for one target."""

    def __init__(self, loaded: Loaded, target: GPUTarget) -> None:
        self._loaded = loaded
        self._target = target
        self._backend: Any = make_backend(target)
        self._names = {parameter.name for parameter in loaded.parameters}

    def to_ttir(self, guess: Guess, seconds: float) -> Complaint | None:
        """Compile to the first stage, which finds most errors at a tenth of the cost."""
        context = ir.context()
        ir.load_dialects(context)
        self._backend.load_dialects(context)
        options = self._backend.parse_options({})
        try:
            with _alarm(seconds):
                self._source(guess).make_ir(
                    self._target,
                    options,
                    self._backend.get_codegen_implementation(options),
                    self._backend.get_module_map(),
                    context,
                )
        except TooSlow:
            raise
        except Exception as error:  # noqa: BLE001 - the frontend raises whatever Python does
            return _complaint(error)
        return None

    def to_binary(self, guess: Guess) -> dict[str, Any]:
        """Compile all stages. Return the stages' names, the binary's resources, and the outputs."""
        options = self._backend.parse_options({}).__dict__
        supported = {key: value for key, value in self._loaded.options.items() if key in options}
        compiled = triton.compile(self._source(guess), target=self._target, options=supported)
        made = compiled.asm
        used = None
        if "cubin" in made:
            metadata = compiled.metadata
            used = read_resources(made["cubin"], metadata.shared, metadata.num_warps)
        return {
            "stages": [name for name in ("ttir", "ptx", "cubin") if name in made],
            "resources": asdict(used) if used else {},
            "texts": {
                name: _without_locations(str(made[name]))[:TEXT_MOST]
                for name in TEXTS
                if name in made
            },
        }

    def _source(self, guess: Guess) -> ASTSource:
        names = [parameter.name for parameter in self._loaded.parameters]
        signature = {name: guess.types.get(name, "constexpr") for name in names}
        constants = {(names.index(k),): _constant(v) for k, v in guess.constants.items()}
        return ASTSource(self._loaded.kernel, signature, constants)


def _without_locations(text: str) -> str:
    """Return a compiler output without source locations, which are half of the text."""
    code, _, _ = text.partition(DEBUG_SECTION)
    return LOCATIONS.sub("", code).expandtabs(4)


def _constant(value: Constant) -> Any:
    if isinstance(value, Dtype):
        return getattr(tl, value.name)
    return tuple(map(_constant, value)) if isinstance(value, tuple) else value


def _complaint(error: BaseException) -> Complaint:
    """Return the innermost error, and the positions of the expressions in which it occurred."""
    places: list[Place] = []
    innermost: BaseException = error
    step: BaseException | None = error
    while step is not None:
        innermost = step
        node, text = getattr(step, "node", None), getattr(step, "src", None)
        if node is not None and hasattr(node, "col_offset"):
            places.insert(0, place(_function_name(text), node))
        step = step.__cause__
    message = _said(innermost)
    if "error encountered during parsing" in message:
        message = _from_native_code() or message
    return Complaint(message, places)


def _from_native_code() -> str:
    """Return the first error that MLIR printed since the last call. MLIR raises no exceptions."""
    sys.stderr.flush()
    position = os.lseek(2, 0, os.SEEK_CUR)
    output = os.pread(2, min(position, 1 << 16), max(0, position - (1 << 16))).decode(
        errors="replace"
    )
    errors = re.findall(r"error: (.*)", output)
    os.ftruncate(2, 0)
    os.lseek(2, 0, os.SEEK_SET)
    return errors[0] if errors else ""


def _function_name(text: str | None) -> str:
    _, _, rest = (text or "").partition("def ")
    return rest.partition("(")[0].strip()


def _said(error: BaseException) -> str:
    own = getattr(error, "error_message", None)
    if own:
        return str(own)
    if hasattr(error, "node"):
        text = str(error)
        return text.rpartition("^\n")[2] or text
    return f"{type(error).__name__}: {error}"


def _by_triton(error: BaseException) -> bool:
    """Return whether Triton raised the error, or lacks a name or parameter that the unit uses."""
    frames = traceback.extract_tb(error.__traceback__)
    home = str(Path(triton.__file__).parent)
    within = bool(frames) and frames[-1].filename.startswith(home)
    message = str(error)
    lacks = isinstance(error, AttributeError | ImportError) and "triton" in message
    owner = message.partition("(")[0].partition(".")[0]
    takes = isinstance(error, TypeError) and "argument" in message and hasattr(triton, owner)
    return within or lacks or takes


@contextlib.contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    def ring(number: int, frame: types.FrameType | None) -> None:
        raise TooSlow

    signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, max(seconds, 0.01))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
