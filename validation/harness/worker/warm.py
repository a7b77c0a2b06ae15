"""Program of the harness's fork servers: the roles of children, and the warm-up.

The warm-up imports and uses once what each child will need, without creating a CUDA context.
"""

import gc
import os
import platform
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from validation.harness.line_values.role import LineValues
from validation.harness.recorder.role import Recorder
from validation.harness.recorder.tracer import replace_gpu
from validation.harness.replayer import compiling
from validation.harness.replayer.role import Replayer
from validation.harness.worker.author import Author
from validation.harness.worker.gpu import GpuHealth
from validation.harness.worker.reference import ReferenceRole
from validation.harness.worker.stopwatch import Stopwatch
from validation.harness.worker.suite import Suite

ROLES: dict[str, Any] = {
    "author": Author,
    "compiler": compiling.CompilingProcess,
    "recorder": Recorder,
    "reference": ReferenceRole,
    "replayer": Replayer,
    "suite": Suite,
    "health": GpuHealth,
    "timing": Stopwatch,
    "values": LineValues,
}
# Children report when they compile, because compiling has its own time limit.
HAS_COMPILE_BUDGET = True

TINY = """\
import triton
import triton.language as tl


@triton.jit
def tiny(out_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, offsets * 2.0, mask=offsets < 3)
"""


def up(settings: Mapping[str, Any]) -> dict[str, str]:
    """Warm up, and return the versions that every result records."""
    import numpy as np
    import pytest
    import torch
    import triton

    torch.set_num_threads(1)
    compiler = settings["compiler"]
    from validation.harness.worker import builds, conversions, gpu

    interpreted = os.environ.get("TRITON_INTERPRET") == "1"
    if interpreted:
        level_interpreter()
        conversions.patch_conversions()
        replace_gpu()
    # A process that times launches must use Triton's own builds.
    elif not compiler:
        builds.install()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "warm_kernel.py").write_text(TINY)
        # Examine the GPU in another process, in parallel with the following steps.
        looking = None if interpreted else gpu.look(folder)
        _use_modes()
        if compiler:
            _import_compiler()
        # pytest collects garbage five times: freeze objects, so that it skips them.
        gc.freeze()
        _run_pytest()
        described: dict[str, str] = {}
        if looking is None:
            with _tiny(folder) as tiny:
                tiny[(1,)](torch.empty(4), BLOCK=4)
                # With an incompatible Triton, no kernel is compiled.
                with suppress(Exception):
                    compiling.prepare(tiny)
        else:
            _compile(folder)
            described = gpu.seen(looking, folder)
    return {
        **described,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "triton": triton.__version__,
        "numpy": np.__version__,
        "pytest": pytest.__version__,
        "platform": platform.platform(),
        "triton_default_fp_fusion": os.environ.get("TRITON_DEFAULT_FP_FUSION", ""),
    }


def level_interpreter() -> None:
    """Make the interpreter of Triton up to 3.5 launch kernels as later versions do.

    `run` becomes a method of the class, so that the recorder can replace it. Call it before any
    kernel is defined.
    """
    from triton.runtime import interpreter

    kind: Any = interpreter.InterpretedFunction
    if hasattr(kind, "run"):
        return
    begin = kind.__init__

    def made(self: Any, fn: Any, **named: Any) -> None:
        begin(self, fn, **named)
        # Remove the instance attribute, because only the autotuner uses it.
        del self.run

    def run(self: Any, *args: Any, grid: Any, warmup: bool = False, **named: Any) -> None:
        if not warmup:
            interpreter.GridExecutor(self.rewrite(), self.arg_names, grid)(*args, **named)

    def launched(self: Any, grid: Any) -> Any:
        return lambda *args, **named: self.run(*args, grid=grid, warmup=False, **named)

    kind.__init__, kind.run, kind.__getitem__ = made, run, launched


def _use_modes() -> None:
    import torch

    # The first gradient along a vector imports this module.
    import torch.fx.experimental.symbolic_shapes

    from validation.harness.worker.rounding import Rounding

    with Rounding(0.0, torch.Generator()):
        leaf = torch.zeros(4, requires_grad=True)
        if os.environ.get("TRITON_INTERPRET") == "1":
            # On a GPU, this starts a thread, and threads don't survive a fork.
            torch.autograd.grad((leaf * 2).sum(), leaf)
    torch.randn(4).double().clone()


def _import_compiler() -> None:
    import torch
    import torch._inductor.compile_fx

    if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        raise RuntimeError("importing torch.compile's parts made a CUDA context")


def _run_pytest() -> None:
    import pytest

    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "test_warm.py").write_text("def test_warm():\n    assert [1] == [1]\n")
        pytest.main([folder, "-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", folder])
    os.chdir(before)
    sys.modules.pop("test_warm", None)
    sys.path[:] = [path for path in sys.path if path != folder]


def _compile(folder: str) -> None:
    """Compile a kernel for a GPU, which need not be present.

    The first time, Triton imports half of its modules and hashes the rest, which takes over 0.5 s.
    """
    with _tiny(folder) as tiny, tempfile.TemporaryDirectory() as cache:
        os.environ["TRITON_CACHE_DIR"] = cache
        # With an incompatible Triton, each child does this work.
        with suppress(Exception):
            import triton
            from triton.backends.compiler import GPUTarget
            from triton.compiler import ASTSource

            signature = {"out_ptr": "*fp32", "BLOCK": "constexpr"}
            source = ASTSource(tiny, signature, {"BLOCK": 4})
            triton.compile(source, target=GPUTarget("cuda", 80, 32))
        # Each child gets its own cache.
        del os.environ["TRITON_CACHE_DIR"]


@contextmanager
def _tiny(folder: str) -> Iterator[Any]:
    """Yield a kernel from a file in `folder`: Triton reads its source from a file."""
    sys.path.insert(0, folder)
    try:
        import warm_kernel  # type: ignore[import-not-found]

        yield warm_kernel.tiny
    finally:
        sys.path.remove(folder)
        sys.modules.pop("warm_kernel", None)
