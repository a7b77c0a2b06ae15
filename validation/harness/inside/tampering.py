"""Did the entry replace what it is judged with? Notes what modules hold before it is imported."""

import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from validation.harness.inside.hidden import hidden

WATCHED = (
    "builtins", "gc", "json", "math", "numpy", "numpy.testing", "os", "pytest", "sys", "threading",
    "time", "torch", "torch.autograd", "torch.autograd.function", "torch.cuda",
    "torch.nn.functional", "torch.testing", "torch.utils._python_dispatch", "triton",
    "triton.compiler.compiler", "triton.knobs", "triton.runtime", "triton.runtime.autotuner",
    "triton.runtime.driver", "triton.runtime.interpreter", "triton.runtime.jit", "triton.testing",
    "_pytest.assertion.rewrite", "_pytest.main", "_pytest.outcomes", "_pytest.python",
    "_pytest.reports", "_pytest.runner",
)  # fmt: skip
# Classes, and what Triton asks for hooks.
PARTS = (
    ("torch", "Tensor"),
    ("torch.utils._python_dispatch", "TorchDispatchMode"),
    ("triton.backends.nvidia.driver", "CudaLauncher"),
    ("triton.backends.nvidia.driver", "CudaUtils"),
    ("triton.compiler.compiler", "CompiledKernel"),
    ("triton.knobs", "compilation"),
    ("triton.knobs", "runtime"),
    ("triton.runtime.jit", "JITFunction"),
    ("triton.runtime.jit", "KernelInterface"),
    ("triton.runtime.interpreter", "InterpretedFunction"),
    ("triton.runtime.interpreter", "GridExecutor"),
    ("triton.runtime.interpreter", "InterpreterBuilder"),
    ("_pytest.reports", "TestReport"),
    ("_pytest.reports", "CollectReport"),
    ("_pytest.main", "Session"),
    ("_pytest.python", "Function"),
    ("threading", "Thread"),
)
# What Python itself replaces now and then.
CHANGING = {"_", "__warningregistry__", "last_value", "last_type", "last_traceback", "last_exc",
            "stdout", "stderr", "stdin", "argv", "path", "meta_path", "path_hooks",
            "dont_write_bytecode", "excepthook", "unraisablehook"}  # fmt: skip

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


def sealed(ours: Iterable[Space] = ()) -> Broken:
    """Made before the entry's code is imported; what it gives names what was replaced since. Nobody
    can look into that, and it asks for nothing that somebody could replace."""
    held = [(name, space, dict(space)) for name, space in (*_spaces(), *ours)]
    gone, own, entrys, changing = object(), _librarys, by_entry, CHANGING
    is_callable, in_order = callable, sorted

    def broken() -> list[str]:
        found = []
        for name, space, before in held:
            for key, value in before.items():
                now = space.get(key, gone)
                if now is value or key in changing or not is_callable(value):
                    continue
                if now is gone or not own(now):
                    found.append(f"{name}.{key}")
            for key in space.keys() - before.keys():
                if is_callable(space[key]) and entrys(space[key]):
                    found.append(f"{name}.{key}")
        return in_order(found)

    return hidden(broken)


def _spaces() -> list[Space]:
    spaces: list[Space] = [
        (name, vars(sys.modules[name])) for name in WATCHED if name in sys.modules
    ]
    for module, name in PARTS:
        holder = getattr(sys.modules.get(module), name, None)
        if hasattr(holder, "__dict__"):
            spaces.append((f"{module}.{name}", vars(holder)))
    return spaces


def _librarys(value: Any) -> bool:
    """Libraries replace some of their own functions when they are first used."""
    module = getattr(value, "__module__", None) or ""
    known = module.partition(".")[0] in ("torch", "triton", "_pytest", "numpy")
    return known and not by_entry(value)


def by_entry(value: Any) -> bool:
    """Whether calling it runs code that stands in the entry's files."""
    code = getattr(value, "__code__", None)
    return code is not None and "entry-" in code.co_filename
