"""Accelerator that a kernel is written for, from its text first and then from its paths.

1. A text names hardware by imports or calls (`torch_npu`, `tl.extra.hip`), or by a launch option
that other compilers refuse (`waves_per_eu`). A name under a condition on the environment, such as
`if is_hip():`, does not count, because such a kernel runs on CUDA too.
2. A path names hardware by a folder (`backends/_ascend/`) or by a word in the name of the file
(`rms_norm_npu.py`). If a kernel has several paths, each of them must name hardware.
3. Any other kernel is for `cuda`. A repository's owner does not count: a kernel of ROCm/aiter whose
text and path do not name AMD runs unchanged on CUDA.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection
from functools import lru_cache
from pathlib import PurePosixPath

from curation.pairs.used_names import parse, unconditional, uses

DEFAULT = "cuda"

MODULES = {
    "torch_npu": "ascend",
    "torch.npu": "ascend",
    "triton.language.extra.ascend": "ascend",
    "triton.language.extra.cann": "ascend",
    "triton.backends.ascend": "ascend",
    "triton.language.extra.hip": "hip",
    "triton.backends.amd": "hip",
    "triton.experimental.gluon.language.amd": "hip",
    "triton.language.extra.intel": "xpu",
    "triton.backends.intel": "xpu",
    "intel_extension_for_pytorch": "xpu",
    "torch_mlu": "cambricon",
    "triton.language.extra.mlu": "cambricon",
    "triton.backends.mlu": "cambricon",
    "torch_xmlir": "kunlunxin",
    "torch_musa": "mthreads",
    "triton.language.extra.musa": "mthreads",
    "torch_gcu": "enflame",
    "triton.language.extra.gcu": "enflame",
    "jax.experimental.pallas.tpu": "tpu",
    "triton.language.extra.cpu": "cpu",
}
"""`triton.language.extra.xpu` is not here, because Intel's and Kunlunxin's compilers have it."""

OPTIONS = {
    "waves_per_eu": "hip",
    "matrix_instr_nonkdim": "hip",
    "kpack": "hip",
    "grf_mode": "xpu",
    "isCloseUnrollControl": "kunlunxin",
    "isCloseVectorization": "kunlunxin",
    "buffer_size_limit": "kunlunxin",
}
"""Launch options that only one compiler accepts."""

FOLDERS = {
    "amd": "hip", "hip": "hip", "rocm": "hip", "hygon": "hip", "dcu": "hip",
    "ascend": "ascend", "npu": "ascend", "cann": "ascend",
    "xpu": "xpu", "intel": "xpu",
    "cambricon": "cambricon", "mlu": "cambricon",
    "kunlunxin": "kunlunxin",
    "iluvatar": "iluvatar", "corex": "iluvatar",
    "metax": "metax", "maca": "metax",
    "mthreads": "mthreads", "musa": "mthreads",
    "enflame": "enflame", "gcu": "enflame",
    "tpu": "tpu",
    "cpu": "cpu", "arm": "cpu",
}  # fmt: skip
WORDS = FOLDERS.keys() - {"cpu", "arm", "intel"}
"""Words that name hardware even if they are only a part of the name of a file or folder.

`cpu_offload.py` holds kernels that run on a GPU, so `cpu` counts only as the complete name of a
folder.
"""
SHARED = frozenset({"cuda", "gpu", "nvidia"})
"""A name that contains one of these words names no hardware: `cuda_hip_ops.py` is for both."""

_MENTIONED = re.compile(
    rf"\b(?:{'|'.join({*(name.rpartition('.')[2] for name in MODULES), *OPTIONS})})\b|DeviceProp"
)


def hardware(named: str, paths: Collection[str]) -> str:
    """Return the hardware of a kernel, as the value of the dataset's `hardware` column.

    named: the hardware that the text names, or "".
    paths: paths of the files that contain the kernel now.
    """
    return named or hardware_of_paths(paths) or DEFAULT


def hardware_of_paths(paths: Collection[str]) -> str:
    """Return the hardware that the paths name, or "" if a path names none."""
    names = {hardware_of_path(path) for path in paths}
    return min(names) if names and "" not in names else ""


@lru_cache(maxsize=65_536)
def hardware_of_path(path: str) -> str:
    """Return the hardware that the innermost folder or file names, or "" if no part names any."""
    pure = PurePosixPath(path)
    for name in (pure.stem, *reversed(pure.parent.parts)):
        words = [word for word in re.split(r"[^a-z0-9]+", name.lower()) if word]
        if SHARED.intersection(words):
            continue
        if len(words) == 1 and name != pure.stem and words[0] in FOLDERS:
            return FOLDERS[words[0]]
        for word in words:
            if word in WORDS:
                return FOLDERS[word]
    return ""


def hardware_of_text(text: str) -> str:
    """Return the hardware that the text itself names, or ""."""
    if not _MENTIONED.search(text):
        return ""
    tree = parse(text)
    if tree is None:
        return ""
    for use in uses(tree):
        if use.name.endswith("DeviceProperties") and use.keyword == "type":
            # Text emitted by a compiler states the type of the device.
            return str(use.value) if use.value in ("hip", "xpu", "cpu") else ""
        for module, named in MODULES.items():
            if f"{use.name}.".startswith(f"{module}."):
                return named
    options = _options(tree) - _parameters(tree)
    return next((OPTIONS[name] for name in sorted(options)), "")


def _options(tree: ast.Module) -> set[str]:
    """Return the launch options in decorators and at module level.

    Function bodies are skipped, because an option inside may depend on a condition of the caller.
    """
    options: set[str] = set()
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef):
            parts: list[ast.AST] = [*statement.decorator_list]
        elif isinstance(statement, ast.ClassDef):
            parts = []
        else:
            parts = [statement]
        for node in (node for part in parts for node in unconditional(part)):
            if isinstance(node, ast.Dict):
                keys = [key.value for key in node.keys if isinstance(key, ast.Constant)]
                options.update(key for key in keys if isinstance(key, str))
            elif isinstance(node, ast.keyword) and node.arg:
                options.add(node.arg)
    return options & OPTIONS.keys()


def _parameters(tree: ast.Module) -> set[str]:
    """Return the parameters of all functions. Every compiler accepts an option declared as one."""
    return {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
