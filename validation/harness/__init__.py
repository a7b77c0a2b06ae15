"""Check whether a pair's Triton computes what its PyTorch computes, without trusting either.

It knows no Django and nothing else of the project: `python -m validation.harness ENTRIES.jsonl`.
"""

from validation.harness.entry import Entry, EntryUnreadable, read_entries
from validation.harness.fork_server import ForkServerFailed
from validation.harness.options import Options, Unsuited
from validation.harness.report import Check, Report, Verdict
from validation.harness.schedule import check, open_pool, reports
from validation.harness.worker_pool import GpuSick, WorkerPool

__all__ = [
    "Check",
    "Entry",
    "EntryUnreadable",
    "ForkServerFailed",
    "GpuSick",
    "Options",
    "Report",
    "Unsuited",
    "Verdict",
    "WorkerPool",
    "check",
    "open_pool",
    "read_entries",
    "reports",
]
