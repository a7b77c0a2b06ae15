"""Licences: what a file and its repository say of it, and whether it may be given away.

Pure Python over texts; nothing that it reads is run. It knows no database and no network.
"""

from ingest.licenses.assess import assess, assess_file
from ingest.licenses.copies import Copy, Flag, flagged_copies, with_flag
from ingest.licenses.coverage import Category, category, coverage
from ingest.licenses.detector import LicenceDetector, Scancode
from ingest.licenses.notices import LicenceText, texts_for
from ingest.licenses.policy import Policy, load_policy
from ingest.licenses.reader import LicenceReader
from ingest.licenses.records import Assessment, Evidence, ReadFrom, Verdict
from ingest.licenses.tree import SourceTree, TreeLicences, read_tree
from ingest.licenses.unit import strictest

__all__ = [
    "Assessment",
    "Category",
    "Copy",
    "Evidence",
    "Flag",
    "LicenceDetector",
    "LicenceReader",
    "LicenceText",
    "Policy",
    "ReadFrom",
    "Scancode",
    "SourceTree",
    "TreeLicences",
    "Verdict",
    "assess",
    "assess_file",
    "category",
    "coverage",
    "flagged_copies",
    "load_policy",
    "read_tree",
    "strictest",
    "texts_for",
    "with_flag",
]
