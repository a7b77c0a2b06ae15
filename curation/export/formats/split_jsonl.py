"""JSON lines: pairs/ and kernels/, each with train, validation and test.

Pallas kernels, if any, have a folder pallas/ of the same form.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

from curation.export.formats.writing import FormatTarget, tokens_of
from curation.export.lines import LineFile
from curation.export.records import Record
from curation.export.splits import SPLITS


class SplitJsonl:
    def __init__(self, target: FormatTarget, stack: ExitStack) -> None:
        self._folder = target.folder
        self._stack = stack
        self._files = {kind: self._open(f"{kind}s") for kind in ("pair", "kernel")}

    def _open(self, folder: str) -> list[LineFile]:
        return [
            self._stack.enter_context(LineFile(self._folder / folder / f"{split}.jsonl"))
            for split in SPLITS
        ]

    def write(self, kind: str, split: int, records: Sequence[Record]) -> None:
        if kind not in self._files:
            self._files[kind] = self._open(kind)
        line = pair_line if kind == "pair" else kernel_line
        self._files[kind][split].write([line(record) for record in records], tokens_of(records))

    def files(self) -> list[dict[str, Any]]:
        return [file.as_json(self._folder) for files in self._files.values() for file in files]


def kernel_line(record: Record) -> str:
    return f'{{"input":{record.spelled[0]},"metadata":{record.metadata}}}'


def pair_line(record: Record) -> str:
    python, triton, test = record.spelled
    return (
        f'{{"id":"{record.id}","python_code":{python},"triton_code":{triton},'
        f'"test_code":{test},"metadata":{record.metadata}}}'
    )
