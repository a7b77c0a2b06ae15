"""pairs/ and kernels/, each with train, validation and test: a record a line."""

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

from curation.export.formats.writing import Target, tokens_of
from curation.export.lines import LineFile
from curation.export.records import Record
from curation.export.splits import SPLITS


class SplitJsonl:
    def __init__(self, target: Target, stack: ExitStack) -> None:
        self._folder = target.folder
        self._files = {
            kind: [
                stack.enter_context(LineFile(target.folder / f"{kind}s" / f"{split}.jsonl"))
                for split in SPLITS
            ]
            for kind in ("pair", "kernel")
        }

    def write(self, kind: str, split: int, records: Sequence[Record]) -> None:
        line = kernel_line if kind == "kernel" else pair_line
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
