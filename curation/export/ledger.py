"""REJECTED.jsonl: one line for each item that stayed behind, with its reason, never its source."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from curation.evidence.places import Place
from curation.evidence.sources import Source
from curation.export.gates import FUNNEL, Exclusion
from curation.export.lines import LineFile, encode


@dataclass(slots=True)
class Ledger:
    """Writes what was left out and counts what reached each stage."""

    file: LineFile | None
    sources: Mapping[int, Source]
    seen: Counter[str] = field(default_factory=Counter)
    reasons: dict[str, Counter[str]] = field(default_factory=dict)

    def left_out(
        self, kind: str, identity: str, name: str, places: Sequence[Place], why: Exclusion
    ) -> None:
        self.reasons.setdefault(kind, Counter())[why.reason] += 1
        if self.file is None:
            return
        line = {
            "id": identity,
            "kind": kind,
            "name": name,
            "reason": why.reason,
            "message": why.message,
            "provenance": provenance(places[0], self.sources) if places else None,
        }
        self.file.write(encode(line))

    def funnel(self, kind: str) -> dict[str, int]:
        """How many reached each stage. `found` are those that the filter named."""
        left = self.seen[kind]
        stages = {"found": left}
        for stage, reasons in FUNNEL:
            left -= sum(self.reasons.get(kind, Counter())[reason] for reason in reasons)
            stages[stage] = left
        return stages


def provenance(place: Place, sources: Mapping[int, Source]) -> dict[str, object]:
    source = sources[place.source]
    return {
        "repository": source.name,
        "commit": place.commit,
        "path": place.path,
        "lines": list(place.lines),
        "url": source.url(place.commit, place.path, place.lines),
    }


def record_id(kind: str, name: str, content_hash: str) -> str:
    """Readable, and the same for the same content. Thousands of kernels share a name, so that
    theirs take more of the hash than a pair's."""
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:80].rstrip("-")
    return f"{slug or kind}-{content_hash[: 8 if kind == 'pair' else 12]}"
