"""Alpaca's three columns, for the trainers that know no other: pairs only."""

from contextlib import ExitStack
from typing import Any

from curation.export.formats.writing import INSTRUCTION, Target
from curation.export.lines import LineFile, encode
from curation.export.records import Record
from curation.export.splits import SPLITS


class Alpaca:
    def __init__(self, target: Target, stack: ExitStack) -> None:
        self._folder = target.folder
        self._files = [
            stack.enter_context(LineFile(target.folder / "alpaca" / f"{split}.jsonl"))
            for split in SPLITS
        ]

    def write(self, record: Record, times: int) -> None:
        if record.kind != "pair":
            return
        python, triton, _ = record.texts
        line = encode({"instruction": INSTRUCTION, "input": python, "output": triton})
        self._files[record.split].write(line, record.tokens, times)

    def files(self) -> list[dict[str, Any]]:
        return [file.as_json(self._folder) for file in self._files]
