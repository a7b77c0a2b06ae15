"""Format `prompts`: the task of each pair, its reference and its inputs, without any Triton."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, TypedDict

from curation.evidence.pass_rates import mean_rate
from curation.export.folder import LineFile, encode
from curation.export.schema import columns_of
from curation.export.splits import SPLITS
from curation.export.training.json_array import JsonArray, fenced
from curation.export.training.prompts.cases import parameters_of, read_cases
from curation.export.training.prompts.phrasing import KERNEL, phrase
from curation.tokens import tokenizer_of

if TYPE_CHECKING:
    from curation.export.training.formats import FormatTarget, Record

FOLDER = "prompts"
TRITON = re.compile(r"(?i)triton|\btl\.")


class PromptMetadata(TypedDict):
    phrasings: list[str]
    from_grammar: bool
    operation_type: str
    difficulty: str
    origin: str
    license: str | None
    pass_rate: float | None
    weight: float


class PromptRecord(TypedDict):
    id: str
    description: str
    entry_point: str
    python: str
    shapes: list[str]
    sizes: list[str]
    dtypes: list[str]
    hardware: list[str]
    metadata: PromptMetadata


PROMPTS = columns_of(PromptRecord)


class Prompts:
    """prompts/, and the same for torchtune's text completion. Pairs only.

    A pair whose Python side or id names Triton is left out.
    """

    def __init__(self, target: FormatTarget, stack: ExitStack) -> None:
        folder = self._folder = target.folder
        self._tokenizer = tokenizer_of(target.options.tokenizer)
        self._lines = [
            stack.enter_context(LineFile(folder / FOLDER / f"{split}.jsonl")) for split in SPLITS
        ]
        self._arrays = [
            stack.enter_context(JsonArray(LineFile(folder / "torchtune" / f"prompts_{split}.json")))
            for split in SPLITS
        ]
        # A record that is repeated comes several times in a row.
        self._last: tuple[str, PromptRecord | None] = ("", None)

    def write(self, kind: str, split: int, records: Sequence[Record]) -> None:
        if kind != "pair":
            return
        for record in records:
            if record.id != self._last[0]:
                self._last = (record.id, prompt_of(record))
            if prompt := self._last[1]:
                text = f"{prompt['description']}\n\n{fenced(prompt['python'])}"
                (tokens,) = self._tokenizer.count([text])
                self._lines[split].write([encode(prompt)], tokens)
                self._arrays[split].write([encode({"input": text})], tokens)

    def files(self) -> list[dict[str, Any]]:
        files = [*self._lines, *(array.file for array in self._arrays)]
        return [file.as_json(self._folder) for file in files]


def prompt_of(record: Record) -> PromptRecord | None:
    """Return the prompt of a pair, or None if it would name Triton."""
    pair, metadata = record.document, record.metadata
    entry_point = metadata["entry_point"]
    phrasings = phrase(
        description=metadata["description"],
        python_code=pair["python_code"],
        entry_point=entry_point,
        content_hash=record.content_hash,
    )
    parameters = parameters_of(pair["python_code"], entry_point) or ()
    cases = read_cases(pair["test_code"], parameters)
    prompt: PromptRecord = {
        "id": record.id,
        "description": phrasings.choose(record.content_hash),
        "entry_point": entry_point,
        "python": pair["python_code"],
        "shapes": list(cases.shapes),
        "sizes": list(cases.sizes),
        "dtypes": list(cases.dtypes),
        "hardware": metadata["hardware"],
        "metadata": {
            "phrasings": list(phrasings.texts),
            "from_grammar": phrasings.from_grammar,
            "operation_type": metadata["operation_type"],
            "difficulty": metadata["difficulty"],
            "origin": metadata["origin"],
            "license": metadata["license"],
            "pass_rate": mean_rate(metadata.get("pass_at_k", ())),
            "weight": metadata["weight"],
        },
    }
    return None if TRITON.search(encode(prompt).replace(KERNEL, "")) else prompt
