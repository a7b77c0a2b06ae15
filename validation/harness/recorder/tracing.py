"""Stands in the way of torch's operations, Triton's launches and autograd's functions.

The patches are plain and the entry may undo them: then nothing is recorded, and nothing right.
"""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import torch
import triton.language as tl
from torch.autograd.function import BackwardCFunction
from triton.runtime import interpreter, jit
from triton.runtime.autotuner import Autotuner

from validation.harness.inside.mode import Mode
from validation.harness.inside.values import tensors_in
from validation.harness.recorder import streams
from validation.harness.recorder.recording import READ_MOST, Recording

_KEYS = {
    kind: torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, kind.upper()))
    for kind in ("cpu", "cuda")
}
_PARTS = torch._C.DispatchKey.CompositeImplicitAutograd
# Arguments of `run` that are Triton's own and no options of a kernel.
_OF_RUN = frozenset({"grid", "warmup", "stream", "device"})


class Tracer:
    """Installed once in a process. `recording` is what sees the present call; None: no call."""

    def __init__(self) -> None:
        self.recording: Recording | None = None
        self.paused = False
        # Whether autotuners choose by the clock, on the decoys.
        self.tune = False
        names = torch._C._dispatch_get_all_op_names()
        self._namespaces = {name.partition("::")[0] for name in names}
        has = torch._C._dispatch_has_kernel_for_dispatch_key
        self._composite = frozenset(
            name for name in names if name.startswith("aten::") and has(name, _PARTS)
        )
        self._patch_triton()
        self._patch_autograd()
        self._patch_reading()
        streams.install(lambda: self._present)

    @property
    def _present(self) -> Recording | None:
        return None if self.paused else self.recording

    def mode(self) -> Mode:
        """Return a context in which torch's operations come by."""
        tracer = self

        class Tracing(Mode):  # type: ignore[no-untyped-call]
            def __torch_dispatch__(
                self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
            ) -> Any:
                return tracer._operation(self, func, args, kwargs or {})

        return Tracing()  # type: ignore[no-untyped-call]

    def _operation(self, mode: Mode, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        recording = self._present
        if recording is None:
            return func(*args, **kwargs)
        if func.namespace not in self._namespaces:
            # An operation of the entry's own: what it is made of is seen.
            given = tensors_in((args, kwargs))
            keys = _KEYS["cuda" if any(tensor.is_cuda for tensor in given) else "cpu"]
            with mode:
                return func.redispatch(keys, *args, **kwargs)
        if func.name() in self._composite:
            # Without autograd it comes by as a whole.
            with mode:
                return func._op_dk(_PARTS, *args, **kwargs)
        self.paused = True
        try:
            return recording.operation(func, args, kwargs)
        finally:
            self.paused = False

    def _patch_triton(self) -> None:
        tracer = self

        def passing(original: Callable[..., Any]) -> Callable[..., Any]:
            def run(self: Any, *args: Any, grid: Any, warmup: bool, **named: Any) -> Any:
                recording = tracer._present
                if recording is None:
                    return original(self, *args, grid=grid, warmup=warmup, **named)
                if not warmup:
                    tracer._launch(recording, self, args, grid, named)
                if not recording.passes:
                    return None
                tracer.paused = True
                try:
                    return original(self, *args, grid=grid, warmup=warmup, **named)
                finally:
                    tracer.paused = False

            return run

        for kind in (jit.JITFunction, interpreter.InterpretedFunction):
            kind.run = passing(kind.run)
        bench: Any = Autotuner._bench

        def benched(self: Any, *args: Any, config: Any, **meta: Any) -> Any:
            recording = tracer._present
            if recording is None:
                return bench(self, *args, config=config, **meta)
            if not torch.cuda.is_available() or not (tracer.tune or recording.passes):
                # Every configuration takes as long as the others, so the first is taken.
                return [1.0, 1.0, 1.0]
            tracer.paused = True
            try:
                return bench(self, *args, config=config, **meta)
            finally:
                tracer.paused = False

        Autotuner._bench = benched

    def _launch(
        self, recording: Recording, kernel: Any, args: Any, grid: Any, named: dict[str, Any]
    ) -> None:
        if not recording.passes:
            for hook in getattr(kernel, "pre_run_hooks", ()):
                hook(*args, **named)
        signature = inspect.signature(kernel.fn)
        given = {name: value for name, value in named.items() if name in signature.parameters}
        options = {
            name: value
            for name, value in named.items()
            if name not in given and name not in _OF_RUN
        }
        bound = signature.bind(*args, **given)
        bound.apply_defaults()
        values = {name: _unwrapped(value) for name, value in bound.arguments.items()}
        if callable(grid):
            grid = grid({**values, **options})
        sizes = [int(size) for size in (grid if isinstance(grid, tuple | list) else (grid,))]
        self.paused = True
        try:
            recording.launch(kernel, values, sizes, options)
        finally:
            self.paused = False

    def _patch_autograd(self) -> None:
        tracer = self
        forward: Any = torch.autograd.Function
        backward: Any = BackwardCFunction
        apply, apply_backward = forward.apply.__func__, backward.apply

        def applied(cls: Any, *args: Any, **kwargs: Any) -> Any:
            recording = tracer._present
            if recording is None or not recording.graph.reaches(tensors_in(args)):
                return apply(cls, *args, **kwargs)
            begun = recording.graph.begin_function(args)
            made = apply(cls, *args, **kwargs)
            recording.graph.end_function(begun, args, made)
            return made

        def applied_backward(self: Any, *gradients: Any) -> Any:
            recording = tracer._present
            begun = recording and recording.graph.begin_backward(self, gradients)
            made = apply_backward(self, *gradients)
            if recording is not None and begun:
                recording.graph.end_backward(begun, made)
            return made

        forward.apply, backward.apply = classmethod(applied), applied_backward

    def _patch_reading(self) -> None:
        """Patch the ways to read a tensor's content that go past torch's dispatcher on the host."""
        tracer = self

        def passing(original: Callable[..., Any], shaped: Callable[..., Any]) -> Callable[..., Any]:
            def read(self: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
                recording = tracer._present
                small = self.numel() <= READ_MOST and not self.is_floating_point()
                if recording is None or not small or not recording.storages.holds_data(self):
                    return original(self, *args, **kwargs)
                tracer.paused = True
                try:
                    values = torch.tensor(recording.read(self), dtype=self.dtype)
                    return shaped(values.reshape(self.shape))
                finally:
                    tracer.paused = False

            return read

        for name in ("tolist", "numpy"):
            original = getattr(torch.Tensor, name)
            setattr(torch.Tensor, name, passing(original, original))


def _unwrapped(value: Any) -> Any:
    return value.value if isinstance(value, tl.constexpr) else value


def record(
    tracer: Tracer, recording: Recording, function: Any, arguments: Sequence[Any], *,
    gradients: bool, seed: int,
) -> Any:  # fmt: skip
    """Record one call on decoys and return the program. NeedsRead passes through."""
    inputs = tensors_in(arguments)
    if gradients:
        recording.graph.leaves(inputs)
    torch.manual_seed(seed)
    tracer.recording = recording
    try:
        with tracer.mode():
            made = function(*arguments)
            tracer.paused = True
            answer = recording.answer(made)
            if gradients:
                _turn_back(tracer, recording, made, inputs)
        return recording.as_json(answer)
    finally:
        tracer.recording, tracer.paused = None, False
        recording.close()


def _turn_back(tracer: Tracer, recording: Recording, made: Any, inputs: list[torch.Tensor]) -> None:
    outputs = [tensor for tensor in tensors_in(made) if tensor.requires_grad]
    if not outputs:
        raise RuntimeError("no output requires a gradient")
    cotangents = [torch.randn(one.shape).to(one.device, one.dtype) for one in outputs]
    leaves = [tensor for tensor in inputs if tensor.requires_grad]
    recording.graph.turn_back()
    tracer.paused = False
    torch.autograd.grad(outputs, leaves, cotangents, allow_unused=True)
