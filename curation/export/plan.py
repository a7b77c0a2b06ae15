"""Plan of an export: its records and their splits, before any file is written."""

from collections import Counter
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np

from curation.evidence.sources import ExportSource
from curation.export.coverage import Coverage, cover
from curation.export.families import Families
from curation.export.gates import Exclusion, ExclusionReason
from curation.export.held_out import (
    TRAIN,
    HeldOut,
    choose_recipes,
    count_operations,
    drop_connected,
)
from curation.export.ledger import ExportLedger, record_id
from curation.export.lines import LineFile
from curation.export.mixing import over_cap
from curation.export.notices import Notices
from curation.export.options import ExportOptions
from curation.export.parallel_read import Readers
from curation.export.progress import ProgressCallback
from curation.export.selected_items import SelectedItems
from curation.export.selection import ItemSelector
from curation.export.splits import FIFTH, FREE, SPLITS, Records, assign, keyed, settle
from curation.export.spool import Spool
from curation.export.statistics import RecordProfile, occurring
from curation.models import Kernel, Pair, SplitAssignment

KINDS = ("pair", "kernel")
BATCH = 10_000


@dataclass(slots=True)
class ExportPlan:
    kernels: SelectedItems
    pairs: SelectedItems
    profiles: list[RecordProfile]
    sources: dict[int, ExportSource]
    notices: Notices
    ledger: ExportLedger
    agreement: Counter[str]
    # Ledger of the items left out.
    rejected: LineFile | None
    # Split of each record in earlier exports, or FREE.
    known: dict[str, np.ndarray] = field(default_factory=dict)
    # Benchmarks that the records were compared with.
    coverage: Coverage = field(default_factory=Coverage)
    # Extra split of the generated pairs, if requested.
    held_out: HeldOut | None = None

    def of(self, kind: str) -> SelectedItems:
        return self.kernels if kind == "kernel" else self.pairs

    def funnel(self) -> dict[str, dict[str, int]]:
        return {f"{kind}s": self.ledger.funnel(kind) for kind in KINDS}

    def checks(self) -> tuple[str, ...]:
        """Return the names of all checks of the validations that admitted the pairs."""
        every = (profile.checks for profile, _ in occurring(self.pairs, self.profiles))
        return tuple(sorted(set(chain.from_iterable(every))))


def build_plan(
    options: ExportOptions,
    rejected: LineFile | None,
    spool: Spool | None,
    readers: Readers,
    progress: ProgressCallback,
) -> ExportPlan:
    """Apply gates, then caps, then splits.

    `rejected` gets a line for each item left out, `spool` a draft of each exported item.
    """
    selector = ItemSelector(options, spool)
    readers.weigh(selector, progress)
    selection = selector.selection
    plan = ExportPlan(
        selection.kernels, selection.pairs, list(selection.profiles), selector.sources,
        selector.notices, selector.ledger, selection.agreement, rejected,
    )  # fmt: skip
    for kind in KINDS:
        plan.of(kind).complete()
    plan.ledger.write(rejected)
    for kind in KINDS:
        selected = plan.of(kind)
        if options.caps:
            over = over_cap(selected, options.caps, options.seed)
            _leave_out(plan, kind, over, ExclusionReason.CAP, "The cap of its origin is reached.")
    _split(plan, options)
    plan.coverage = cover({kind: plan.of(kind).pks for kind in KINDS}, options)
    return plan


def _split(plan: ExportPlan, options: ExportOptions) -> None:
    families = Families(
        np.array(plan.pairs.pks), repositories=options.together, files=options.unit == "file"
    )
    numbers = {
        "kernel": families.kernel_numbers(np.asarray(plan.kernels.pks)),
        "pair": families.pair_numbers(np.asarray(plan.pairs.pks)),
    }
    assigned = _assigned(families, options.plan)
    known = _known_by_family(families, assigned)
    for kind in KINDS:
        # A group may join earlier groups of different splits. Leave out the records of all splits
        # but one, so that no record moves and no group is in two splits.
        own, family = assigned[numbers[kind]], known[families.root[numbers[kind]]]
        apart = (own != FREE) & (own != family)
        _leave_out(
            plan, kind, apart, ExclusionReason.STRADDLES,
            "Its group turned out to belong to another split.",
        )  # fmt: skip
        numbers[kind] = numbers[kind][~apart]
        plan.known[kind] = own[~apart]
        if plan.profiles:
            over = _overfilling(plan, kind, known[families.root[numbers[kind]]], options)
            _leave_out(
                plan, kind, over, ExclusionReason.CAP,
                "Its group is in validation or test, of which its recipe or repository already "
                "fills a fifth.",
            )  # fmt: skip
            numbers[kind] = numbers[kind][~over]
            plan.known[kind] = plan.known[kind][~over]
    roots = {kind: families.root[numbers[kind]] for kind in KINDS}
    by_chain = families.root_by_chain[numbers["pair"]]
    # Release the memory: with a million items it is as much as the assignment needs.
    del families, numbers, assigned
    # A dry run counts only what passes the gates, and has no profiles.
    if plan.profiles:
        keys = _keys(plan, roots, len(known), options.seed)
        splits = assign(_records(plan, roots), keys, known, options.splits)
        for kind in KINDS:
            plan.of(kind).splits = splits[roots[kind]]
        if options.held_out_recipes:
            plan.held_out = _hold_out(plan, by_chain, options)


def _overfilling(
    plan: ExportPlan, kind: str, family: np.ndarray, options: ExportOptions
) -> np.ndarray:
    """Mark records that join a known group, but would let one source overfill its split.

    A dataset grows by groups that keep their split. Without this rule, a recipe that was 8% of test
    had 22% after the next export.

    family -- the earlier split of each record's group, or FREE
    """
    own = plan.known[kind]
    sources = np.array([profile.source for profile in plan.profiles])
    source_of = sources[np.asarray(plan.of(kind).profiles, dtype=np.int64)]
    over = np.zeros(len(own), dtype=np.bool_)
    if len(np.unique(source_of)) <= 1 / FIFTH:
        return over
    for split in range(1, len(SPLITS)):
        joining = np.flatnonzero((family == split) & (own == FREE))
        settled = len(own) - len(joining)
        limit = max(1, int(FIFTH * options.splits[split] / 100 * settled))
        for source in np.unique(source_of[joining]):
            kept = np.count_nonzero((own == split) & (source_of == source))
            members = joining[source_of[joining] == source]
            over[members[max(0, limit - kept) :]] = True
    return over


def _hold_out(plan: ExportPlan, groups: np.ndarray, options: ExportOptions) -> HeldOut:
    """Hold out whole recipes, and drop records that share a group with them.

    groups -- of each pair, by near-duplicates, versions and chains of operations, not by structure
    """
    counted = occurring(plan.pairs, plan.profiles)
    recipes = choose_recipes(
        count_operations((p.recipe, p.operation_type, n) for p, n in counted if p.recipe),
        options.splits, options.seed,
    )  # fmt: skip
    splits_of_profiles = np.array(
        [recipes.get(p.recipe, TRAIN) if p.recipe else FREE for p in plan.profiles], dtype=np.int8
    )
    splits = splits_of_profiles[np.asarray(plan.pairs.profiles, dtype=np.int64)]
    generated = np.flatnonzero(splits != FREE)
    dropping = drop_connected(splits[generated].tolist(), groups[generated].tolist())
    pks = np.array(plan.pairs.pks)
    split_of = {
        pk: split
        for pk, split, drop in zip(
            pks[generated].tolist(), splits[generated].tolist(), dropping, strict=True
        )
        if drop
    }
    names = {}
    for start in range(0, len(split_of), 1000):
        some = list(split_of)[start : start + 1000]
        rows = Pair.objects.filter(pk__among=some).order_by("content_hash")
        for pk, slug, hashed in rows.values_list("pk", "slug", "content_hash"):
            names[record_id("pair", slug, hashed)] = split_of[pk]
    return HeldOut(recipes, names)


def _records(plan: ExportPlan, roots: dict[str, np.ndarray]) -> Records:
    """Return the columns for the assignment, in an order that depends on content only."""
    profiles = {kind: np.asarray(plan.of(kind).profiles, dtype=np.int64) for kind in KINDS}

    def numbered(name: str, dtype: type[np.signedinteger[Any]]) -> np.ndarray:
        values = [str(getattr(profile, name)) for profile in plan.profiles]
        present, codes = np.unique(values, return_inverse=True)
        columns = [codes[profiles[kind]] + n * len(present) for n, kind in enumerate(KINDS)]
        return np.concatenate(columns).astype(dtype)

    return Records(
        np.concatenate([roots[kind] for kind in KINDS]),
        np.repeat(np.arange(len(KINDS), dtype=np.int8), [len(roots[kind]) for kind in KINDS]),
        numbered("operation_type", np.int16),
        numbered("difficulty", np.int16),
        numbered("source", np.int32),
    )


def _assigned(families: Families, plan: str) -> np.ndarray:
    """Return the recorded split of every item, chosen or not."""
    assigned = np.full(len(families), FREE, dtype=np.int8)
    rows = SplitAssignment.objects.filter(plan=plan).order_by()
    names = {split.value: number for number, split in enumerate(SPLITS)}
    for column, numbered in (
        ("kernel_id", families.kernel_numbers),
        ("pair_id", families.pair_numbers),
    ):
        found = rows.filter(**{f"{column}__isnull": False}).values_list(column, "split")
        pairs = np.fromiter(
            ((pk, names[split]) for pk, split in found.iterator(chunk_size=BATCH)),
            dtype=[("pk", np.int64), ("split", np.int8)],
        )
        assigned[numbered(pairs["pk"])] = pairs["split"]
    return assigned


def _known_by_family(families: Families, assigned: np.ndarray) -> np.ndarray:
    known = np.full(len(families), FREE, dtype=np.int8)
    members = np.flatnonzero(assigned != FREE)
    roots, splits = families.root[members], assigned[members]
    known[roots] = splits
    # Most families have one split; only the others are handled one by one.
    for root in np.unique(roots[known[roots] != splits]).tolist():
        known[root] = settle(splits[roots == root].tolist())
    return known


def _keys(plan: ExportPlan, roots: dict[str, np.ndarray], families: int, seed: int) -> np.ndarray:
    """Return a number for each family, derived from the seed and its lowest content hash."""
    lowest = np.full(families, np.iinfo(np.uint64).max, dtype=np.uint64)
    for kind in KINDS:
        np.minimum.at(lowest, roots[kind], np.asarray(plan.of(kind).identities))
    keys = np.zeros(families, dtype=np.uint64)
    present = np.unique(np.concatenate([roots[kind] for kind in KINDS]))
    for start in range(0, len(present), BATCH):
        some = present[start : start + BATCH]
        keys[some] = keyed(seed, lowest[some])
    return keys


def _leave_out(
    plan: ExportPlan, kind: str, numbers: np.ndarray, reason: ExclusionReason, message: str
) -> None:
    gone = plan.of(kind).leave_out(numbers)
    model, name = (Kernel, "name") if kind == "kernel" else (Pair, "slug")
    for start in range(0, len(gone), 1000):
        rows = model.objects.filter(pk__among=gone[start : start + 1000]).order_by("content_hash")
        for hashed, called in rows.values_list("content_hash", name):
            plan.ledger.left_out(kind, called, hashed, (), Exclusion(reason, message))
    plan.ledger.write(plan.rejected)
