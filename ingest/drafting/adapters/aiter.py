"""Adapter of aiter. At import, its Triton operators ask AMD's tools for the chip."""

from __future__ import annotations

from ingest.drafting.adapters.adapter import Adapter, Library

TYPES = """\
fp8 = torch.float8_e4m3fn


def get_dtype_fp8():
    return torch.float8_e4m3fn
"""
"""The float8 type of AMD's newer chips. NVIDIA's chips have the same type."""


def write_overlays(library: Library) -> dict[str, str]:
    return {"aiter/utility/dtypes.py": TYPES}


AITER = Adapter(package="aiter", overlays=write_overlays)
