"""Adapter of aiter: Triton operators that ask AMD's tools for the chip when they are imported."""

from __future__ import annotations

from ingest.drafting.adapters.adapter import Adapter, Library

TYPES = """\
fp8 = torch.float8_e4m3fn


def get_dtype_fp8():
    return torch.float8_e4m3fn
"""
"""The float8 of AMD's newer chips, which NVIDIA's have, too."""


def write_overlays(library: Library) -> dict[str, str]:
    return {"aiter/utility/dtypes.py": TYPES}


AITER = Adapter(package="aiter", overlays=write_overlays)
