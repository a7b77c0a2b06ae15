"""An item that passed the gates, before it becomes a record."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from curation.evidence.places import KernelPlace
from curation.export.files import KnownFile
from curation.export.gates import ValidationRow


@dataclass(slots=True)
class ExportItem:
    pk: int
    name: str
    content_hash: str
    license: str | None
    tokens: int
    places: Sequence[KernelPlace]
    # Further columns of its record: see `evidence`.
    extra_columns: tuple[Any, ...]
    texts: Sequence[str]
    # Primary key of the repository that it is counted under, or 0.
    source: int
    origin: str
    reviewed: bool
    weight: float
    # The validation that admitted a pair.
    validation: ValidationRow | None = None
    # The file that is exported whole, represented by this kernel.
    file: KnownFile | None = None
