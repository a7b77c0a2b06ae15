"""SharedNotice parts of the formats: the target, and the protocol of a format."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from curation.export.columns import Columns
from curation.export.held_out import HeldOut
from curation.export.records import Record


@dataclass(frozen=True, slots=True)
class FormatTarget:
    """Output folder and options of a format."""

    folder: Path
    fenced: bool
    pair_columns: Columns
    kernel_columns: Columns
    held_out: HeldOut | None = None


class Format(Protocol):
    """Protocol of a format. It gets the records in output order, including repetitions."""

    def __init__(self, target: FormatTarget, stack: ExitStack) -> None: ...

    def write(self, kind: str, split: int, records: Sequence[Record]) -> None: ...

    def files(self) -> list[dict[str, Any]]:
        """Return the entries of the manifest, after all records were written."""
        ...


INSTRUCTION = (
    "Rewrite this PyTorch function as a Triton kernel with a launcher of the same name and "
    "signature."
)


def tokens_of(records: Sequence[Record]) -> int:
    return sum([record.tokens for record in records])


def fenced(text: str) -> str:
    return f"```python\n{text.rstrip()}\n```\n"
