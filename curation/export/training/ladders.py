"""Extra configurations of ladders: pairs with the same Python code, from slowest to fastest.

All pairs of a ladder were timed on the same GPU with the same case of PERF_CASES. Each pair is
measurably faster than the previous pair of the ladder.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations, groupby
from typing import NamedTuple, TypedDict

from curation.evidence.ladders import Place, timed_rungs
from curation.export.folder import OutputFiles
from curation.export.records import Record
from curation.export.schema import Message, columns_of
from curation.export.splits import SPLITS
from curation.export.training.prompts.phrasing import INSTRUCTION, fenced
from curation.models import Pair
from curation.tokens import Tokenizer

FOLDER = "ladders"
PREFERENCES = "ladder_preferences"
# Maximum time of a faster pair, as a share of the slower pair's. Times vary by some percent.
FASTER = 0.95


class LadderMetadata(TypedDict):
    id: str
    ladder: str
    pairs: list[str]
    rungs: list[str]
    times_us: list[float]
    gpu: str
    case: str
    license: str | None
    tokens: int


class LadderRecord(TypedDict):
    messages: list[Message]
    metadata: LadderMetadata


class PreferenceMetadata(TypedDict):
    id: str
    ladder: str
    chosen: str
    rejected: str
    speedup: float
    gpu: str
    case: str
    license: str | None
    tokens: int


class PreferenceRecord(TypedDict):
    prompt: str
    chosen: str
    rejected: str
    metadata: PreferenceMetadata


COLUMNS = columns_of(LadderRecord)
PREFERENCE_COLUMNS = columns_of(PreferenceRecord)


def write_ladders(
    files: OutputFiles, pairs: Sequence[Record], tokenizer: Tokenizer
) -> dict[str, int]:
    """Write the timed ladders, if any, two files for each split. Return their numbers."""
    measured = list(_measured({pair.pk: pair for pair in pairs}))
    made = {"ladders": len(measured), "preferences": 0}
    for number, split in enumerate(SPLITS if measured else ()):
        of_split = [each for each in measured if each[1][0].record.split == number]
        ladders = [_conversation(place, rungs, tokenizer) for place, rungs in of_split]
        preferences = [
            record for place, rungs in of_split for record in _preferences(place, rungs, tokenizer)
        ]
        made["preferences"] += len(preferences)
        for folder, records in ((FOLDER, ladders), (PREFERENCES, preferences)):
            tokens = sum(record["metadata"]["tokens"] for record in records)
            files.write_records(f"{folder}/{split}.jsonl", records, tokens)
    return made


class _Rung(NamedTuple):
    """A pair's export record, with its median run time in µs."""

    record: Record
    median_us: float


def _measured(pairs: Mapping[int, Record]) -> Iterator[tuple[Place, list[_Rung]]]:
    """Yield each ladder's GPU and case, and the pairs that are faster than their predecessor."""
    for ladder in _ladders(pairs):
        timed = timed_rungs(ladder)
        if timed is None:
            continue
        place, (first, *others) = timed
        steps = [first]
        for rung in others:
            if rung.median_us < FASTER * steps[-1].median_us:
                steps.append(rung)
        if len(steps) > 1:
            yield place, [_Rung(pairs[step.pair.pk], step.median_us) for step in steps]


def slower_rungs(pairs: Collection[int]) -> frozenset[int]:
    """Return the rungs that share a question with a faster one. Without times, the last is best."""
    slower = set[int]()
    for ladder in _ladders(pairs):
        timed = timed_rungs(ladder)
        fastest = timed[1][-1].pair if timed else ladder[-1]
        slower |= {pair.pk for pair in ladder} - {fastest.pk}
    return frozenset(slower)


def _ladders(pairs: Collection[int]) -> Iterator[list[Pair]]:
    rows = Pair.objects.filter(pk__among=frozenset(pairs)).exclude(ladder="")
    ordered = rows.order_by("ladder", "python_code", "rung", "content_hash")
    for _, group in groupby(ordered, key=lambda pair: (pair.ladder, pair.python_code)):
        yield list(group)


def _conversation(place: Place, rungs: Sequence[_Rung], tokenizer: Tokenizer) -> LadderRecord:
    messages: list[Message] = []
    question = _prompt(rungs[0])
    for rung in rungs:
        messages.append({"role": "user", "content": question})
        messages.append({"role": "assistant", "content": fenced(rung.record.texts[1])})
        question = (
            f"It is right, and takes {rung.median_us:,.1f} µs on {place.gpu} for {place.case}. "
            "Make it faster."
        )
    names = [rung.record.id for rung in rungs]
    ladder = rungs[0].record.metadata["ladder"]
    return {
        "messages": messages,
        "metadata": {
            "id": f"{ladder}/{names[-1]}",
            "ladder": ladder,
            "pairs": names,
            "rungs": [rung.record.metadata["rung"] for rung in rungs],
            "times_us": [rung.median_us for rung in rungs],
            "gpu": place.gpu,
            "case": place.case,
            "license": rungs[-1].record.metadata["license"],
            "tokens": sum(tokenizer.count([message["content"] for message in messages])),
        },
    }


def _preferences(
    place: Place, rungs: Sequence[_Rung], tokenizer: Tokenizer
) -> Iterator[PreferenceRecord]:
    """Yield a preference for every two pairs of a ladder. The faster pair is the chosen one."""
    for slow, fast in combinations(rungs, 2):
        texts = _prompt(fast), *(fenced(each.record.texts[1]) for each in (fast, slow))
        yield {
            "prompt": texts[0],
            "chosen": texts[1],
            "rejected": texts[2],
            "metadata": {
                "id": f"{fast.record.id}/{slow.record.id}",
                "ladder": fast.record.metadata["ladder"],
                "chosen": fast.record.id,
                "rejected": slow.record.id,
                "speedup": round(slow.median_us / fast.median_us, 3),
                "gpu": place.gpu,
                "case": place.case,
                "license": fast.record.metadata["license"],
                "tokens": sum(tokenizer.count(texts)),
            },
        }


def _prompt(rung: _Rung) -> str:
    return f"{INSTRUCTION}\n\n{fenced(rung.record.document['python_code'])}"
