"""License verdicts: what a file and its repository state, and whether it may be redistributed.

Pure Python over texts. It runs no foreign code and uses no database or network.
"""

from ingest.licenses.assess import assess
from ingest.licenses.detector import LicenseDetector, Scancode
from ingest.licenses.notice_files import LicenseText, texts_for
from ingest.licenses.policy import load_policy
from ingest.licenses.reader import LicenseReader
from ingest.licenses.records import Assessment, Evidence, ReadFrom, Verdict
from ingest.licenses.tree import TreeLicenses, read_tree
from ingest.licenses.unit import strictest
