"""Everything that a child will need, imported once and used once, without touching a GPU."""

import os
import platform
import sys
import tempfile
from pathlib import Path

TINY = """\
import triton
import triton.language as tl


@triton.jit
def tiny(out_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, offsets * 2.0, mask=offsets < 3)
"""


def up(*, compiler: bool = False) -> dict[str, str]:
    """The versions that every result names. `compiler`: torch.compile's parts too."""
    import numpy as np
    import pytest
    import torch
    import triton

    torch.set_num_threads(1)
    from validation.harness.inside import gpu

    _modes_once()
    if compiler:
        _compiler_once()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "test_warm.py").write_text("def test_warm():\n    assert [1] == [1]\n")
        _pytest_once(folder)
        (Path(folder) / "warm_kernel.py").write_text(TINY)
        found: dict[str, str] = {}
        if os.environ.get("TRITON_INTERPRET") == "1":
            _interpreter_once(folder)
        else:
            found = gpu.learn(folder)
    return {
        **found,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "triton": triton.__version__,
        "numpy": np.__version__,
        "pytest": pytest.__version__,
        "platform": platform.platform(),
        "triton_default_fp_fusion": os.environ.get("TRITON_DEFAULT_FP_FUSION", ""),
    }


def _modes_once() -> None:
    """The first mode imports torch's compiler, which takes seconds."""
    import torch

    from validation.harness.inside.watch import Watch

    with Watch(pattern=0, veiled=True):
        leaf = torch.zeros(4, requires_grad=True)
        if os.environ.get("TRITON_INTERPRET") == "1":
            # Where there is a GPU this starts a thread for it, which no fork survives.
            torch.autograd.grad((leaf * 2).sum(), leaf)
    torch.randn(4).double().clone()


def _compiler_once() -> None:
    import torch
    import torch._inductor.compile_fx

    if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        raise RuntimeError("importing torch.compile's parts made a CUDA context")


def _pytest_once(folder: str) -> None:
    import pytest

    before = Path.cwd()
    pytest.main([folder, "-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", folder])
    os.chdir(before)
    sys.modules.pop("test_warm", None)
    sys.path[:] = [path for path in sys.path if path != folder]


def _interpreter_once(folder: str) -> None:
    import torch

    sys.path.insert(0, folder)
    try:
        import warm_kernel  # type: ignore[import-not-found]

        warm_kernel.tiny[(1,)](torch.empty(4), BLOCK=4)
    finally:
        sys.path.remove(folder)
        sys.modules.pop("warm_kernel", None)
