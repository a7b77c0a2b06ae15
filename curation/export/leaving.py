"""An item that passed the gates, on its way to a record."""

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
    # What else of its row its record tells: see `evidence`.
    told: tuple[Any, ...]
    texts: Sequence[str]
    # The repository that it is counted under, or 0.
    source: int
    origin: str
    reviewed: bool
    weight: float
    # The validation that let a pair through.
    tried: Tried | None = None
    # The file that leaves whole, for which a kernel of it stands.
    file: KnownFile | None = None
