"""Alpaca format: three columns, for trainers without support for others. Pairs only."""

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

from curation.export.formats.writing import INSTRUCTION, FormatTarget, tokens_of
from curation.export.lines import LineFile, encode
from curation.export.records import Record
from curation.export.splits import SPLITS


class Alpaca:
    def __init__(self, target: FormatTarget, stack: ExitStack) -> None:
        self._folder = target.folder
        self._files = [
            stack.enter_context(LineFile(target.folder / "alpaca" / f"{split}.jsonl"))
            for split in SPLITS
        ]

    def write(self, kind: str, split: int, records: Sequence[Record]) -> None:
        if kind == "pair":
            self._files[split].write([_line(record) for record in records], tokens_of(records))

    def files(self) -> list[dict[str, Any]]:
        return [file.as_json(self._folder) for file in self._files]


def _line(record: Record) -> str:
    python, triton, _ = record.texts
    return encode({"instruction": INSTRUCTION, "input": python, "output": triton})
