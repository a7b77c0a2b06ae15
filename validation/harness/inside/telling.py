"""Ways around that Python itself tells nobody of, told of like the rest: by an audit event."""

import sys
from collections.abc import Callable
from typing import Any

from validation.harness.inside.hidden import hidden

# Torch's compiler is called with the frame of each function that is, ours among them.
FRAMES_BY_TORCH = "torch.set_eval_frame"
SILENT = [("torch._C._dynamo.eval_frame", "set_eval_frame", FRAMES_BY_TORCH)]
if sys.version_info < (3, 12):
    SILENT += [
        ("_thread", "start_new_thread", "_thread.start_new_thread"),
        ("_thread", "start_new", "_thread.start_new_thread"),
        ("threading", "_start_new_thread", "_thread.start_new_thread"),
    ]


def tell() -> None:
    """Once in a process, where these are."""
    for place, name, event in SILENT:
        if module := sys.modules.get(place):
            setattr(module, name, _telling(event, getattr(module, name)))


def _telling(event: str, original: Callable[..., Any]) -> Callable[..., Any]:
    tell = sys.audit

    def told(*arguments: Any) -> Any:
        tell(event, *arguments)
        return original(*arguments)

    return hidden(told)
