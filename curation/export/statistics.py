"""What an export counts while it writes: for the manifest, the card and its pictures."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from curation.export.splits import SPLITS

NONE = "none"


@dataclass(slots=True)
class Statistics:
    # kind → what is counted → value → how many.
    counts: dict[str, dict[str, Counter[str]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(Counter))
    )
    tokens: Counter[str] = field(default_factory=Counter)
    # category → what its texts add up to.
    sizes: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def add(self, kind: str, split: int, tokens: int, metadata: Mapping[str, Any]) -> None:
        counts = self.counts[kind]
        counts["operation_type"][metadata["operation_type"]] += 1
        counts["difficulty"][metadata["difficulty"] or NONE] += 1
        counts["license"][metadata["license"] or NONE] += 1
        counts["origin"][metadata["origin"]] += 1
        counts["category"][metadata["category"] or NONE] += 1
        counts["split"][SPLITS[split]] += 1
        counts["reviewed"]["yes" if metadata["reviewed"] else "no"] += 1
        self.tokens[kind] += tokens
        if kind == "pair":
            verified = metadata["verified"]
            counts["validated on"][verified["device"] if verified else NONE] += 1

    def measure(self, category: str, tokens: int, texts: Sequence[str]) -> None:
        size = self.sizes[category]
        size["records"] += 1
        size["lines"] += sum(text.count("\n") for text in texts)
        size["bytes"] += sum(len(text.encode()) for text in texts)
        size["tokens"] += tokens

    def as_json(self, kind: str) -> dict[str, dict[str, int]]:
        return {
            name: dict(sorted(counter.items(), key=lambda item: (-item[1], item[0])))
            for name, counter in sorted(self.counts[kind].items())
        }
