"""Classification of a kernel: operation type, difficulty, tags and hardware, with evidence."""

from curation.kinds.reading import Reading, read
from curation.kinds.rule_evidence import Evidence
from ingest.classify.classification import Classification, classify
from ingest.classify.hardware import hardware, hardware_of_path, hardware_of_text
