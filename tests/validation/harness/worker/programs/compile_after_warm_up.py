"""Warm up, compile another kernel, and print what is left and what is imported."""

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
