"""Check whether a pair's Triton computes what its PyTorch computes, without trusting either.

It knows no Django and nothing else of the project: `python -m validation.harness ENTRIES.jsonl`.
"""

from validation.harness.crew import Crew, GpuSick
from validation.harness.entry import Entry, EntryUnreadable, read_entries
from validation.harness.nursery import ParentAway
from validation.harness.options import Options, Unsuited
from validation.harness.report import Check, Report, Verdict
from validation.harness.schedule import check, opened, reports

__all__ = [
    "Check",
    "Crew",
    "Entry",
    "EntryUnreadable",
    "GpuSick",
    "Options",
    "ParentAway",
    "Report",
    "Unsuited",
    "Verdict",
    "check",
    "opened",
    "read_entries",
    "reports",
]
