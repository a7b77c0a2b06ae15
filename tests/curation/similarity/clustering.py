"""The rule of clusters, applied to all items at once: the reference for placing one by one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from curation.similarity.duplicates import Facts, Link, likeness, may_represent, rank
from curation.similarity.fingerprint import Fingerprint, fingerprints, functions_of


@dataclass(frozen=True, slots=True, eq=False)
class ClusterItem:
    key: int
    facts: Facts
    fingerprint: Fingerprint
    first_version: int | None = None
    hardware: str = "cuda"

    @property
    def lineage(self) -> int:
        return self.key if self.first_version is None else self.first_version

    @property
    def syntax_hash(self) -> str:
        return self.fingerprint.syntax_hash

    @property
    def functions(self) -> frozenset[str]:
        one = self.fingerprint
        of_pair = one.structure is not None
        return functions_of(of_pair, one.syntax_hash, one.operation_hash, one.chain_hash)


def fingerprint(text: str) -> Fingerprint:
    return fingerprints([text])[0]


def cluster(items: Iterable[ClusterItem]) -> dict[int, Link | None]:
    representatives: list[ClusterItem] = []
    placed: dict[int, Link | None] = {}
    for item in sorted(items, key=lambda item: rank(item.facts)):
        links = (
            Link(other.key, *alike)
            for other in representatives
            if may_represent(item, other)
            and (alike := likeness(item.fingerprint, other.fingerprint))
        )
        placed[item.key] = next(links, None)
        if placed[item.key] is None:
            representatives.append(item)
    return placed
