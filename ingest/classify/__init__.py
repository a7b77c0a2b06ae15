"""Classification of a kernel: operation type, difficulty, tags and hardware, with evidence."""

from curation.kinds.reading import Evidence, Reading, read
from ingest.classify.classification import Classification, classify
from ingest.classify.hardware import hardware, hardware_of_path, hardware_of_text
