"""Plan of an export: select the records, then apply caps, then assign splits."""

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from curation.evidence.subjects import chunks
from curation.export.coverage import cover
from curation.export.gates import Exclusion, ExclusionReason
from curation.export.groups import Families
from curation.export.held_out import TRAIN, HeldOut, choose_recipes, drop_connected
from curation.export.options import ExportOptions, ProgressCallback
from curation.export.records import Record, fill_checks
from curation.export.select import select
from curation.export.splits import FIFTH, FREE, SPLITS, Records, assign, settle
from curation.export.statistics import KINDS, ExportPlan
from curation.models import SplitAssignment


def build_plan(options: ExportOptions, progress: ProgressCallback) -> ExportPlan:
    """Apply gates, then caps, then splits."""
    plan = select(options, progress)
    for kind in KINDS:
        over = over_cap(plan.records[kind], options.caps, options.seed)
        reason = Exclusion(ExclusionReason.CAP, "The cap of its origin is reached.")
        _leave_out(plan, kind, over, reason)
    _split(plan, options)
    keys = {kind: [record.pk for record in plan.records[kind]] for kind in KINDS}
    plan.coverage = cover(keys, options)
    plan.checks = fill_checks(plan.records["pair"])
    return plan


def _leave_out(plan: ExportPlan, kind: str, excluded: Sequence[Record], reason: Exclusion) -> None:
    for record in excluded:
        plan.leave_out(kind, record.name, record.content_hash, reason)
    gone = {id(record) for record in excluded}
    plan.records[kind] = [record for record in plan.records[kind] if id(record) not in gone]


# --- Caps ------------------------------------------------------------------------------------
def over_cap(
    records: Sequence[Record], caps: Sequence[tuple[str, float]], seed: int
) -> list[Record]:
    """Return the records to drop, so that no capped origin exceeds its share of the tokens."""
    tokens = Counter[str]()
    for record in records:
        tokens[record.metadata["origin"]] += record.metadata["tokens"]
    have = {name: tokens[name] for name, _ in caps}
    over = []
    for name, most in _allowed(have, dict(caps), tokens.total()).items():
        total = 0
        members = [record for record in records if record.metadata["origin"] == name]
        for record in sorted(members, key=lambda record: order_key(seed, record.content_hash)):
            total += record.metadata["tokens"]
            if total > most:
                over.append(record)
    return over


def _allowed(have: Mapping[str, int], shares: Mapping[str, float], total: int) -> dict[str, float]:
    """Return the maximum number of tokens of each origin that exceeds its cap."""
    whole, biting = float(total), set[str]()
    while more := {name for name in have if have[name] > shares[name] * whole} - biting:
        biting |= more
        free = total - sum(have[name] for name in biting)
        whole = free / (1 - sum(shares[name] for name in biting))
    return {name: shares[name] * whole for name in biting}


def order_key(seed: int, content_hash: str) -> int:
    """Return a number that depends only on the seed and the content."""
    start = bytes.fromhex(content_hash[:16])
    digest = hashlib.blake2b(start, key=str(seed).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big")


# --- Splits ----------------------------------------------------------------------------------
def _split(plan: ExportPlan, options: ExportOptions) -> None:
    exported_pairs = np.array([record.pk for record in plan.records["pair"]], dtype=np.int64)
    families = Families(exported_pairs, repositories=options.together, files=options.unit == "file")
    numbered = {"kernel": families.kernel_numbers, "pair": families.pair_numbers}
    assigned = _assigned(families, options.plan)
    known = _known_by_family(families, assigned)

    def numbers(kind: str) -> np.ndarray:
        return numbered[kind](np.array([record.pk for record in plan.records[kind]], np.int64))

    for kind in KINDS:
        # A group may join earlier groups of different splits. Leave out the records of all
        # splits but one, so that no record moves and no group is in two splits.
        straddling = []
        for record, number in zip(plan.records[kind], numbers(kind).tolist(), strict=True):
            record.known = int(assigned[number])
            if record.known not in (FREE, int(known[families.root[number]])):
                straddling.append(record)
        _leave_out(plan, kind, straddling, Exclusion(
            ExclusionReason.STRADDLES, "Its group turned out to belong to another split."
        ))  # fmt: skip
        family = known[families.root[numbers(kind)]].tolist()
        _leave_out(plan, kind, _overfilling(plan.records[kind], family, options), Exclusion(
            ExclusionReason.CAP,
            "Its group is in validation or test, of which its recipe or repository already fills "
            "a fifth.",
        ))  # fmt: skip
    roots = {kind: families.root[numbers(kind)] for kind in KINDS}
    keys = _keys(plan, roots, len(known), options.seed)
    splits = assign(_columns(plan, roots), keys, known, options.splits)
    for kind in KINDS:
        for record, split in zip(plan.records[kind], splits[roots[kind]].tolist(), strict=True):
            record.split = split
    if options.held_out_recipes:
        by_chain = families.root_by_chain[numbers("pair")].tolist()
        plan.held_out = _hold_out(plan.records["pair"], by_chain, options)


def _overfilling(
    records: Sequence[Record], family: Sequence[int], options: ExportOptions
) -> list[Record]:
    """Return records that join a known group, but would let one source overfill its split.

    A dataset grows by groups that keep their split. Without this rule, a recipe that was 8% of test
    had 22% after the next export.

    family -- the earlier split of each record's group, or FREE
    """
    over: list[Record] = []
    if len({record.source for record in records}) <= 1 / FIFTH:
        return over
    for split in range(1, len(SPLITS)):
        joining = [
            record
            for record, of_group in zip(records, family, strict=True)
            if of_group == split and record.known == FREE
        ]
        settled = len(records) - len(joining)
        limit = max(1, int(FIFTH * options.splits[split] / 100 * settled))
        filled = Counter(record.source for record in records if record.known == split)
        for record in joining:
            filled[record.source] += 1
            if filled[record.source] > limit:
                over.append(record)
    return over


def _hold_out(pairs: Sequence[Record], groups: Sequence[int], options: ExportOptions) -> HeldOut:
    """Hold out whole recipes, and drop records that share a group with them.

    groups -- of each pair, by near-duplicates, versions and chains of operations, not by structure
    """
    generated = [
        (record, group)
        for record, group in zip(pairs, groups, strict=True)
        if record.metadata["recipe"]
    ]
    operations: dict[str, Counter[str]] = {}
    for record, _ in generated:
        metadata = record.metadata
        operations.setdefault(metadata["recipe"], Counter())[metadata["operation_type"]] += 1
    recipes = choose_recipes(operations, options.splits, options.seed)
    splits = [recipes.get(record.metadata["recipe"], TRAIN) for record, _ in generated]
    dropping = drop_connected(splits, [group for _, group in generated])
    dropped = {
        record.id: split
        for (record, _), split, drop in zip(generated, splits, dropping, strict=True)
        if drop
    }
    return HeldOut(recipes, dropped)


def _columns(plan: ExportPlan, roots: dict[str, np.ndarray]) -> Records:
    """Return the columns for the assignment, in an order that depends on content only."""

    def coded(value: Callable[[Record], str]) -> np.ndarray:
        """Number the values. A code belongs to one kind of record only."""
        values = [(kind, value(record)) for kind in KINDS for record in plan.records[kind]]
        codes = {name: code for code, name in enumerate(sorted(set(values)))}
        return np.array([codes[name] for name in values], dtype=np.int32)

    return Records(
        np.concatenate([roots[kind] for kind in KINDS]),
        np.repeat(np.arange(len(KINDS), dtype=np.int8), [len(roots[kind]) for kind in KINDS]),
        coded(lambda record: record.metadata["operation_type"]),
        coded(lambda record: str(record.metadata["difficulty"])),
        coded(lambda record: record.source),
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
        for some in chunks(found):
            pks = np.array([pk for pk, _ in some], dtype=np.int64)
            assigned[numbered(pks)] = [names[split] for _, split in some]
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
    lowest: dict[int, str] = {}
    for kind in KINDS:
        for record, root in zip(plan.records[kind], roots[kind].tolist(), strict=True):
            lowest[root] = min(record.content_hash, lowest.get(root, record.content_hash))
    keys = np.zeros(families, dtype=np.uint64)
    for root, content_hash in lowest.items():
        keys[root] = order_key(seed, content_hash)
    return keys
