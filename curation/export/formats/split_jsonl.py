"""pairs/ and kernels/, each with train, validation and test: a record a line."""

from contextlib import ExitStack
from typing import Any

from curation.export.formats.writing import Target
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

    def write(self, record: Record, times: int) -> None:
        file = self._files[record.kind][record.split]
        file.write(line(record), record.tokens, times)

    def files(self) -> list[dict[str, Any]]:
        return [file.as_json(self._folder) for files in self._files.values() for file in files]


def line(record: Record) -> str:
    if record.kind == "kernel":
        return f'{{"input":{record.spelled[0]},"metadata":{record.metadata}}}'
    python, triton, test = record.spelled
    return (
        f'{{"id":"{record.id}","python_code":{python},"triton_code":{triton},'
        f'"test_code":{test},"metadata":{record.metadata}}}'
    )
