"""Reading of Triton kernels in torch.compile's (Inductor's) debug and cache folders."""

from ingest.inductor.folder import FolderUnreadable, Limits, read_debug_folder
from ingest.inductor.graph import Graph
from ingest.inductor.identity import identity_source
from ingest.inductor.kernel import InductorKernel, Origins, Trace, Unread

__all__ = [
    "FolderUnreadable",
    "Graph",
    "InductorKernel",
    "Limits",
    "Origins",
    "Trace",
    "Unread",
    "identity_source",
    "read_debug_folder",
]
