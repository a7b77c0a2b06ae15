"""Extraction: a repository's bytes in, standalone Triton kernels out.

Pure Python over syntax trees; what it reads is never imported or run. It knows no database.
"""

from ingest.extract.extraction import FILE_LIMIT, extract, extract_file
from ingest.extract.records import (
    ExtractedKernel,
    Extraction,
    Launcher,
    Parameter,
    Problem,
    Renamed,
    StandaloneUnit,
)
from ingest.extract.source_tree import MemoryTree, SourceTree
from ingest.extract.undefined import undefined_names

__all__ = [
    "FILE_LIMIT",
    "ExtractedKernel",
    "Extraction",
    "Launcher",
    "MemoryTree",
    "Parameter",
    "Problem",
    "Renamed",
    "SourceTree",
    "StandaloneUnit",
    "extract",
    "extract_file",
    "undefined_names",
]
