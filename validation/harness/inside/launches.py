"""Where a watch stands: each of torch's operations comes by there, and each of Triton's launches,
on a GPU or in its interpreter; of the interpreter, each way to memory too."""

from collections.abc import Callable
from typing import Any

import torch
from triton.runtime import interpreter, jit

from validation.harness.inside.hidden import hidden
from validation.harness.inside.kinds import keep
from validation.harness.inside.mode import Mode
from validation.harness.inside.reach import WAYS, Way
from validation.harness.inside.values import tensors_in
from validation.harness.inside.watch import Watch

ON_CPU, ON_CUDA = (
    torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, name)) for name in ("CPU", "CUDA")
)
PARTS = torch._C.DispatchKey.CompositeImplicitAutograd
Posting = Callable[[Watch, Callable[[], Any]], Any]


def posts() -> Posting:
    """Once, in a process that is about to run a candidate. What it gives has a watch see all that
    somebody does; who it is, only the frames know."""
    present: Watch | None = None
    nested = False
    names = torch._C._dispatch_get_all_op_names()
    namespaces = {name.partition("::")[0] for name in names}
    has = torch._C._dispatch_has_kernel_for_dispatch_key
    of_parts = frozenset(name for name in names if name.startswith("aten::") and has(name, PARTS))

    def operation(
        self: Any, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if present is None:
            return func(*args, **(kwargs or {}))
        if func.namespace not in namespaces and not present.paused:
            # Somebody's own: what it is made of is seen like the rest.
            given = tensors_in((args, kwargs or {}))
            keys = ON_CUDA if any(tensor.is_cuda for tensor in given) else ON_CPU
            with door():
                return func.redispatch(keys, *args, **(kwargs or {}))
        if not present.paused and func.name() in of_parts:
            # Where nobody asks for gradients it comes by whole: a view or a copy, nobody can say.
            with door():
                return func._op_dk(PARTS, *args, **(kwargs or {}))
        return present.operation(func, args, kwargs or {})

    door = type("Door", (Mode,), {"__torch_dispatch__": hidden(operation)})

    def passing(original: Any) -> Any:
        def run(self: Any, *args: Any, warmup: bool = False, **named: Any) -> Any:
            nonlocal nested
            if present is None or warmup or nested:
                return original(self, *args, warmup=warmup, **named)
            nested = True
            try:
                return present.launch(self, original, args, {**named, "warmup": warmup})
            finally:
                nested = False

        return hidden(run)

    for kind in (jit.JITFunction, interpreter.InterpretedFunction):
        kind.run = passing(kind.run)
        keep(kind.run)

    def touching(way: Way, original: Any) -> Any:
        def touch(*arguments: Any) -> Any:
            if present is not None:
                present.touch(way, arguments)
            return original(*arguments)

        return hidden(touch)

    memory: Any = interpreter._interpreter
    for way in WAYS:
        setattr(memory, way.name, touching(way, getattr(memory, way.name)))

    def posted(watch: Watch, work: Callable[[], Any]) -> Any:
        nonlocal present
        present = watch
        try:
            with door():
                return work()
        finally:
            present = None

    return posted
