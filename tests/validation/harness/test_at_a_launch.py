"""While a kernel is launched its data is there for the kernel alone, compiled or interpreted.

Compiled for a GPU that is none: Triton compiles in earnest, and what starts a kernel is ours.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ENTRY = """
import numpy as np
import torch
import triton
import triton.language as tl

seen = {}


def looked(who, *tensors):
    seen.setdefault(who, []).append([int(np.isnan(each.numpy()).sum()) for each in tensors])


def named(specialization):
    looked("name", *present)
    return "copy_kernel"


@triton.jit(repr=named)
def copy_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=offsets < n), mask=offsets < n)


def hook(*arguments, **named):
    looked("hook", *present)


copy_kernel.add_pre_run_hook(hook)
present = []


def copy(x):
    out = torch.empty_like(x)
    present[:] = [x]

    def grid(meta):
        looked("grid", x)
        return (1,)

    copy_kernel[grid](x, out, x.numel(), BLOCK=16)
    looked("launcher", x, out)
    return out
"""
SCRIPT = """
import json, os, sys
import numpy as np
import torch
import triton
from triton.backends.compiler import GPUTarget

launched = []


class Utils:
    def load_binary(self, *_):
        return None, 1, 0, 0, 1024

    def get_device_properties(self, _):
        return {"max_shared_mem": 1 << 20, "multiprocessor_count": 1, "warpSize": 32}


class Launcher:
    def __init__(self, *_):
        pass

    def __call__(self, *arguments):
        tensors = [each for each in arguments if isinstance(each, torch.Tensor)]
        launched.append(int(np.isnan(tensors[0].numpy()).sum()))
        tensors[1].copy_(tensors[0])


class Gpu:
    utils, launcher_cls = Utils(), Launcher
    get_current_target = lambda self: GPUTarget("cuda", 80, 32)
    get_current_device = lambda self: 0
    get_current_stream = lambda self, _=None: 0
    get_active_torch_device = lambda self: torch.device("cpu")


# As a driver's own, these are there before we are.
from validation.harness.inside.launches import posts
from validation.harness.inside.tampering import our_spaces, sealed
from validation.harness.inside.watch import Watch

if os.environ.get("TRITON_INTERPRET") != "1":
    triton.runtime.driver.set_active(Gpu())
posted, broken = posts(), sealed(ours=our_spaces())
sys.path.insert(0, sys.argv[1])
import triton_code

answers = []
for _ in range(2):
    watch = Watch(pattern=0xFF, veiled=True, broken=broken)
    x = torch.arange(5.0)
    watch.veil.cover([x])
    answer = posted(watch, lambda: triton_code.copy(x))
    watch.veil.drop()
    answers.append(answer.tolist())
print(json.dumps({
    "answers": answers, "seen": triton_code.seen, "launched": launched,
    "launches": watch.launches, "computed": watch.computed, "patched": sorted(watch.patched),
}))
"""
# So many of its elements are NaN.
HIDDEN = 5


PLANTING = """

import types


class Own:
    def __call__(self, *_):
        pass


honest = copy


def copy(x):
    out = honest(x)
    for kernels, *_ in copy_kernel.device_caches.values():
        for key, kept in kernels.items():
            {planted}
    return out
"""
# What an entry could put where Triton keeps what it has compiled.
PLANTED = {
    "none of Triton's": "kernels[key] = types.SimpleNamespace(**vars(kept))",
    "started by a function": "kept._run = lambda *_: None",
    "started by an object": "kept._run = types.SimpleNamespace()",
    "with an object that says what it is launched with": "kept.launch_metadata = Own()",
    "started by a class of its own": (
        "triton.runtime.driver.active.launcher_cls = Own; kept._run = Own()"
    ),
}


def told_by(entry: str, tmp_path: Path, **more: str) -> dict[str, Any]:
    """What comes of two calls of the entry; what was held against it, of the second."""
    folder = tmp_path / "entry-in-three-files-1"
    folder.mkdir()
    (folder / "triton_code.py").write_text(entry)
    environment = {name: value for name, value in os.environ.items() if "TRITON" not in name}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT, str(folder)],
        env={**environment, "TRITON_CACHE_DIR": str(tmp_path / "cache"), **more},
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert not done.returncode, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


@pytest.mark.parametrize("interpreted", [False, True], ids=["compiled", "interpreted"])
def test_nobody_but_the_kernel_sees_the_data(interpreted: bool, tmp_path: Path) -> None:
    told = told_by(ENTRY, tmp_path, **({"TRITON_INTERPRET": "1"} if interpreted else {}))
    assert told["answers"] == [[0.0, 1.0, 2.0, 3.0, 4.0]] * 2
    assert (told["launches"], told["computed"], told["patched"]) == ({"copy_kernel": 1}, {}, [])
    assert {who: set(map(tuple, times)) for who, times in told["seen"].items()} == {
        "hook": {(HIDDEN,)},
        "grid": {(HIDDEN,)},
        "launcher": {(HIDDEN, HIDDEN)},
        **({} if interpreted else {"name": {(HIDDEN,)}}),
    }
    assert told["launched"] == ([] if interpreted else [0, 0])


LATER = """
honest = copy_kernel


class Sly(tuple):
    def __del__(self):
        looked("end", *present)

    def __eq__(self, other):
        looked("comparison", *present)
        raise RuntimeError

    def __call__(self, *_, **__):
        pass


class Launches:
    def __getitem__(self, grid):
        def asked(meta):
            honest.pre_run_hooks.insert(0, Sly())
            return Sly(grid(meta))

        return honest[asked]


copy_kernel = Launches()
"""


@pytest.mark.parametrize("interpreted", [False, True], ids=["compiled", "interpreted"])
def test_nor_does_what_ends_or_is_compared_meanwhile(interpreted: bool, tmp_path: Path) -> None:
    more = {"TRITON_INTERPRET": "1"} if interpreted else {}
    told = told_by(ENTRY + LATER, tmp_path, **more)
    assert told["answers"] == [[0.0, 1.0, 2.0, 3.0, 4.0]] * 2
    assert all(
        hidden == HIDDEN for times in told["seen"].values() for each in times for hidden in each
    )
    assert "end" in told["seen"]


@pytest.mark.parametrize("planted", PLANTED.values(), ids=list(PLANTED))
def test_what_triton_has_compiled_is_not_started_where_somebody_changed_it(
    planted: str, tmp_path: Path
) -> None:
    told = told_by(ENTRY + PLANTING.format(planted=planted), tmp_path)
    assert told["computed"] == {"a compiled kernel of its own within a launch": 1}
    assert told["launched"] == [0]


ANYWHERE = """
import json, signal
import torch
from validation.harness.inside.callbacks import anywhere

asked = [list(anywhere())]
torch.func.vmap(lambda x: x * 2)(torch.zeros(3))
with torch.device("cpu"):
    asked.append(list(anywhere()))
library = torch.library.Library("aten", "IMPL")
library.impl("new_empty", lambda *_, **__: None, "CPU")
signal.signal(signal.SIGALRM, lambda *_: None)
asked.append(list(anywhere()))
print(json.dumps(asked))
"""


def test_what_torch_registers_for_itself_is_nobodys_and_what_another_does_is_named() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", ANYWHERE],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    first, honest, hostile = json.loads(done.stdout)
    assert first == honest == []
    assert hostile == ["aten/new_empty/CPU, which was replaced,", "a signal's handler"]
