"""Launched from host code, or only called from other kernels: over the whole repository."""

from __future__ import annotations

import pytest

from tests.ingest.extract.reading import PRELUDE, kernels, named, read

LAUNCHES = [
    "k[grid](x)",
    "k[(1,)](x)",
    "bound = k[grid]",
    "k.run(x, grid=grid)",
    "k.warmup(x, grid=grid)",
    "wrap_triton(k)[grid](x)",
]


@pytest.mark.parametrize("launch", LAUNCHES)
def test_a_kernel_launched_from_host_code_is_an_entry(launch: str) -> None:
    text = f"{PRELUDE}@triton.jit\ndef k(x):\n    return x\ndef host(x, grid):\n    {launch}\n"
    (found,) = kernels(text)
    assert found.kernel.kind == "entry"
    assert [launcher.qualname for launcher in found.kernel.launchers] == ["host"]


def test_a_kernel_called_only_by_a_kernel_of_another_file_is_a_helper() -> None:
    found, _ = read(
        {
            "pkg/__init__.py": "from .math import poke as poked\n",
            "pkg/math.py": PRELUDE + "@triton.jit\ndef poke(p):\n    tl.store(p, 1)\n",
            "pkg/ops.py": PRELUDE
            + "from pkg import poked\n@triton.jit\ndef k(p):\n    poked(p)\n"
            + "def run(p):\n    k[(1,)](p)\n",
        }
    )
    assert named(found, "poke").kernel.kind == "helper"
    assert named(found, "k").kernel.kind == "entry"


def test_a_kernel_launched_in_another_file_is_an_entry_with_a_launcher() -> None:
    found, _ = read(
        {
            "kernels.py": PRELUDE + "@triton.jit\ndef k(p):\n    return p\n",
            "api.py": "import kernels\ndef run(p):\n    kernels.k[(1,)](p)\n",
        }
    )
    assert found[0].kernel.kind == "entry"
    assert [(at.path, at.qualname) for at in found[0].kernel.launchers] == [("api.py", "run")]
    assert found[0].unit.launcher_source == "def run(p):\n    kernels.k[(1,)](p)"


def test_a_kernel_handed_to_another_launch_is_a_helper() -> None:
    found = kernels(
        PRELUDE
        + "@triton.jit\ndef act(x):\n    return x\n"
        + "@triton.jit\ndef k(p, f: tl.constexpr):\n    tl.store(p, f(1))\n"
        + "def host(p):\n    k[(1,)](p, f=act)\n"
    )
    assert [e.kernel.kind for e in found] == ["helper", "entry"]


def test_the_launcher_of_an_autograd_function_is_the_class() -> None:
    (found,) = kernels(
        """
        import torch, triton
        @triton.jit
        def k(x): pass
        class Double(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                k[(1,)](x)
        """
    )
    (launcher,) = found.kernel.launchers
    assert launcher.qualname == "Double"
    assert launcher.source.startswith("class Double(torch.autograd.Function):")


@pytest.mark.parametrize(("body", "kind"), [("tl.store(x, 1)", "entry"), ("return x", "helper")])
def test_an_unused_kernel_is_an_entry_or_helper_by_its_body(body: str, kind: str) -> None:
    (found,) = kernels(f"{PRELUDE}@triton.jit\ndef k(x):\n    {body}\n")
    assert found.kernel.kind == kind


def test_kernels_with_the_same_name_in_two_functions_are_distinguished() -> None:
    found = kernels(
        """
        import triton
        def one(x):
            @triton.jit
            def kernel(x): return x
            kernel[(1,)](x)
        def two(x):
            @triton.jit
            def kernel(x): return x
            @triton.jit
            def outer(x): kernel(x)
            outer[(1,)](x)
        """
    )
    assert named(found, "one.<locals>.kernel").kernel.kind == "entry"
    assert named(found, "two.<locals>.kernel").kernel.kind == "helper"
