"""Adapter of flash-linear-attention. It removes decorators and inspections of other machines."""

from __future__ import annotations

from ingest.drafting.adapters.adapter import Adapter, Library, read_stand_in

# `dispatch` registers other packages for an operation. `tensor_cache` caches results by inputs.
DROPPED = ("input_guard(no_guard_contiguous=True)", "dispatch", "tensor_cache",
           "autocast_custom_fwd", "autocast_custom_bwd", "torch.compiler.disable")  # fmt: skip


def write_overlays(library: Library) -> dict[str, str]:
    """Return the definitions that replace the library's inspection of the machine."""
    return {
        "fla/utils/_decorators.py": read_stand_in("flash_linear_attention/decorators.py"),
        "fla/utils/_device.py": read_stand_in("flash_linear_attention/device.py"),
    }


FLASH_LINEAR_ATTENTION = Adapter(
    package="fla",
    skipped=("/backends/",),
    dropped=frozenset(DROPPED),
    constants={
        "device_platform == 'xpu'": False,
        "IS_AMD": False,
        "IS_INTEL": False,
        "IS_INTEL_ALCHEMIST": False,
        "IS_NPU": False,
        "IS_TMA_SUPPORTED": False,
        "os.environ.get('FLA_USE_FAST_OPS', '0') == '1'": False,
    },
    overlays=write_overlays,
)
