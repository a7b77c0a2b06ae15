"""Adapter of Liger-Kernel. It replaces inspections of the machine: a pair runs on a GPU."""

from __future__ import annotations

from ingest.drafting.adapters.adapter import Adapter, Library, read_stand_in


def write_overlays(library: Library) -> dict[str, str]:
    """Return the definitions that replace inspections of the machine and a decorator."""
    return {
        "liger_kernel/ops/utils.py": read_stand_in("liger_kernel/ops_utils.py"),
        "liger_kernel/utils.py": read_stand_in("liger_kernel/device.py"),
    }


LIGER_KERNEL = Adapter(
    package="liger_kernel",
    skipped=("/ops/backends/",),
    dropped=frozenset({"amp_custom_fwd", "amp_custom_bwd"}),
    constants={
        "is_npu_available()": False,
        "is_hip()": False,
        "infer_device() == 'npu'": False,
        "infer_device() == 'xpu'": False,
        "compare_version('triton', operator.ge, '3.0.0')": True,
    },
    overlays=write_overlays,
)
