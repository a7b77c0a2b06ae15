"""REJECTED.jsonl: one line for each item that stayed behind, with its reason, never its source."""

import re
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from curation.evidence.places import Place
from curation.evidence.sources import Source
from curation.export.aside import Aside, HashOrder
from curation.export.gates import FUNNEL, Exclusion
from curation.export.lines import LineFile, encode_text

NO_WORD = re.compile(r"[^a-z0-9]+")


@dataclass(slots=True)
class Ledger:
    """Writes what was left out and counts what reached each stage."""

    file: LineFile | None
    aside: Aside | None
    sources: Mapping[int, Source]
    seen: Counter[str] = field(default_factory=Counter)
    reasons: dict[str, Counter[str]] = field(default_factory=dict)
    _lines: "array[int]" = field(default_factory=lambda: array("q"))
    _hashes: HashOrder = field(default_factory=HashOrder)

    def left_out(
        self, kind: str, name: str, content_hash: str, places: Sequence[Place], why: Exclusion
    ) -> None:
        self.reasons.setdefault(kind, Counter())[why.reason] += 1
        if self.aside is None:
            return
        identity = record_id(kind, name, content_hash)
        place = f"{{{located(places[0], self.sources)}}}" if places else "null"
        line = (
            f'{{"id":{encode_text(identity)},"kind":"{kind}","name":{encode_text(name)},'
            f'"reason":"{why.reason}","message":{encode_text(why.message)},"provenance":{place}}}'
        )
        self._lines.append(self.aside.put(line))
        self._hashes.add(content_hash)

    def write(self) -> None:
        """Those that were left out since the last time, in their order."""
        if self.file is not None and self.aside is not None:
            ordered = np.asarray(self._lines)[self._hashes.order()]
            for line in self.aside.take(ordered.data):
                self.file.write(line)
        self._lines, self._hashes = array("q"), HashOrder()

    def funnel(self, kind: str) -> dict[str, int]:
        """How many reached each stage. `found` are those that the filter named."""
        left = self.seen[kind]
        stages = {"found": left}
        for stage, reasons in FUNNEL:
            left -= sum(self.reasons.get(kind, Counter())[reason] for reason in reasons)
            stages[stage] = left
        return stages


NOWHERE = '"repository":null,"commit":null,"path":null,"lines":null,"url":null'


def located(place: Place, sources: Mapping[int, Source]) -> str:
    """Where it stands, as members of a JSON object."""
    file, page = _file(sources[place.source], place.commit, place.path)
    first, last = place.lines
    url = f"{page}#L{first}-L{last}" if page else ""
    return f'{file},"lines":[{first},{last}],"url":"{url}"'


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
