"""What a kernel computes, how hard it is, and what else can be said of it, with the evidence."""

from ingest.classify.classification import Classification, classify
from ingest.classify.evidence import Evidence
from ingest.classify.reading import Reading, read

__all__ = ["Classification", "Evidence", "Reading", "classify", "read"]
