"""What torchtune reads: text completion of the kernels, and the pairs to instruct and to chat.

torchtune takes every record of a file for training, so that each file holds one split only;
`triton_functions.json` is the one to train on.
"""

import json
from contextlib import ExitStack
from typing import Any

from curation.export.formats.writing import INSTRUCTION, Target, fenced
from curation.export.lines import LineFile, encode_text
from curation.export.records import Record
from curation.export.splits import SPLITS


class Torchtune:
    def __init__(self, target: Target, stack: ExitStack) -> None:
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

    def write(self, record: Record, times: int) -> None:
        if record.kind == "kernel":
            (text,) = record.spelled
            if self._fenced:
                text = encode_text(fenced(json.loads(text)))
            self._completion[record.split].write(f'{{"input":{text}}}', record.tokens, times)
            return
        python, answer, _ = record.spelled
        question = encode_text(f"{INSTRUCTION}\n\n{fenced(json.loads(python))}")
        if self._fenced:
            answer = encode_text(fenced(json.loads(answer)))
        instruct = f'{{"input":{question},"output":{answer}}}'
        chat = (
            f'{{"messages":[{{"role":"user","content":{question}}},'
            f'{{"role":"assistant","content":{answer}}}]}}'
        )
        self._instruct[record.split].write(instruct, record.tokens, times)
        self._chat[record.split].write(chat, record.tokens, times)

    def files(self) -> list[dict[str, Any]]:
        every = (*self._completion, *self._instruct, *self._chat)
        return [array.file.as_json(self._folder) for array in every]


class JsonArray:
    """One JSON array, a record a line, so that two releases can be compared line by line."""

    def __init__(self, file: LineFile) -> None:
        self.file = file
        self._last: tuple[str, int] | None = None

    def __enter__(self) -> "JsonArray":
        self.file.__enter__()
        self.file.text("[")
        return self

    def __exit__(self, *error: object) -> None:
        if self._last is not None:
            self.file.write(*self._last)
        self.file.text("]")
        self.file.__exit__(*error)

    def write(self, record: str, tokens: int, times: int) -> None:
        # A comma comes only once another record does.
        if self._last is not None:
            text, count = self._last
            self.file.write(f"{text},", count)
        if times > 1:
            self.file.write(f"{record},", tokens, times - 1)
        self._last = (record, tokens)
