"""What a kernel computes, how hard it is, and what else can be said of it, with the evidence."""

from curation.kinds.evidence import Evidence
from curation.kinds.reading import Reading, read
from ingest.classify.classification import Classification, classify
from ingest.classify.hardware import hardware, hardware_of_path, hardware_of_text

__all__ = [
    "Classification",
    "Evidence",
    "Reading",
    "classify",
    "hardware",
    "hardware_of_path",
    "hardware_of_text",
    "read",
]
