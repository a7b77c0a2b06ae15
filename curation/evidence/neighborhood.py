"""Items near a batch, held in memory as the input of the pure clustering rules.

Rows are fetched for many items at once. The process that holds the placement lock changes the links
in memory, and writes the changes at the end.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from django.db.models import QuerySet

from curation.evidence.fingerprints import SCHEME
from curation.evidence.item_facts import COLUMNS, ItemFacts
from curation.evidence.subjects import PAIR, Subject, identity_texts
from curation.models import Band, DuplicateLink, Fingerprint
from curation.similarity import fingerprint
from curation.similarity.duplicates import (
    FLOOR_WORDS,
    Facts,
    Likeness,
    Link,
    NearDuplicate,
    Placement,
    likeness,
    may_represent,
)
from curation.similarity.fingerprint import functions_of
from curation.similarity.minhash import PERMUTATIONS, Signature, bands, from_bytes
from curation.similarity.shingles import Shingles, shingles

ALIKE_ENOUGH = PERMUTATIONS // 2
"""Minimum number of equal values in the signatures of two candidates. With fewer, their texts are
not compared. Of pairs with a similarity of 0.7, one in a million has fewer."""

NO_SHINGLES = np.zeros(0, np.uint64)


@dataclass(slots=True)
class Member:
    """An item in memory."""

    key: int
    content_hash: str
    syntax_hash: str
    words: int
    signature: Signature
    item_facts: ItemFacts
    functions: frozenset[str]
    lineage: int
    link: Link | None = None
    stored: Link | None = None
    """Its link when it was read from the database."""

    @property
    def facts(self) -> Facts:
        return self.item_facts.facts(self.content_hash)

    @property
    def hardware(self) -> str:
        return self.item_facts.hardware


class Neighborhood:
    """Items near a batch of items of one kind, and their links. Changes stay in memory."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._members: dict[int, Member] = {}
        self._key_of: dict[int, int] = {}
        """Primary key of each item, by the primary key of its fingerprint."""
        self._previous: dict[int, int | None] = {}
        """Previous version of each item, also for versions whose item is not loaded."""
        self._candidates: dict[int, list[int]] = {}
        self._alike: dict[tuple[int, int], tuple[Likeness, float] | None] = {}
        self._shingles: dict[int, Shingles] = {}

    def __getitem__(self, key: int) -> Member:
        return self._members[key]

    def __contains__(self, key: int) -> bool:
        return key in self._members

    def load(self, keys: Iterable[int]) -> None:
        """Load these items and all candidates for their near-duplicates."""
        unknown = [key for key in keys if key not in self._candidates]
        self._fetch(unknown)
        unknown = [key for key in unknown if key in self._members]
        met = self._meetings(unknown)
        new = {pk for pks in met.values() for pk in pks} - self._key_of.keys()
        self._take_in(Fingerprint.objects.filter(pk__among=new))
        for key in unknown:
            others = {self._key_of[pk] for pk in met[key] if pk in self._key_of}
            self._candidates[key] = self._plausible(key, others - {key})

    def near(self, key: int) -> list[NearDuplicate]:
        """Return the near-duplicates of an item."""
        return self.among(key, lambda other: may_represent(self[key], other))

    def representatives(self, key: int) -> list[NearDuplicate]:
        """Return the near-duplicates of an item that are representatives."""
        return self.among(key, lambda other: other.link is None and may_represent(self[key], other))

    def among(self, key: int, accepts: Callable[[Member], bool]) -> list[NearDuplicate]:
        """Return the near-duplicates of an item that `accepts` allows. Their texts are compared."""
        self.load([key])
        others = [
            other
            for other in self._candidates.get(key, ())
            if self[other].item_facts.placed and accepts(self[other])
        ]
        self._verify(key, others)
        return [
            NearDuplicate(other, self[other].facts, *alike, *self._representative(other))
            for other in others
            if (alike := self._alike[_pair(key, other)])
        ]

    def apply(self, placement: Placement) -> None:
        for key, link in placement.items():
            self[key].link = link

    def moved(self) -> list[Member]:
        """Return the items whose link differs from the one in the database."""
        return [member for member in self._members.values() if member.link != member.stored]

    def withdraw(self, key: int) -> None:
        """Remove the item from all clusters, until it is placed again."""
        self[key].item_facts = replace(self[key].item_facts, placed=False)
        self[key].link = None

    def _representative(self, key: int) -> tuple[int | None, Facts | None]:
        link = self[key].link
        return (link.of, self[link.of].facts) if link else (None, None)

    def _fetch(self, keys: Collection[int]) -> None:
        if new := [key for key in keys if key not in self._members]:
            self._take_in(Fingerprint.objects.filter(**self._subject.about(new)))

    def _take_in(self, fingerprints: QuerySet[Fingerprint]) -> None:
        """Load the items of those fingerprints that are of this kind and of the current scheme."""
        name, column = self._subject.name, self._subject.column
        current = fingerprints.filter(scheme=SCHEME).exclude(**{column: None})
        rows = list(
            current.values_list(
                "pk", column, f"{name}__previous_id", "content_hash", "syntax_hash",
                "operation_hash", "chain_hash", "token_count", "signature", *COLUMNS,
            )
        )  # fmt: skip
        of_pair = self._subject is PAIR
        # Only pairs: an edited pair and its original both stay. A new kernel replaces the old one.
        self._take_in_versions({row[1]: row[2] if of_pair else None for row in rows})
        new: list[int] = []
        for pk, key, _, content, syntax, operations, chain, words, signature, *item_facts in rows:
            self._key_of[pk] = key
            if key not in self._members:
                member = Member(
                    key, content, syntax, words, from_bytes(signature), ItemFacts(*item_facts),
                    functions_of(of_pair, syntax, operations, chain), self._lineage(key),
                )  # fmt: skip
                self._members[key] = member
                if member.item_facts.placed:
                    new.append(key)
        self._take_in_links(new)

    def _take_in_versions(self, previous: Mapping[int, int | None]) -> None:
        """Load the keys of all earlier versions, even if these are not near-duplicates."""
        self._previous |= previous
        ahead = {key for key in previous.values() if key is not None} - self._previous.keys()
        while ahead:
            rows = self._subject.rows().filter(pk__among=ahead)
            older = dict(rows.values_list("pk", "previous_id"))
            self._previous |= older
            ahead = {key for key in older.values() if key is not None} - self._previous.keys()

    def _lineage(self, key: int) -> int:
        while (older := self._previous[key]) is not None:
            key = older
        return key

    def _take_in_links(self, keys: Collection[int]) -> None:
        subject = self._subject
        links = DuplicateLink.objects.filter(**subject.about(keys))
        columns = (subject.column, f"of_{subject.column}", "likeness", "similarity")
        for key, *link in links.values_list(*columns):
            self[key].link = self[key].stored = Link(*link)
        # A candidate's representative need not be a candidate, so load it too.
        self._fetch({link.of for key in keys if (link := self[key].link)})

    def _meetings(self, keys: Collection[int]) -> dict[int, set[int]]:
        """Return for each item the fingerprints that share a band or the syntax hash with it."""
        by_band: dict[int, list[int]] = {}
        by_syntax: dict[str, list[int]] = {}
        for key in keys:
            member = self[key]
            by_syntax.setdefault(member.syntax_hash, []).append(key)
            if member.words >= FLOOR_WORDS:
                for value in bands(member.signature):
                    by_band.setdefault(value, []).append(key)
        met: dict[int, set[int]] = {key: set() for key in keys}
        sharing = Band.objects.filter(value__among=list(by_band))
        for value, pk in sharing.values_list("value", "fingerprint_id"):
            for key in by_band[value]:
                met[key].add(pk)
        equal = Fingerprint.objects.filter(syntax_hash__among=list(by_syntax))
        for syntax, pk in equal.values_list("syntax_hash", "pk"):
            for key in by_syntax[syntax]:
                met[key].add(pk)
        return met

    def _plausible(self, key: int, others: Collection[int]) -> list[int]:
        member = self[key]
        exact = {other for other in others if self[other].syntax_hash == member.syntax_hash}
        rest = [other for other in others if other not in exact]
        if not rest:
            return sorted(exact)
        agreeing = (np.array([self[other].signature for other in rest]) == member.signature).sum(1)
        near = np.flatnonzero(agreeing >= ALIKE_ENOUGH).tolist()
        return sorted([*exact, *(rest[number] for number in near)])

    def _verify(self, key: int, others: Iterable[int]) -> None:
        unknown = [other for other in others if _pair(key, other) not in self._alike]
        # Texts with the same syntax hash differ only in names, so they need no comparison.
        read = {
            member.key
            for other in unknown
            if self[other].syntax_hash != self[key].syntax_hash
            for member in (self[key], self[other])
        }
        rows = self._subject.rows().filter(pk__among=read - self._shingles.keys())
        texts = {pk: columns for pk, *columns in rows.values_list("pk", *self._subject.identity)}
        self._shingles |= dict(
            zip(texts, shingles(identity_texts(list(texts.values()))), strict=True)
        )
        for other in unknown:
            self._alike[_pair(key, other)] = likeness(
                self._fingerprint(key), self._fingerprint(other)
            )

    def _fingerprint(self, key: int) -> fingerprint.Fingerprint:
        member, shingles = self[key], self._shingles.get(key, NO_SHINGLES)
        return fingerprint.Fingerprint(member.syntax_hash, member.words, b"", (), shingles)


def _pair(one: int, other: int) -> tuple[int, int]:
    return (one, other) if one < other else (other, one)
