"""Extraction of standalone Triton kernels from a repository's bytes.

Pure Python over syntax trees. It never imports or runs the code that it reads, and uses no
database.
"""

from ingest.extract.extraction import FILE_LIMIT, At, extract, extract_file
from ingest.extract.records import (
    ExtractedKernel,
    Extraction,
    Launcher,
    Parameter,
    Problem,
    Renamed,
    StandaloneUnit,
    TookTooLong,
)
from ingest.extract.source_tree import MemoryTree, SourceTree
from ingest.extract.undefined import undefined_names

__all__ = [
    "FILE_LIMIT",
    "At",
    "ExtractedKernel",
    "Extraction",
    "Launcher",
    "MemoryTree",
    "Parameter",
    "Problem",
    "Renamed",
    "SourceTree",
    "StandaloneUnit",
    "TookTooLong",
    "extract",
    "extract_file",
    "undefined_names",
]
