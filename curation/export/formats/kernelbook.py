"""KernelBook format: pairs in KernelBook's columns, for code that was written for it."""

import json
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

from curation.export.formats.writing import FormatTarget, tokens_of
from curation.export.lines import LineFile, encode
from curation.export.records import Record
from curation.export.splits import SPLITS
from curation.models import PairOrigin


class KernelBook:
    def __init__(self, target: FormatTarget, stack: ExitStack) -> None:
        self._folder = target.folder
        self._files = [
            stack.enter_context(LineFile(target.folder / "kernelbook" / f"{split}.jsonl"))
            for split in SPLITS
        ]

    def write(self, kind: str, split: int, records: Sequence[Record]) -> None:
        if kind == "pair":
            lines = [encode(row(record)) for record in records]
            self._files[split].write(lines, tokens_of(records))

    def files(self) -> list[dict[str, Any]]:
        return [file.as_json(self._folder) for file in self._files]


def row(record: Record) -> dict[str, Any]:
    metadata = json.loads(record.metadata)
    place = metadata["provenance"]
    python, triton, _ = record.texts
    return {
        "entry_point": metadata["entry_point"],
        "python_code": python,
        "triton_code": triton,
        "original_triton_code": triton,
        "repo_name": place["repository"],
        "module_name": metadata["entry_point"],
        "synthetic": metadata["origin"] == PairOrigin.TEMPLATE,
        # 63 bits, because readers take it for a signed number.
        "uuid": int(record.content_hash[:16], 16) >> 1,
        "licenses": [metadata["license"]],
        "stars": metadata["stars"],
        "sha": place["commit"],
        "repo_link": place["url"],
    }
