"""Extra configuration of repair traces: a faulty kernel, the harness's message, the fixed kernel.

A trace is in the split of its pair. A conversation has two messages only: the faulty kernel is in
the user's, because trainers learn every message of the assistant. The files are kept with a
release, because later traces would change them.
"""

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypedDict

from django.db.models import F, QuerySet

from curation.export.folder import LineFile, encode
from curation.export.records import record_id
from curation.export.schema import RecordProfile, columns_of
from curation.export.splits import SPLITS
from curation.models import RepairTrace
from curation.text import pluralize
from curation.tokens import Tokenizer

FOLDER = "repairs"
BATCH = 500
TASK = (
    "This Triton code should compute the same as the PyTorch function, but a check rejects it. "
    "Explain the mistake, and write the whole corrected code."
)


class Message(TypedDict):
    role: str
    content: str


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


@dataclass(slots=True)
class Repairs:
    """The written files, one a split, with counts by kind of mistake."""

    files: list[LineFile] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)

    def as_json(self) -> dict[str, Any]:
        return {"kinds": dict(sorted(self.kinds.items()))}


def write_repairs(
    folder: Path, rows: Any, profiles: Sequence[RecordProfile], tokenizer: Tokenizer
) -> Repairs:
    """Write the traces of the exported pairs.

    rows -- of the pairs, ordered by content hash, with their splits
    """
    repairs = Repairs()
    for number, split in enumerate(SPLITS):
        with LineFile(folder / FOLDER / f"{split}.jsonl") as file:
            of_split = rows[rows["split"] == number]
            for start in range(0, len(of_split), BATCH):
                batch = of_split[start : start + BATCH]
                numbers = zip(batch["pk"].tolist(), batch["profile"].tolist(), strict=True)
                licenses = {pk: profiles[profile].license for pk, profile in numbers}
                for record in _records(licenses, tokenizer):
                    repairs.kinds[record["metadata"]["kind"]] += 1
                    file.write([encode(record)], record["metadata"]["tokens"])
        repairs.files.append(file)
    return repairs


def _records(licenses: Mapping[int, str | None], tokenizer: Tokenizer) -> Iterator[RepairRecord]:
    """Yield the records of some pairs, which `licenses` names by their keys."""
    traces = list(_traces(licenses))
    conversations = [_messages(trace) for trace in traces]
    texts = ["\n".join(message["content"] for message in talk) for talk in conversations]
    for trace, messages, tokens in zip(traces, conversations, tokenizer.count(texts), strict=True):
        pair = record_id("pair", trace.pair.slug, trace.pair.content_hash)
        yield {
            "messages": messages,
            "metadata": {
                "id": f"{pair}/{trace.kind}-{trace.faulty_hash[:8]}",
                "pair": pair,
                "kind": trace.kind,
                "line": trace.line,
                "verdict": trace.verdict,
                "device": trace.device,
                "license": licenses[trace.pair_id],
                "tokens": tokens,
            },
        }


def _traces(pairs: Mapping[int, object]) -> QuerySet[RepairTrace]:
    traces = RepairTrace.objects.filter(pair__among=frozenset(pairs))
    current = traces.filter(content_hash=F("pair__content_hash")).select_related("pair")
    return current.order_by("pair__content_hash", "kind", "faulty_hash")


def _messages(trace: RepairTrace) -> list[Message]:
    parts = [
        TASK,
        f"PyTorch:\n\n{fenced('python', trace.pair.python_code)}",
        f"Triton:\n\n{fenced('python', trace.faulty_code)}",
    ]
    if cases := _cases(trace.pair.test_code):
        parts.append(f"The cases of the check, counted from 0:\n\n{fenced('python', cases)}")
    parts.append(f"The check says:\n\n{fenced('text', trace.message)}")
    question = "\n\n".join(parts)
    answer = f"{trace.why}\n\n{fenced('python', trace.pair.triton_code)}"
    return [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]


def _cases(test_code: str) -> str:
    """Return the assignment of CASES, to which messages refer by number, or an empty text."""
    for node in ast.parse(test_code).body:
        targets = node.targets if isinstance(node, ast.Assign) else ()
        if any(isinstance(target, ast.Name) and target.id == "CASES" for target in targets):
            return ast.get_source_segment(test_code, node) or ""
    return ""


def fenced(language: str, text: str) -> str:
    return f"```{language}\n{text.strip()}\n```"


def repairs_section(repairs: Repairs) -> Iterator[str]:
    """Yield the section of the card."""
    yield from ("", "## Repairs", "")
    total = repairs.kinds.total()
    yield (
        f"The configuration `{FOLDER}` has {pluralize(total, 'conversation')}. Each shows a pair's "
        "Triton code with one planted mistake and the checks that rejected it; the answer explains "
        "the mistake and gives the pair's own code. Only mistakes that the checks reject are "
        "kept. A conversation is in the split of its pair. It is meant for training a model to "
        "repair kernels from messages; `metadata.pair` names the pair, `metadata.kind` the "
        "mistake."
    )
    if total:
        yield from ("", "| mistake | conversations |", "|---|--:|")
        for kind, count in sorted(repairs.kinds.items()):
            yield f"| {kind} | {count:,} |"
