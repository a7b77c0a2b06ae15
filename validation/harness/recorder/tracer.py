"""Patches of torch and Triton that record operations, launches and autograd functions.

If the entry undoes these patches, its recording is incomplete, and the replay's answer is wrong.
"""

import functools
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import torch
import triton.language as tl
from torch.autograd.function import BackwardCFunction
from triton.runtime import interpreter, jit
from triton.runtime.autotuner import Autotuner

from validation.harness.recorder import streams
from validation.harness.recorder.recording import READ_MOST, Recording
from validation.harness.worker.rounding import Mode
from validation.harness.worker.values import tensors_in

_KEYS = {
    kind: torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, kind.upper()))
    for kind in ("cpu", "cuda")
}
_PARTS = torch._C.DispatchKey.CompositeImplicitAutograd
# Parameters of a kernel's `run` that are Triton's own, not options of the kernel.
_OF_RUN = frozenset({"grid", "warmup", "stream", "device"})
# Times that the autotuner gets without a measurement. All are equal, so the first candidate wins.
CHOSEN = [1.0, 1.0, 1.0]
# The GPU that a launcher sees in the interpreter, which runs programs one by one.
WITHOUT_GPU: Any = SimpleNamespace(major=9, minor=0, multi_processor_count=4, warp_size=32)


class Tracer:
    """Patches of torch and Triton in this process.

    recording: the recording of the call that runs now, or None between calls.
    tune: whether autotuners time their configurations. If not, they use the first one, because
    compiling all takes minutes. In the entry's own test it is the first that the device can run.
    """

    def __init__(self) -> None:
        self.recording: Recording | None = None
        self.tune = False
        self._is_tuned = False
        self._is_paused = False
        names = torch._C._dispatch_get_all_op_names()
        self._namespaces = {name.partition("::")[0] for name in names}
        has = torch._C._dispatch_has_kernel_for_dispatch_key
        self._composite = frozenset(
            name for name in names if name.startswith("aten::") and has(name, _PARTS)
        )
        for kind in (jit.JITFunction, interpreter.InterpretedFunction):
            self.patch(kind, "run", self._run)
        self.patch(Autotuner, "prune_configs", self._prune_configs)
        self.patch(Autotuner, "_bench", self._bench)
        self.patch(torch.autograd.Function, "apply", self._apply)
        self.patch(BackwardCFunction, "apply", self._apply_backward)
        self.patch(torch.cuda, "get_device_properties", _device_properties)
        # These methods bypass torch's dispatcher on the host.
        self.patch(torch.Tensor, "tolist", self._read)
        self.patch(torch.Tensor, "numpy", self._read)
        streams.install(self.patch)

    def patch(self, owner: Any, name: str, instead: Callable[..., Any]) -> None:
        """Replace a function. During a recording, call `instead(recording, original, ...)`."""
        original = getattr(owner, name)
        is_classmethod = inspect.ismethod(original)
        if is_classmethod:
            original = original.__func__

        def call(*args: Any, **kwargs: Any) -> Any:
            recording = self._present()
            if recording is None:
                return original(*args, **kwargs)
            return instead(recording, original, *args, **kwargs)

        setattr(owner, name, classmethod(call) if is_classmethod else call)

    def _present(self) -> Recording | None:
        return None if self._is_paused else self.recording

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Record nothing in this context, because the recorder itself uses torch."""
        before, self._is_paused = self._is_paused, True
        try:
            yield
        finally:
            self._is_paused = before

    @contextmanager
    def recorded_by(self, recording: Recording) -> Iterator[None]:
        """Record operations and launches in this context, and close the recording at its end."""
        self.recording = recording
        try:
            with self._mode():
                yield
        finally:
            self.recording = None
            recording.close()

    def _mode(self) -> Mode:
        tracer = self

        class Tracing(Mode):  # type: ignore[no-untyped-call]
            def __torch_dispatch__(
                self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
            ) -> Any:
                return tracer._operation(self, func, args, kwargs or {})

        return Tracing()  # type: ignore[no-untyped-call]

    def _operation(self, mode: Mode, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        recording = self._present()
        if recording is None:
            return func(*args, **kwargs)
        if func.namespace not in self._namespaces:
            # The entry registered this operation. Record the operations that it consists of.
            given = tensors_in((args, kwargs))
            keys = _KEYS["cuda" if any(tensor.is_cuda for tensor in given) else "cpu"]
            with mode:
                return func.redispatch(keys, *args, **kwargs)
        if func.name() in self._composite:
            # Without autograd, torch did not decompose this operation. Record its parts.
            with mode:
                return func._op_dk(_PARTS, *args, **kwargs)
        with self.paused():
            return recording.operation(func, args, kwargs)

    def _run(
        self, recording: Recording, original: Callable[..., Any], kernel: Any, *args: Any,
        grid: Any, warmup: bool, **named: Any,
    ) -> Any:  # fmt: skip
        if not warmup:
            self._launch(recording, kernel, args, grid, named)
        if not recording.passes:
            return None
        with self.paused():
            return original(kernel, *args, grid=grid, warmup=warmup, **named)

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
        values = {
            name: value.value if isinstance(value, tl.constexpr) else value
            for name, value in bound.arguments.items()
        }
        if callable(grid):
            grid = grid({**values, **options})
        sizes = [int(size) for size in (grid if isinstance(grid, tuple | list) else (grid,))]
        with self.paused():
            recording.launch(kernel, values, sizes, options)

    def _prune_configs(self, recording: Recording, original: Callable[..., Any], *args: Any) -> Any:
        self._is_tuned = False
        return original(*args)

    def _bench(
        self, recording: Recording, original: Callable[..., Any], tuner: Any, *args: Any,
        **meta: Any,
    ) -> Any:  # fmt: skip
        if self._is_tuned or not torch.cuda.is_available():
            return CHOSEN
        if self.tune:
            with self.paused():
                return original(tuner, *args, **meta)
        if not recording.passes:
            return CHOSEN
        tuner.do_bench = _run_once
        with self.paused():
            times = original(tuner, *args, **meta)
        self._is_tuned = times == CHOSEN
        return times

    def _apply(
        self, recording: Recording, original: Callable[..., Any], cls: Any, *args: Any,
        **kwargs: Any,
    ) -> Any:  # fmt: skip
        if not recording.graph.reaches(tensors_in(args)):
            return original(cls, *args, **kwargs)
        return recording.graph.record_function(args, lambda: original(cls, *args, **kwargs))

    def _apply_backward(
        self, recording: Recording, original: Callable[..., Any], node: Any, *gradients: Any
    ) -> Any:
        apply = functools.partial(original, node, *gradients)
        return recording.graph.record_backward(node, gradients, apply)

    def _read(
        self, recording: Recording, original: Callable[..., Any], tensor: torch.Tensor,
        *args: Any, **kwargs: Any,
    ) -> Any:  # fmt: skip
        is_small = tensor.numel() <= READ_MOST and not tensor.is_floating_point()
        if not is_small or not recording.storages.holds_data(tensor):
            return original(tensor, *args, **kwargs)
        with self.paused():
            values = torch.tensor(recording.read(tensor), dtype=tensor.dtype)
            return original(values.reshape(tensor.shape))


def _device_properties(_: Any, original: Callable[..., Any], device: Any = None) -> Any:
    return original(device) if torch.cuda.is_available() else WITHOUT_GPU


def replace_gpu() -> None:
    """Let autotuners choose without a GPU also outside of recordings, as in a test's backward."""
    tuner: Any = Autotuner
    tuner._bench = lambda *_, **__: CHOSEN
    torch.cuda.get_device_properties = lambda *_: WITHOUT_GPU


def _run_once(call: Callable[[], Any], quantiles: Any = None) -> list[float]:
    call()
    return CHOSEN


@functools.cache
def tracer() -> Tracer:
    """Return the tracer of the process. The first call installs its patches."""
    return Tracer()
