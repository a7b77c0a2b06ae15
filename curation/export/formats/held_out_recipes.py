"""held_out_recipes/: the generated pairs as in pairs/, split by recipe, without repetition."""

import json
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

from curation.export.formats.split_jsonl import pair_line
from curation.export.formats.writing import FormatTarget
from curation.export.held_out import FOLDER, HeldOut
from curation.export.lines import LineFile
from curation.export.records import Record
from curation.export.splits import SPLITS


class HeldOutRecipes:
    def __init__(self, target: FormatTarget, stack: ExitStack) -> None:
        self._folder = target.folder
        self._held_out = target.held_out or HeldOut({}, {})
        self._files = [
            stack.enter_context(LineFile(target.folder / FOLDER / f"{split}.jsonl"))
            for split in SPLITS
        ]
        self._last = ""

    def write(self, kind: str, split: int, records: Sequence[Record]) -> None:
        for record in records if kind == "pair" else ():
            # A record that is repeated in train comes several times in a row.
            if record.id == self._last:
                continue
            self._last = record.id
            recipe = json.loads(record.metadata)["recipe"]
            number = self._held_out.split_of(recipe, record.id)
            if number is not None:
                self._files[number].write([pair_line(record)], record.tokens)

    def files(self) -> list[dict[str, Any]]:
        return [file.as_json(self._folder) for file in self._files]
