"""Files for torchtune: a JSON array with a record a line, so that releases can be compared."""

from collections.abc import Sequence
from typing import Self

from curation.export.folder import LineFile


def fenced(text: str) -> str:
    return f"```python\n{text.rstrip()}\n```\n"


class JsonArray:
    def __init__(self, file: LineFile) -> None:
        self.file = file
        self._last: list[str] = []

    def __enter__(self) -> Self:
        self.file.__enter__()
        self.file.text("[")
        return self

    def __exit__(self, *error: object) -> None:
        self.file.write(self._last)
        self.file.text("]")
        self.file.__exit__(*error)

    def write(self, records: Sequence[str], tokens: int) -> None:
        # A record is written with its comma when the next one comes.
        *others, last = [*self._last, *records]
        self.file.write([f"{record}," for record in others], tokens)
        self._last = [last]
