"""torchtune formats: text completion of kernels; instructions and chats of pairs.

torchtune trains on every record of a file, so each file contains one split only;
`triton_functions.json` is the one to train on.
"""

import json
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

from curation.export.formats.writing import INSTRUCTION, FormatTarget, fenced, tokens_of
from curation.export.lines import LineFile, encode_text
from curation.export.records import PALLAS, Record
from curation.export.splits import SPLITS


class Torchtune:
    def __init__(self, target: FormatTarget, stack: ExitStack) -> None:
        self._folder = target.folder
        self._fenced = target.fenced
        beside = target.folder / "torchtune"
        others = SPLITS[1:]
        self._completion = [
            stack.enter_context(JsonArray(LineFile(target.folder / "triton_functions.json"))),
            *(
                stack.enter_context(JsonArray(LineFile(beside / f"triton_functions_{split}.json")))
                for split in others
            ),
        ]
        self._instruct, self._chat = (
            [
                stack.enter_context(JsonArray(LineFile(beside / f"{form}_{split}.json")))
                for split in SPLITS
            ]
            for form in ("instruct", "chat")
        )

    def write(self, kind: str, split: int, records: Sequence[Record]) -> None:
        if kind == PALLAS:
            return
        tokens = tokens_of(records)
        if kind == "kernel":
            inputs = [f'{{"input":{self._shown(record.spelled[0])}}}' for record in records]
            self._completion[split].write(inputs, tokens)
            return
        questions = [
            (_question(record.spelled[0]), self._shown(record.spelled[1])) for record in records
        ]
        instruct = [f'{{"input":{question},"output":{answer}}}' for question, answer in questions]
        chat = [
            f'{{"messages":[{{"role":"user","content":{question}}},'
            f'{{"role":"assistant","content":{answer}}}]}}'
            for question, answer in questions
        ]
        self._instruct[split].write(instruct, tokens)
        self._chat[split].write(chat, tokens)

    def _shown(self, text: str) -> str:
        return encode_text(fenced(json.loads(text))) if self._fenced else text

    def files(self) -> list[dict[str, Any]]:
        every = (*self._completion, *self._instruct, *self._chat)
        return [array.file.as_json(self._folder) for array in every]


def _question(python: str) -> str:
    return encode_text(f"{INSTRUCTION}\n\n{fenced(json.loads(python))}")


class JsonArray:
    """JSON array with a record a line, so that releases can be compared line by line."""

    def __init__(self, file: LineFile) -> None:
        self.file = file
        self._last: list[str] = []

    def __enter__(self) -> "JsonArray":
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
