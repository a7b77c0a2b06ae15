"""An item that passed the gates, before it becomes a record."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from curation.evidence.places import Place
from curation.export.files import KnownFile
from curation.export.gates import Tried


@dataclass(slots=True)
class Leaving:
    pk: int
    name: str
    content_hash: str
    license: str | None
    tokens: int
    places: Sequence[Place]
    # Further columns of its record: see `evidence`.
    told: tuple[Any, ...]
    texts: Sequence[str]
    # Primary key of the repository that it is counted under, or 0.
    source: int
    origin: str
    reviewed: bool
    weight: float
    # The validation that admitted a pair.
    tried: Tried | None = None
    # The file that is exported whole, represented by this kernel.
    file: KnownFile | None = None
