"""Ways around that Python itself tells nobody of, told of like the rest: by an audit event."""

import sys
from collections.abc import Callable
from types import MethodType
from typing import Any

from validation.harness.inside.hidden import hidden

# Torch's compiler is called with the frame of each function that is, ours among them.
FRAMES_BY_TORCH = "torch.set_eval_frame"
# Who implements an operation says for which of torch's, and for what: these are torch's own to use.
OPERATIONS = "torch.Library"
TORCHS = frozenset({"FuncTorchBatched", "Meta"})
# A signal's handler is called with the frame that it interrupts.
SIGNAL = "signal.signal"
SILENT: tuple[tuple[str, str, str], ...] = (
    ("torch._C._dynamo.eval_frame", "set_eval_frame", FRAMES_BY_TORCH),
    ("torch._C", "_dispatch_library", OPERATIONS),
    ("signal", "signal", SIGNAL),
    ("_signal", "signal", SIGNAL),
)
if sys.version_info < (3, 12):
    SILENT += (
        ("_thread", "start_new_thread", "_thread.start_new_thread"),
        ("_thread", "start_new", "_thread.start_new_thread"),
        ("threading", "_start_new_thread", "_thread.start_new_thread"),
    )


def tell() -> None:
    """Once in a process, where these are."""
    for place, name, event in SILENT:
        if module := sys.modules.get(place):
            setattr(module, name, _telling(event, getattr(module, name)))


def _telling(event: str, original: Callable[..., Any]) -> Callable[..., Any]:
    """A method, since torch's compiler looks through all of torch's that Python caches for."""
    tell = sys.audit

    def told(event: str, *arguments: Any, **named: Any) -> Any:
        tell(event, *arguments, *named.values())
        return original(*arguments, **named)

    return MethodType(hidden(told), event)
