"""Extraction of standalone Triton kernels from a repository's bytes.

Pure Python over syntax trees. It never imports or runs the code that it reads, and uses no
database.
"""

from ingest.extract.extraction import At, extract
from ingest.extract.records import (
    ExtractedKernel,
    Extraction,
    Launcher,
    Parameter,
    Problem,
    StandaloneUnit,
    TookTooLong,
)
from ingest.extract.source_tree import MemoryTree, SourceTree
