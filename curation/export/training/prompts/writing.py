"""Prompts: the task of each pair, its reference and its inputs, without any Triton."""

import re
from typing import TypedDict

from curation.evidence.pass_rates import mean_rate
from curation.export.folder import encode
from curation.export.records import Record
from curation.export.schema import columns_of
from curation.export.training.prompts.cases import parameters_of, read_cases
from curation.export.training.prompts.phrasing import KERNEL, fenced, phrase

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


def prompt_of(record: Record) -> PromptRecord | None:
    """Return the prompt of a pair, or None if it would contain Triton code or Triton's names."""
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


def prompt_text(prompt: PromptRecord) -> str:
    """Return the prompt as one text: the task, then the reference."""
    return f"{prompt['description']}\n\n{fenced(prompt['python'])}\n"
