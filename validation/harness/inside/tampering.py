"""Did the entry replace what it is judged with? Notes what modules hold before it is imported."""

import sys
from pathlib import Path
from typing import Any

WATCHED = (
    "builtins", "gc", "json", "math", "numpy", "numpy.testing", "os", "pytest", "sys", "threading",
    "time", "torch", "torch.Tensor", "torch.autograd", "torch.autograd.function", "torch.cuda",
    "torch.nn.functional", "torch.testing", "torch.utils._python_dispatch", "triton",
    "triton.runtime", "triton.runtime.interpreter", "triton.runtime.jit", "triton.testing",
    "_pytest.assertion.rewrite", "_pytest.main", "_pytest.outcomes", "_pytest.python",
    "_pytest.reports", "_pytest.runner",
)  # fmt: skip
CLASSES = (
    ("torch", "Tensor"),
    ("triton.runtime.jit", "JITFunction"),
    ("triton.runtime.jit", "KernelInterface"),
    ("triton.runtime.interpreter", "InterpretedFunction"),
    ("triton.runtime.interpreter", "GridExecutor"),
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


class Seal:
    """Made before the entry's code is imported; `broken` names what it replaced since."""

    def __init__(self) -> None:
        self._held = {name: dict(space) for name, space in _spaces()}

    def broken(self, folder: Path) -> list[str]:
        found = []
        for name, space in _spaces():
            before = self._held.get(name, {})
            for key, value in before.items():
                if key in CHANGING:
                    continue
                now = space.get(key, None)
                if now is not value and callable(value) and not _own(now):
                    found.append(f"{name}.{key}")
        return sorted(found)


def _spaces() -> list[tuple[str, Any]]:
    spaces: list[tuple[str, Any]] = [
        (name, vars(sys.modules[name])) for name in WATCHED if name in sys.modules
    ]
    for module, name in CLASSES:
        holder = getattr(sys.modules.get(module), name, None)
        if isinstance(holder, type):
            spaces.append((f"{module}.{name}", vars(holder)))
    return spaces


def _own(value: Any) -> bool:
    """Libraries replace some of their own functions when they are first used."""
    module = getattr(value, "__module__", None) or ""
    return module.partition(".")[0] in ("torch", "triton", "_pytest", "numpy") and not _entry(value)


def _entry(value: Any) -> bool:
    code = getattr(value, "__code__", None)
    return code is not None and "entry-" in code.co_filename
