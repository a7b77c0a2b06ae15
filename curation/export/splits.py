"""Stratified assignment of groups of records to splits. Pure: groups in, splits out.

A group with a known split keeps it, so that a dataset can grow without moving a record. The other
groups are placed so that, within each kind of record:

1. each operation type follows the requested shares, as nearly as undivided groups allow;
2. each operation type and each difficulty with at least 20 groups is in every split;
3. no source (recipe, repository or origin) fills more than a fifth of validation or of test, if
   records of other sources can fill it.

Groups of several records are assigned first, the largest first. Then single records fill the
splits, one operation type after the other. Ties are broken by seed and content.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from curation.models import Split

SPLITS = (Split.TRAIN, Split.VALIDATION, Split.TEST)
FREE = -1
# Maximum share that a source has of validation or test, if other sources can fill it. A group also
# has at most this share of the target for an operation type there.
FIFTH = 0.2
# An operation type or difficulty with at least this many groups must be in every split.
ENOUGH_GROUPS = 20
# Tolerance for rounding. With it, a group that fills a split exactly still fits.
SLACK = 1e-6


class Traits(NamedTuple):
    """Properties of a record. Each split should have a similar mix of them."""

    kind: str
    operation: str
    difficulty: str
    source: str


@dataclass(slots=True)
class SplitGroup:
    """Records that share a split.

    key: breaks ties between groups that are otherwise equal.
    split: index in SPLITS, or FREE until it is assigned.
    """

    key: int
    records: Sequence[Traits]
    split: int = FREE


Label: TypeAlias = tuple[str, ...]


def assign(groups: Sequence[SplitGroup], shares: Sequence[int]) -> None:
    """Assign a split to each group that has none. shares: percentages of the splits."""
    assignment = _Assignment(groups, [share / 100 for share in shares])
    assignment.place_several()
    assignment.place_singles()
    assignment.complete()


def _operation(record: Traits) -> Label:
    return record.kind, record.operation


def _difficulty(record: Traits) -> Label:
    return record.kind, record.difficulty


def _source(record: Traits) -> Label:
    return record.kind, record.source


class _Assignment:
    """State of an assignment.

    For each split, `room` is the number of records that still fit by operation, `cap` by source.
    """

    def __init__(self, groups: Sequence[SplitGroup], shares: Sequence[float]) -> None:
        self.groups = groups
        free = sorted((group for group in groups if group.split == FREE), key=lambda one: one.key)
        self.several = [group for group in free if len(group.records) > 1]
        self.singles = [group for group in free if len(group.records) == 1]
        # The split of groups that fit in no other split.
        self.rest = 0 if shares[0] else shares.index(max(shares))
        self.chosen = [n for n, share in enumerate(shares) if share and n != self.rest]
        records = [record for group in groups for record in group.records]
        self.sizes = Counter(map(_operation, records))
        self.target = [{name: share * n for name, n in self.sizes.items()} for share in shares]
        self.room = [dict(target) for target in self.target]
        held_out = sum(shares[split] for split in self.chosen) or 1
        self.cap = [_source_caps(records, share, share / held_out) for share in shares]
        for group in groups:
            if group.split != FREE:
                self._count(group, 1)

    def _put(self, group: SplitGroup, split: int) -> None:
        if group.split != FREE:
            self._count(group, -1)
        group.split = split
        self._count(group, 1)

    def _count(self, group: SplitGroup, sign: int) -> None:
        for record in group.records:
            self.room[group.split][_operation(record)] -= sign
            self.cap[group.split][_source(record)] -= sign

    def _is_capped(self, group: SplitGroup, split: int) -> bool:
        sources = Counter(map(_source, group.records))
        return any(self.cap[split][source] < count for source, count in sources.items())

    # --- Groups of several records -----------------------------------------------------------
    def place_several(self) -> None:
        """Assign each group to the emptiest split in which it fits."""
        ordered = sorted(self.several, key=lambda group: -len(group.records))
        for group in ordered:
            parts = Counter(map(_operation, group.records))
            fitting = [
                split
                for split in self.chosen
                if self._fits(group, split)
                and all(n <= FIFTH * self.target[split][name] for name, n in parts.items())
            ]
            emptiness = {
                split: sum(n * self.room[split][name] / self.target[split][name]
                           for name, n in parts.items())
                for split in (self.rest, *fitting)
            }  # fmt: skip
            self._put(group, max(emptiness, key=lambda split: emptiness[split]))
        # If an operation has too few single records to fill a split, also move its smallest groups.
        singles = Counter(_operation(group.records[0]) for group in self.singles)
        for group in reversed(ordered):
            parts = Counter(map(_operation, group.records))
            for split in self.chosen:
                if (
                    group.split == self.rest
                    and self._fits(group, split)
                    and all(
                        sum(self.room[n][name] for n in self.chosen) >= singles[name] + count
                        for name, count in parts.items()
                    )
                ):
                    self._put(group, split)

    def _fits(self, group: SplitGroup, split: int) -> bool:
        parts = Counter(map(_operation, group.records))
        has_room = all(self.room[split][name] >= n - SLACK for name, n in parts.items())
        return has_room and not self._is_capped(group, split)

    # --- Groups of one record ----------------------------------------------------------------
    def place_singles(self) -> None:
        """Assign the groups of one record, in order of kind, operation and difficulty."""
        by_operation: dict[Label, list[SplitGroup]] = defaultdict(list)
        for group in self.singles:
            by_operation[_operation(group.records[0])].append(group)
        # Rounding error of each split, by kind of record. The next operation compensates for it.
        owed: dict[tuple[str, int], float] = defaultdict(float)
        for name in sorted(by_operation, key=lambda name: (self.sizes[name], name)):
            self._place_operation(name, by_operation[name], owed)
        for kind in sorted({kind for kind, _ in by_operation}):
            for split in self.chosen:
                self._fill(kind, split)

    def _place_operation(
        self, name: Label, groups: Sequence[SplitGroup], owed: dict[tuple[str, int], float]
    ) -> None:
        """Distribute the splits evenly over the records of one operation, ordered by difficulty."""
        goal = {split: self.room[split][name] + owed[name[0], split] for split in self.chosen}
        placed = dict.fromkeys(self.chosen, 0)
        ordered = sorted(groups, key=lambda group: group.records[0].difficulty)
        for number, group in enumerate(ordered, start=1):
            behind = {
                split: goal[split] * number / len(ordered) - placed[split]
                for split in self.chosen
                if not self._is_capped(group, split)
            }
            split = max(behind, key=lambda split: behind[split], default=self.rest)
            if behind.get(split, 0) < 0.5:
                split = self.rest
            else:
                placed[split] += 1
            self._put(group, split)
        for split in self.chosen:
            owed[name[0], split] = min(1, max(-1, goal[split] - placed[split]))

    def _fill(self, kind: str, split: int) -> None:
        """Move single records into a split until it is full. Exceed the caps only if necessary."""
        room = sum(left for name, left in self.room[split].items() if name[0] == kind)
        missing = int(room + 0.5)
        for capped in (False, True):
            for group in self.singles:
                if (
                    missing > 0
                    and group.split == self.rest
                    and group.records[0].kind == kind
                    and (capped or not self._is_capped(group, split))
                ):
                    self._put(group, split)
                    missing -= 1

    # --- Operations and difficulties in every split ------------------------------------------
    def complete(self) -> None:
        """Move a group into each split that lacks a frequent operation or difficulty."""
        movable = {id(group) for group in (*self.several, *self.singles)}
        for trait in (_operation, _difficulty):
            by_label: dict[Label, list[SplitGroup]] = defaultdict(list)
            for group in self.groups:
                for label in set(map(trait, group.records)):
                    by_label[label].append(group)
            for label in sorted(by_label, key=lambda label: (len(by_label[label]), label)):
                if len(by_label[label]) >= ENOUGH_GROUPS:
                    for split in (self.rest, *self.chosen):
                        self._complete(by_label[label], split, movable)

    def _complete(self, members: Sequence[SplitGroup], split: int, movable: set[int]) -> None:
        present = Counter(group.split for group in members)
        donor = min(present, key=lambda number: (-present[number], number))
        groups = [group for group in members if group.split == donor and id(group) in movable]
        if not present[split] and groups:
            groups.sort(key=lambda group: (len(group.records), group.key))
            allowed = (group for group in groups if not self._is_capped(group, split))
            self._put(next(allowed, groups[0]), split)


def _source_caps(records: Sequence[Traits], share: float, part: float) -> dict[Label, int]:
    """Return the maximum number of records per source in a split: a fifth, or more to fill it up.

    part: the share of the split in the records of validation and test together.
    """
    caps: dict[Label, int] = {}
    for kind in {record.kind for record in records}:
        available = Counter(_source(record) for record in records if record.kind == kind)
        target = int(share * available.total())
        cap, most = max(1, int(FIFTH * target)), max(available.values())
        while cap < most and sum(min(n * part, cap) for n in available.values()) < target:
            cap += 1
        caps |= dict.fromkeys(available, cap)
    return caps
