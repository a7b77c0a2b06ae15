"""REJECTED.jsonl: one line for each item left out, with its reason, never its source."""

import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice

import numpy as np

from curation.evidence.places import KernelPlace
from curation.evidence.sources import ExportSource
from curation.export.gates import FUNNEL, Exclusion, ExclusionReason
from curation.export.lines import LineFile, encode_text
from curation.export.spool import HashOrder, Spool

BATCH = 1000
NO_WORD = re.compile(r"[^a-z0-9]+")


@dataclass(slots=True)
class SpooledLines:
    """Spooled lines of one kind, and their order."""

    lines: "array[int]" = field(default_factory=lambda: array("q"))
    hashes: HashOrder = field(default_factory=HashOrder)


@dataclass(slots=True)
class LedgerCounts:
    """Counts of examined items and of reasons, by kind."""

    seen: Counter[str] = field(default_factory=Counter)
    reasons: dict[str, Counter[ExclusionReason]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    waiting: dict[str, SpooledLines] = field(default_factory=lambda: defaultdict(SpooledLines))


@dataclass(slots=True)
class ExportLedger:
    """Ledger: writes the items left out, and counts the items of each stage."""

    spool: Spool | None
    sources: Mapping[int, ExportSource]
    counted: LedgerCounts = field(default_factory=LedgerCounts)

    def left_out(
        self, kind: str, name: str, content_hash: str, places: Sequence[KernelPlace], why: Exclusion
    ) -> None:
        self.counted.reasons[kind][why.reason] += 1
        if self.spool is None:
            return
        identity = record_id(kind, name, content_hash)
        place = f"{{{located(places[0], self.sources)}}}" if places else "null"
        line = (
            f'{{"id":{encode_text(identity)},"kind":"{kind}","name":{encode_text(name)},'
            f'"reason":"{why.reason}","message":{encode_text(why.message)},"provenance":{place}}}'
        )
        waiting = self.counted.waiting[kind]
        waiting.lines.extend(self.spool.put([line]))
        waiting.hashes.add([content_hash])

    def absorb(self, more: LedgerCounts, first: int) -> None:
        """Add the items that another process left out; its line numbers start at `first`."""
        self.counted.seen += more.seen
        for kind, reasons in more.reasons.items():
            self.counted.reasons[kind] += reasons
        for kind, other in more.waiting.items():
            waiting = self.counted.waiting[kind]
            waiting.lines.extend([first + line for line in other.lines])
            waiting.hashes.extend(other.hashes)

    def write(self, file: LineFile | None) -> None:
        """Write the lines since the last call, in order."""
        for kind in ("kernel", "pair"):
            waiting = self.counted.waiting.pop(kind, None)
            if waiting is not None and file is not None and self.spool is not None:
                ordered = np.asarray(waiting.lines)[waiting.hashes.order()]
                lines = self.spool.take(ordered.tolist())
                while some := list(islice(lines, BATCH)):
                    file.write(some)

    def reasons(self, kind: str) -> Counter[ExclusionReason]:
        return self.counted.reasons[kind]

    def funnel(self, kind: str) -> dict[str, int]:
        """Count the items that reached each stage. `found` counts all that the filter matched."""
        remaining = self.counted.seen[kind]
        stages = {"found": remaining}
        for stage, reasons in FUNNEL:
            remaining -= sum(self.reasons(kind)[reason] for reason in reasons)
            stages[stage] = remaining
        return stages


NOWHERE = '"repository":null,"commit":null,"path":null,"lines":null,"cell":null,"url":null'


def located(place: KernelPlace, sources: Mapping[int, ExportSource]) -> str:
    """Return a place as members of a JSON object."""
    file, page = _file(sources[place.source], place.commit, place.path)
    first, last = place.lines
    # GitHub has no URL for the lines of a notebook's cell.
    url = f"{page}#L{first}-L{last}" if page and not place.cell else page
    cell = place.cell or "null"
    return f'{file},"lines":[{first},{last}],"cell":{cell},"url":"{url}"'


# The kernels of a file mostly follow each other.
@lru_cache(maxsize=512)
def _file(source: ExportSource, commit: str, path: str) -> tuple[str, str]:
    """Return the JSON members that all places in a file share, and its escaped URL."""
    file = (
        f'"repository":{encode_text(source.name)},"commit":{encode_text(commit)},'
        f'"path":{encode_text(path)}'
    )
    return file, encode_text(source.page(commit, path))[1:-1]


def record_id(kind: str, name: str, content_hash: str) -> str:
    """Return a readable id, stable for the same content.

    Thousands of kernels share a name, so their ids contain more of the hash than a pair's.
    """
    slug = NO_WORD.sub("-", name.lower()).strip("-")[:80].rstrip("-")
    return f"{slug or kind}-{content_hash[: 8 if kind == 'pair' else 12]}"
