"""Extra configuration of repair examples: a faulty kernel, the harness's message, and the fix.

An example is in the split of its pair. Its conversation has only two messages. The faulty kernel is
in the user's message, because models learn to write every message of the assistant.
"""

import ast
from collections import Counter
from collections.abc import Collection, Sequence
from typing import TypedDict

from django.db.models import F, QuerySet

from curation.export.folder import OutputFiles
from curation.export.records import Record
from curation.export.schema import Message, columns_of
from curation.export.splits import SPLITS
from curation.export.training.prompts.phrasing import fenced
from curation.models import RepairTrace
from curation.source.functions import assignment
from curation.tokens import Tokenizer

FOLDER = "repairs"
TASK = (
    "This Triton code should compute the same as the PyTorch function, but a check rejects it. "
    "Explain the mistake, and write the whole corrected code."
)


class RepairMetadata(TypedDict):
    id: str
    pair: str
    kind: str
    line: int
    verdict: str
    device: str
    license: str | None
    tokens: int


class RepairRecord(TypedDict):
    messages: list[Message]
    metadata: RepairMetadata


COLUMNS = columns_of(RepairRecord)


def write_repairs(
    files: OutputFiles, pairs: Sequence[Record], tokenizer: Tokenizer
) -> Counter[str]:
    """Write a file of repair examples for each split. Return their number by kind of mistake."""
    kinds = Counter[str]()
    for number, split in enumerate(SPLITS):
        of_split = {pair.pk: pair for pair in pairs if pair.split == number}
        records = [
            _record(trace, of_split[trace.pair_id], tokenizer) for trace in _traces(of_split)
        ]
        kinds.update(record["metadata"]["kind"] for record in records)
        tokens = sum(record["metadata"]["tokens"] for record in records)
        files.write_records(f"{FOLDER}/{split}.jsonl", records, tokens)
    return kinds


def _record(trace: RepairTrace, pair: Record, tokenizer: Tokenizer) -> RepairRecord:
    messages = _messages(trace)
    (tokens,) = tokenizer.count(["\n".join(message["content"] for message in messages)])
    return {
        "messages": messages,
        "metadata": {
            "id": f"{pair.id}/{trace.kind}-{trace.faulty_hash[:8]}",
            "pair": pair.id,
            "kind": trace.kind,
            "line": trace.line,
            "verdict": trace.verdict,
            "device": trace.device,
            "license": pair.metadata["license"],
            "tokens": tokens,
        },
    }


def _traces(pairs: Collection[int]) -> QuerySet[RepairTrace]:
    traces = RepairTrace.objects.filter(pair__among=frozenset(pairs))
    current = traces.filter(content_hash=F("pair__content_hash")).select_related("pair")
    return current.order_by("pair__content_hash", "kind", "faulty_hash")


def _messages(trace: RepairTrace) -> list[Message]:
    parts = [
        TASK,
        f"PyTorch:\n\n{fenced(trace.pair.python_code)}",
        f"Triton:\n\n{fenced(trace.faulty_code)}",
    ]
    if cases := _cases(trace.pair.test_code):
        parts.append(f"The cases of the check, counted from 0:\n\n{fenced(cases)}")
    parts.append(f"The check says:\n\n{fenced(trace.message, 'text')}")
    question = "\n\n".join(parts)
    answer = f"{trace.why}\n\n{fenced(trace.pair.triton_code)}"
    return [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]


def _cases(test_code: str) -> str:
    """Return the source of the assignment to CASES, or "". Messages refer to cases by number."""
    assigned = assignment(ast.parse(test_code), "CASES")
    return ast.get_source_segment(test_code, assigned) or "" if assigned else ""
