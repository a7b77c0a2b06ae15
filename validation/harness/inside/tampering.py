"""Did the entry replace what it is judged with? Notes what modules hold before it is imported."""

import operator
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

from validation.harness.inside.hidden import hidden
from validation.harness.inside.kinds import HELD, OF_C, answers, by_entry, is_known

# What runs while a kernel is launched: modules, classes, and what Triton asks for hooks.
ON_THE_WAY = (
    "builtins", "numpy", "numpy._core.fromnumeric", "numpy._core.multiarray",
    "numpy._core.numeric", "torch.Tensor", "torch.UntypedStorage",
    "torch.utils._device.DeviceContext", "torch.utils._python_dispatch",
    "torch.utils._python_dispatch.TorchDispatchMode", "triton",
    "triton.backends.nvidia.driver.CudaLauncher", "triton.backends.nvidia.driver.CudaUtils",
    "triton.compiler.compiler", "triton.compiler.compiler.CompiledKernel", "triton.knobs",
    "triton.knobs.compilation", "triton.knobs.runtime", "triton.language.core.constexpr",
    "triton.language.core.dtype", "triton.language.core.tensor", "triton.runtime",
    "triton.runtime.autotuner", "triton.runtime.driver", "triton.runtime.interpreter",
    "triton.runtime.interpreter._interpreter", "triton.runtime.interpreter.GridExecutor",
    "triton.runtime.interpreter.FunctionRewriter",
    "triton.runtime.interpreter.InterpretedFunction",
    "triton.runtime.interpreter.InterpreterBuilder",
    "triton.runtime.interpreter.interpreter_builder",
    "triton.runtime.interpreter.interpreter_semantic",
    "torch._ops.OpOverload", "torch._ops.OpOverloadPacket",
    "triton.language.semantic.TritonSemantic", "triton.runtime.interpreter._LangPatchScope",
    "triton.runtime.interpreter.ReduceOps", "triton.runtime.interpreter.ScanOps",
    "triton.runtime.interpreter.ReduceScanOpInterface",
    "triton.runtime.interpreter.BlockPointerHandle", "triton.runtime.interpreter.TensorDescHandle",
    "triton.runtime.interpreter.TensorHandle", "triton.runtime.jit",
    "triton.runtime.jit.JITFunction", "triton.runtime.jit.KernelInterface",
)  # fmt: skip
BESIDE = (
    "gc", "json", "math", "numpy.testing", "os", "pytest", "sys", "threading", "threading.Thread",
    "time", "torch", "torch.autograd", "torch.autograd.function", "torch.cuda",
    "torch.nn.functional", "torch.testing", "triton.testing", "_pytest.assertion.rewrite",
    "_pytest.main", "_pytest.main.Session", "_pytest.outcomes", "_pytest.python",
    "_pytest.python.Function", "_pytest.reports", "_pytest.reports.CollectReport",
    "_pytest.reports.TestReport", "_pytest.runner",
    # What an import is known by.
    "_frozen_importlib_external.FileLoader", "_frozen_importlib_external.SourceLoader",
    "_frozen_importlib_external.SourceFileLoader",
)  # fmt: skip
# Of these, as of ours, everything counts and not only what can be called.
WHOLE = ("triton.runtime.interpreter",)
# What Python itself replaces now and then, and we.
CHANGING = frozenset({
    "_passed_by", "_", "__warningregistry__", "last_value", "last_type", "last_traceback",
    "last_exc", "stdout", "stderr", "stdin", "argv", "path", "meta_path", "path_hooks",
    "dont_write_bytecode", "excepthook", "unraisablehook",
})  # fmt: skip

LIBRARIES = ("torch", "triton", "_pytest", "numpy")

Space = tuple[str, Mapping[str, Any]]
Broken = Callable[[], list[str]]


def our_spaces() -> list[Space]:
    """Our own modules, while they can still be asked for, and the classes in them."""
    ours = [module for name, module in sys.modules.items() if name.startswith("validation.")]
    classes = {
        value
        for module in ours
        for value in vars(module).values()
        if isinstance(value, type) and value.__module__ == module.__name__
    }
    spaces = [(module.__name__, vars(module)) for module in ours]
    return spaces + [(kind.__name__, vars(kind)) for kind in classes]


def sealed(names: Iterable[str] = ON_THE_WAY + BESIDE, ours: Iterable[Space] = ()) -> Broken:
    """Made before the entry's code is imported; what it gives names what was replaced since. Nobody
    can look into that, and it asks for nothing that somebody could replace."""
    held = [(name, space, *_held(space, whole=name in WHOLE)) for name, space in _spaces(names)]
    held += [(name, space, *_held(space, whole=True)) for name, space in ours]
    gone, own, sets = object(), _librarys, _sets
    every, same, take, pairs, in_order = all, operator.is_, map, zip, sorted

    def broken() -> list[str]:
        found = []
        for name, space, keys, values, present in held:
            # As nearly always, and quick: some thousands are looked at before each launch.
            if every(take(same, take(space.get, keys), values)) and space.keys() == present:
                continue
            for key, value in pairs(keys, values):
                now = space.get(key, gone)
                if now is not value and (now is gone or not own(now)):
                    found.append(f"{name}.{key}")
            found += [f"{name}.{key}" for key in space.keys() - present if sets(key, space[key])]
        return in_order(found)

    return hidden(broken)


def _held(
    space: Mapping[str, Any], *, whole: bool
) -> tuple[tuple[str, ...], tuple[Any, ...], set[str]]:
    """What can be called in there, or all there is, and the names of all."""
    kept = {name: value for name, value in space.items()
            if (whole or callable(value)) and name not in CHANGING}  # fmt: skip
    return tuple(kept), tuple(kept.values()), set(space)


def _spaces(names: Iterable[str]) -> Iterator[Space]:
    """What each holds, of those that are there."""
    for name in names:
        module, _, part = name.rpartition(".")
        holder = sys.modules.get(name) or getattr(sys.modules.get(module), part, None)
        if hasattr(holder, "__dict__"):
            yield name, vars(holder)


def _librarys(value: Any) -> bool:
    """Libraries replace some of their own functions when they are first used. What is a library's
    stands in one: a function's globals are a module's."""
    kind = type(value)
    if kind is FunctionType:
        space = value.__globals__
        name = space.get("__name__") or ""
        module = sys.modules.get(name)
        known = module is not None and name.partition(".")[0] in LIBRARIES
        return known and space is vars(module) and not by_entry(value)
    if issubclass(kind, type):
        return is_known(value)
    if kind is BuiltinFunctionType:
        # Of an object it would be that object's: a list takes what it is called with.
        owner = value.__self__
        if type(owner) is ModuleType:
            return owner.__name__.partition(".")[0] in LIBRARIES
        return owner is None or (issubclass(type(owner), type) and is_known(owner))
    return id(kind) in OF_C


def _sets(name: str, value: Any) -> bool:
    """Whether it is the entry that put it where nothing was, before what is inherited."""
    kind = type(value)
    librarys = is_known(kind) and str(HELD(kind).get("__module__")).partition(".")[0] in LIBRARIES
    return not librarys and answers(name, value)
