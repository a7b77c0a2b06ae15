"""The fork server does once what each child would do the first time."""

import json
import os
import subprocess
import sys
from pathlib import Path

KERNEL = """
import triton
import triton.language as tl


@triton.jit
def other(out_ptr, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.exp(offsets * 1.0) / tl.sum(offsets * 1.0, 0))
"""
SCRIPT = """
import json, os, sys
from pathlib import Path

import torch
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from validation.harness.worker import warm

folder = sys.argv[1]
(Path(folder) / "warm_kernel.py").write_text(warm.TINY)
sys.path.append(folder)
import other_kernel


def threads():
    return len(os.listdir("/proc/self/task"))


before = threads()
warm._compile(folder)
left = {
    "threads": threads() - before,
    "context": torch.cuda.is_initialized(),
    "cache": os.environ.get("TRITON_CACHE_DIR"),
    "module": "warm_kernel" in sys.modules,
}
known = set(sys.modules)
os.environ["TRITON_CACHE_DIR"] = f"{folder}/cache"
signature = {"out_ptr": "*fp32", "BLOCK": "constexpr"}
source = ASTSource(other_kernel.other, signature, {"BLOCK": 16})
triton.compile(source, target=GPUTarget("cuda", 80, 32))
print(json.dumps({**left, "imported": sorted(set(sys.modules) - known)}))
"""


def test_the_fork_server_has_imported_all_that_triton_compiles_with(tmp_path: Path) -> None:
    (tmp_path / "other_kernel.py").write_text(KERNEL)
    environment = {name: value for name, value in os.environ.items() if "TRITON" not in name}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT, str(tmp_path)],
        env=environment, capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout) == {
        "threads": 0, "context": False, "cache": None, "module": False, "imported": [],
    }  # fmt: skip
