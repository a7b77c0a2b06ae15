"""Extra configurations of ladders: kernels of one Python side, from the slowest to the fastest.

Only rungs with times on one GPU at one of the test's PERF_CASES are written, and only steps that
are measurably faster. The files are kept with a release, because later times would change them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, groupby
from pathlib import Path
from typing import Any, TypedDict

from curation.evidence.ladders import Place, TimedRung, timed_rungs
from curation.export.folder import LineFile, encode
from curation.export.records import record_id
from curation.export.schema import RecordProfile, columns_of
from curation.export.splits import SPLITS
from curation.export.training.repairs import Message, fenced
from curation.models import Pair
from curation.text import pluralize
from curation.tokens import Tokenizer

FOLDER = "ladders"
PREFERENCES = "ladder_preferences"
# A step is faster if its median is below this share of the slower one; runs differ by some percent.
FASTER = 0.95
TASK = (
    "Rewrite this PyTorch function as a Triton kernel with a launcher of the same name and "
    "signature."
)


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


@dataclass(slots=True)
class Ladders:
    """The written files of both configurations, one a split, with the numbers of records."""

    files: list[LineFile] = field(default_factory=list)
    ladders: int = 0
    preferences: int = 0

    def as_json(self) -> dict[str, int]:
        return {"ladders": self.ladders, "preferences": self.preferences}


def write_ladders(
    folder: Path, rows: Any, profiles: Sequence[RecordProfile], tokenizer: Tokenizer
) -> Ladders:
    """Write the ladders of the exported pairs. `rows`: the pairs with their splits."""
    made = Ladders()
    for number, split in enumerate(SPLITS):
        of_split = rows[rows["split"] == number]
        numbers = zip(of_split["pk"].tolist(), of_split["profile"].tolist(), strict=True)
        licenses = {pk: profiles[profile].license for pk, profile in numbers}
        conversations = LineFile(folder / FOLDER / f"{split}.jsonl")
        preferences = LineFile(folder / PREFERENCES / f"{split}.jsonl")
        with conversations, preferences:
            for place, rungs in _measured(licenses):
                ladder = _conversation(place, rungs, licenses, tokenizer)
                conversations.write([encode(ladder)], ladder["metadata"]["tokens"])
                for record in _preferences(place, rungs, licenses, tokenizer):
                    preferences.write([encode(record)], record["metadata"]["tokens"])
        made.ladders += conversations.records
        made.preferences += preferences.records
        made.files += [conversations, preferences]
    return made


def _measured(pks: Mapping[int, object]) -> Iterator[tuple[Place, list[TimedRung]]]:
    """Yield the rungs of each ladder among these pairs that are steps, the slowest first."""
    pairs = Pair.objects.filter(pk__among=frozenset(pks)).exclude(ladder="")
    ordered = pairs.order_by("ladder", "python_code", "rung", "content_hash")
    for _, group in groupby(ordered, key=lambda pair: (pair.ladder, pair.python_code)):
        timed = timed_rungs(list(group))
        if timed is None:
            continue
        place, (first, *others) = timed
        steps = [first]
        for rung in others:
            if rung.median_us < FASTER * steps[-1].median_us:
                steps.append(rung)
        if len(steps) > 1:
            yield place, steps


def _conversation(
    place: Place, rungs: Sequence[TimedRung], licenses: Mapping[int, str | None],
    tokenizer: Tokenizer,
) -> LadderRecord:  # fmt: skip
    messages: list[Message] = []
    question = _prompt(rungs[0].pair)
    for rung in rungs:
        messages.append({"role": "user", "content": question})
        messages.append({"role": "assistant", "content": _answer(rung.pair)})
        question = (
            f"It is right, and takes {rung.median_us:,.1f} µs on {place.gpu} for {place.case}. "
            "Make it faster."
        )
    names = [_name(rung.pair) for rung in rungs]
    ladder = rungs[0].pair.ladder
    return {
        "messages": messages,
        "metadata": {
            "id": f"{ladder}/{names[-1]}",
            "ladder": ladder,
            "pairs": names,
            "rungs": [rung.pair.rung for rung in rungs],
            "times_us": [rung.median_us for rung in rungs],
            "gpu": place.gpu,
            "case": place.case,
            "license": licenses[rungs[-1].pair.pk],
            "tokens": _tokens(tokenizer, *(message["content"] for message in messages)),
        },
    }


def _preferences(
    place: Place, rungs: Sequence[TimedRung], licenses: Mapping[int, str | None],
    tokenizer: Tokenizer,
) -> Iterator[PreferenceRecord]:  # fmt: skip
    """Yield each faster rung as chosen against each slower one."""
    for slow, fast in combinations(rungs, 2):
        texts = _prompt(fast.pair), _answer(fast.pair), _answer(slow.pair)
        yield {
            "prompt": texts[0],
            "chosen": texts[1],
            "rejected": texts[2],
            "metadata": {
                "id": f"{_name(fast.pair)}/{_name(slow.pair)}",
                "ladder": fast.pair.ladder,
                "chosen": _name(fast.pair),
                "rejected": _name(slow.pair),
                "speedup": round(slow.median_us / fast.median_us, 3),
                "gpu": place.gpu,
                "case": place.case,
                "license": licenses[fast.pair.pk],
                "tokens": _tokens(tokenizer, *texts),
            },
        }


def _prompt(pair: Pair) -> str:
    return f"{TASK}\n\n{fenced('python', pair.python_code)}"


def _answer(pair: Pair) -> str:
    return fenced("python", pair.triton_code)


def _name(pair: Pair) -> str:
    return record_id("pair", pair.slug, pair.content_hash)


def _tokens(tokenizer: Tokenizer, *texts: str) -> int:
    return sum(tokenizer.count(texts))


def ladders_section(ladders: Ladders) -> Iterator[str]:
    """Yield the section of the card."""
    yield from ("", "## Ladders", "")
    yield (
        f"The configuration `{FOLDER}` has {pluralize(ladders.ladders, 'conversation')}: Triton "
        "versions of one function, each faster than the one before. "
        f"`{PREFERENCES}` has {pluralize(ladders.preferences, 'preference')} with the columns "
        "`prompt`, `chosen` and `rejected`; the chosen version is the faster one. Both are right. "
        "Times are medians on one GPU at one large case, which `metadata` names; a step is at "
        f"least {1 - FASTER:.0%} faster."
    )
