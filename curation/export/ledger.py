"""REJECTED.jsonl: one line for each item that stayed behind, with its reason, never its source."""

import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice

import numpy as np

from curation.evidence.places import Place
from curation.evidence.sources import Source
from curation.export.aside import Aside, HashOrder
from curation.export.gates import FUNNEL, Exclusion, Reason
from curation.export.lines import LineFile, encode_text

BATCH = 1000
NO_WORD = re.compile(r"[^a-z0-9]+")


@dataclass(slots=True)
class Waiting:
    """Lines of one kind that were put aside, and their order."""

    lines: "array[int]" = field(default_factory=lambda: array("q"))
    hashes: HashOrder = field(default_factory=HashOrder)


@dataclass(slots=True)
class Counted:
    """What was weighed, and what of it was left out: of each kind."""

    seen: Counter[str] = field(default_factory=Counter)
    reasons: dict[str, Counter[Reason]] = field(default_factory=lambda: defaultdict(Counter))
    waiting: dict[str, Waiting] = field(default_factory=lambda: defaultdict(Waiting))


@dataclass(slots=True)
class Ledger:
    """Writes what was left out and counts what reached each stage."""

    aside: Aside | None
    sources: Mapping[int, Source]
    counted: Counted = field(default_factory=Counted)

    def left_out(
        self, kind: str, name: str, content_hash: str, places: Sequence[Place], why: Exclusion
    ) -> None:
        self.counted.reasons[kind][why.reason] += 1
        if self.aside is None:
            return
        identity = record_id(kind, name, content_hash)
        place = f"{{{located(places[0], self.sources)}}}" if places else "null"
        line = (
            f'{{"id":{encode_text(identity)},"kind":"{kind}","name":{encode_text(name)},'
            f'"reason":"{why.reason}","message":{encode_text(why.message)},"provenance":{place}}}'
        )
        waiting = self.counted.waiting[kind]
        waiting.lines.extend(self.aside.put([line]))
        waiting.hashes.add([content_hash])

    def absorb(self, more: Counted, first: int) -> None:
        """What another process has left out, its lines adopted as of number `first`."""
        self.counted.seen += more.seen
        for kind, reasons in more.reasons.items():
            self.counted.reasons[kind] += reasons
        for kind, theirs in more.waiting.items():
            waiting = self.counted.waiting[kind]
            waiting.lines.extend([first + line for line in theirs.lines])
            waiting.hashes.extend(theirs.hashes)

    def write(self, file: LineFile | None) -> None:
        """Those that were left out since the last time, in their order."""
        for kind in ("kernel", "pair"):
            waiting = self.counted.waiting.pop(kind, None)
            if waiting is not None and file is not None and self.aside is not None:
                ordered = np.asarray(waiting.lines)[waiting.hashes.order()]
                lines = self.aside.take(ordered.tolist())
                while some := list(islice(lines, BATCH)):
                    file.write(some)

    def reasons(self, kind: str) -> Counter[Reason]:
        return self.counted.reasons[kind]

    def funnel(self, kind: str) -> dict[str, int]:
        """How many reached each stage. `found` are those that the filter named."""
        left = self.counted.seen[kind]
        stages = {"found": left}
        for stage, reasons in FUNNEL:
            left -= sum(self.reasons(kind)[reason] for reason in reasons)
            stages[stage] = left
        return stages


NOWHERE = '"repository":null,"commit":null,"path":null,"lines":null,"cell":null,"url":null'


def located(place: Place, sources: Mapping[int, Source]) -> str:
    """Where it stands, as members of a JSON object."""
    file, page = _file(sources[place.source], place.commit, place.path)
    first, last = place.lines
    # GitHub has no address for the lines of a notebook's cell.
    url = f"{page}#L{first}-L{last}" if page and not place.cell else page
    cell = place.cell or "null"
    return f'{file},"lines":[{first},{last}],"cell":{cell},"url":"{url}"'


# The kernels of a file mostly come one after the other.
@lru_cache(maxsize=512)
def _file(source: Source, commit: str, path: str) -> tuple[str, str]:
    """What all places in a file have in common, and its page as it stands within quotes."""
    file = (
        f'"repository":{encode_text(source.name)},"commit":{encode_text(commit)},'
        f'"path":{encode_text(path)}'
    )
    return file, encode_text(source.page(commit, path))[1:-1]


def record_id(kind: str, name: str, content_hash: str) -> str:
    """Readable, and the same for the same content. Thousands of kernels share a name, so that
    theirs take more of the hash than a pair's."""
    slug = NO_WORD.sub("-", name.lower()).strip("-")[:80].rstrip("-")
    return f"{slug or kind}-{content_hash[: 8 if kind == 'pair' else 12]}"
