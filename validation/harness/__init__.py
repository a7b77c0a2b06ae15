"""Does the Triton compute what the PyTorch computes? Finds out without trusting either.

Knows no Django and nothing else of the project: `python -m validation.harness ENTRIES.jsonl`.
"""

from validation.harness.crew import GpuSick
from validation.harness.entry import Entry, EntryUnreadable, read_entries
from validation.harness.options import Options
from validation.harness.report import Check, Report, Verdict
from validation.harness.schedule import check

__all__ = [
    "Check",
    "Entry",
    "EntryUnreadable",
    "GpuSick",
    "Options",
    "Report",
    "Verdict",
    "check",
    "read_entries",
]
