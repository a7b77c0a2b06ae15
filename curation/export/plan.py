"""Plan of an export: select the records, then apply caps, then assign splits."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from curation.export.coverage import cover
from curation.export.folder import LineFile
from curation.export.gates import Exclusion, ExclusionReason
from curation.export.groups import Families
from curation.export.held_out import (
    TRAIN,
    HeldOut,
    choose_recipes,
    count_operations,
    drop_connected,
)
from curation.export.options import ExportOptions, ProgressCallback
from curation.export.records import record_id
from curation.export.select import Ledger, select
from curation.export.splits import FIFTH, FREE, SPLITS, Records, assign, keyed, settle
from curation.export.spool import Spool
from curation.export.statistics import KINDS, ORIGINS, ExportPlan, Rows, occurring
from curation.models import Kernel, Pair, SplitAssignment

BATCH = 10_000


def build_plan(
    options: ExportOptions,
    rejected: LineFile | None,
    spool: Spool | None,
    progress: ProgressCallback,
) -> ExportPlan:
    """Apply gates, then caps, then splits.

    `rejected` gets a line for each item left out, `spool` each selected record.
    """
    plan, ledger = select(options, spool, progress)
    ledger.write(rejected)
    planner = _Planner(plan, ledger, rejected)
    for kind in KINDS:
        if options.caps:
            over = over_cap(plan.rows[kind], options.caps, options.seed)
            reason = "The cap of its origin is reached."
            planner.leave_out(kind, over, ExclusionReason.CAP, reason)
    planner.split(options)
    plan.coverage = cover({kind: plan.rows[kind]["pk"].tolist() for kind in KINDS}, options)
    return plan


class _Planner:
    def __init__(self, plan: ExportPlan, ledger: Ledger, rejected: LineFile | None) -> None:
        self._plan = plan
        self._ledger = ledger
        self._rejected = rejected

    def split(self, options: ExportOptions) -> None:
        plan, rows = self._plan, self._plan.rows
        families = Families(
            rows["pair"]["pk"], repositories=options.together, files=options.unit == "file"
        )
        numbered = {"kernel": families.kernel_numbers, "pair": families.pair_numbers}
        assigned = _assigned(families, options.plan)
        known = _known_by_family(families, assigned)
        for kind in KINDS:
            # A group may join earlier groups of different splits. Leave out the records of all
            # splits but one, so that no record moves and no group is in two splits.
            numbers = numbered[kind](rows[kind]["pk"])
            rows[kind]["known"] = assigned[numbers]
            own, family = assigned[numbers], known[families.root[numbers]]
            self.leave_out(
                kind, (own != FREE) & (own != family), ExclusionReason.STRADDLES,
                "Its group turned out to belong to another split.",
            )  # fmt: skip
            # A dry run counts only what passes the gates, and has no profiles.
            if plan.profiles:
                family = known[families.root[numbered[kind](rows[kind]["pk"])]]
                self.leave_out(
                    kind, _overfilling(plan, kind, family, options), ExclusionReason.CAP,
                    "Its group is in validation or test, of which its recipe or repository "
                    "already fills a fifth.",
                )  # fmt: skip
        if not plan.profiles:
            return
        roots = {kind: families.root[numbered[kind](rows[kind]["pk"])] for kind in KINDS}
        by_chain = families.root_by_chain[families.pair_numbers(rows["pair"]["pk"])]
        # Release the memory: with a million items it is as much as the assignment needs.
        del families, numbered, assigned
        keys = _keys(plan, roots, len(known), options.seed)
        splits = assign(_records(plan, roots), keys, known, options.splits)
        for kind in KINDS:
            rows[kind]["split"] = splits[roots[kind]]
        if options.held_out_recipes:
            plan.held_out = _hold_out(plan, by_chain, options)

    def leave_out(
        self, kind: str, marked: NDArray[np.bool_], reason: ExclusionReason, message: str
    ) -> None:
        rows = self._plan.rows[kind]
        gone = rows["pk"][marked].tolist()
        self._plan.rows[kind] = rows[~marked]
        model, name = (Kernel, "name") if kind == "kernel" else (Pair, "slug")
        for start in range(0, len(gone), 1000):
            found = model.objects.filter(pk__among=gone[start : start + 1000])
            for content_hash, called in found.values_list("content_hash", name):
                self._ledger.leave_out(kind, called, content_hash, (), Exclusion(reason, message))
        self._ledger.write(self._rejected)


def over_cap(rows: Rows, caps: Sequence[tuple[str, float]], seed: int) -> NDArray[np.bool_]:
    """Mark records to drop, so that no capped origin exceeds its share of the tokens."""
    origins, tokens = rows["origin"], rows["tokens"]
    over = np.zeros(len(rows), dtype=np.bool_)
    have = {name: int(tokens[origins == ORIGINS.index(name)].sum()) for name, _ in caps}
    allowed = _allowed(have, dict(caps), int(tokens.sum()))
    for name, most in allowed.items():
        members = np.flatnonzero(origins == ORIGINS.index(name))
        keys = keyed(seed, rows["identity"][members])
        ordered = members[np.argsort(keys, kind="stable")]
        over[ordered[np.cumsum(tokens[ordered]) > most]] = True
    return over


def _allowed(have: Mapping[str, int], shares: Mapping[str, float], total: int) -> dict[str, float]:
    """Return the maximum number of tokens of each origin that exceeds its cap."""
    whole, biting = float(total), set[str]()
    while more := {name for name in have if have[name] > shares[name] * whole} - biting:
        biting |= more
        free = total - sum(have[name] for name in biting)
        whole = free / (1 - sum(shares[name] for name in biting))
    return {name: shares[name] * whole for name in biting}


def _overfilling(
    plan: ExportPlan, kind: str, family: np.ndarray, options: ExportOptions
) -> np.ndarray:
    """Mark records that join a known group, but would let one source overfill its split.

    A dataset grows by groups that keep their split. Without this rule, a recipe that was 8% of test
    had 22% after the next export.

    family -- the earlier split of each record's group, or FREE
    """
    own = plan.rows[kind]["known"]
    sources = np.array([profile.source for profile in plan.profiles])
    source_of = sources[plan.rows[kind]["profile"]]
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
    counted = occurring(plan.rows["pair"], plan.profiles)
    recipes = choose_recipes(
        count_operations((p.recipe, p.operation_type, n) for p, n in counted if p.recipe),
        options.splits, options.seed,
    )  # fmt: skip
    splits_of_profiles = np.array(
        [recipes.get(p.recipe, TRAIN) if p.recipe else FREE for p in plan.profiles], dtype=np.int8
    )
    splits = splits_of_profiles[plan.rows["pair"]["profile"]]
    generated = np.flatnonzero(splits != FREE)
    dropping = drop_connected(splits[generated].tolist(), groups[generated].tolist())
    pks = plan.rows["pair"]["pk"]
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
    profiles = {kind: plan.rows[kind]["profile"] for kind in KINDS}

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
        np.minimum.at(lowest, roots[kind], plan.rows[kind]["identity"])
    keys = np.zeros(families, dtype=np.uint64)
    present = np.unique(np.concatenate([roots[kind] for kind in KINDS]))
    for start in range(0, len(present), BATCH):
        some = present[start : start + BATCH]
        keys[some] = keyed(seed, lowest[some])
    return keys
