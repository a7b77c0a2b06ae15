"""Plan of an export: select the records, then apply caps, then assign splits."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from curation.errors import CurationError
from curation.export.coverage import cover
from curation.export.gates import Exclusion, ExclusionReason
from curation.export.groups import Groups, Node, connect_rows, connect_structures
from curation.export.held_out import TRAIN, HeldOut, choose_recipes, drop_connected
from curation.export.options import ExportOptions, ProgressCallback
from curation.export.records import Record, fill_checks
from curation.export.select import select
from curation.export.splits import FIFTH, FREE, SPLITS, SplitGroup, Traits, assign
from curation.export.statistics import KINDS, ExportPlan
from curation.models import SplitAssignment
from curation.pairs.marks import mark_in


def build_plan(
    options: ExportOptions, progress: ProgressCallback, *, brief: bool = False
) -> ExportPlan:
    """Apply gates, then caps, then splits. brief: True if the records are only counted."""
    plan = select(options, progress, brief=brief)
    for pair in plan.records["pair"]:
        for text in (*pair.texts[:2], pair.metadata["description"]):
            if mark := mark_in(text, pair.metadata["origin"]):
                raise CurationError(
                    f"{pair.id} has {mark!r}, which only the project's own checks need. "
                    "Generate or draft the pair again, or reject it."
                )
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
    """Return records to drop, so that no capped origin has more than its share of the tokens."""
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
    """Return the maximum number of tokens for each origin that has more than its cap allows."""
    whole, capped = float(total), set[str]()
    while more := {name for name in have if have[name] > shares[name] * whole} - capped:
        capped |= more
        free = total - sum(have[name] for name in capped)
        whole = free / (1 - sum(shares[name] for name in capped))
    return {name: shares[name] * whole for name in capped}


def order_key(seed: int, content_hash: str) -> int:
    """Return a pseudo-random sort key that depends only on the seed and the content."""
    start = bytes.fromhex(content_hash[:16])
    digest = hashlib.blake2b(start, key=str(seed).encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big")


# --- Splits ----------------------------------------------------------------------------------
def _split(plan: ExportPlan, options: ExportOptions) -> None:
    groups = Groups()
    connect_rows(groups, options)
    pairs = [record.pk for record in plan.records["pair"]]
    # These are groups by near-duplicates, versions and operation chains, not yet by structure.
    by_chain = {pk: groups.find(("pair", pk)) for pk in pairs}
    connect_structures(groups, pairs)
    assigned = _assigned(options.plan)
    known = _known_by_group(groups, assigned)

    def known_split(record: Record) -> int:
        return known.get(groups.find((record.kind, record.pk)), FREE)

    for kind in KINDS:
        for record in plan.records[kind]:
            record.known = assigned.get((kind, record.pk), FREE)
        # A new connection may join groups that had different splits. Leave out the records of all
        # splits but one, so that no record moves and no group is in two splits.
        straddling = [
            record
            for record in plan.records[kind]
            if record.known not in (FREE, known_split(record))
        ]
        _leave_out(plan, kind, straddling, Exclusion(
            ExclusionReason.STRADDLES, "Its group turned out to belong to another split."
        ))  # fmt: skip
        records = plan.records[kind]
        over = _overfilling(records, [known_split(record) for record in records], options)
        _leave_out(plan, kind, over, Exclusion(
            ExclusionReason.CAP,
            "Its group is in validation or test, of which its recipe or repository already fills "
            "a fifth.",
        ))  # fmt: skip
    by_group: dict[Node, list[Record]] = defaultdict(list)
    for kind in KINDS:
        for record in plan.records[kind]:
            by_group[groups.find((kind, record.pk))].append(record)
    split_groups = [
        SplitGroup(
            order_key(options.seed, min(record.content_hash for record in records)),
            [_traits(record) for record in records],
            known.get(root, FREE),
        )
        for root, records in by_group.items()
    ]
    assign(split_groups, options.splits)
    for group, records in zip(split_groups, by_group.values(), strict=True):
        for record in records:
            record.split = group.split
    if options.held_out_recipes:
        plan.held_out = _hold_out(plan.records["pair"], by_chain, options)


def _traits(record: Record) -> Traits:
    metadata = record.metadata
    return Traits(
        record.kind, metadata["operation_type"], str(metadata["difficulty"]), record.source
    )


def _assigned(plan: str) -> dict[Node, int]:
    """Return the recorded split of each item, including items that are not in this export."""
    rows = SplitAssignment.objects.filter(plan=plan).order_by()
    return {
        ("kernel", kernel) if kernel else ("pair", pair): SPLITS.index(split)
        for kernel, pair, split in rows.values_list("kernel_id", "pair_id", "split").iterator()
    }


def _known_by_group(groups: Groups, assigned: Mapping[Node, int]) -> dict[Node, int]:
    """Return the split of each group with assigned items. If these differ, the most common wins."""
    votes: dict[Node, Counter[int]] = defaultdict(Counter)
    for node, split in assigned.items():
        votes[groups.find(node)][split] += 1
    return {
        root: min(splits, key=lambda split: (-splits[split], split))
        for root, splits in votes.items()
    }


def _overfilling(
    records: Sequence[Record], family: Sequence[int], options: ExportOptions
) -> list[Record]:
    """Return new records to drop: their group's split already has too many records of their source.

    New records join groups that keep their split. Without this rule, the share of a recipe in test
    grew from 8% to 22% in the next export.

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
        others = len(records) - len(joining)
        limit = max(1, int(FIFTH * options.splits[split] / 100 * others))
        filled = Counter(record.source for record in records if record.known == split)
        for record in joining:
            filled[record.source] += 1
            if filled[record.source] > limit:
                over.append(record)
    return over


def _hold_out(
    pairs: Sequence[Record], groups: Mapping[int, Node], options: ExportOptions
) -> HeldOut:
    """Hold out complete recipes, and drop records that share a group with a held-out record.

    groups -- each pair's group by near-duplicates, versions and operation chains, not by structure
    """
    generated = [record for record in pairs if record.metadata["recipe"]]
    operations: dict[str, Counter[str]] = defaultdict(Counter)
    for record in generated:
        operations[record.metadata["recipe"]][record.metadata["operation_type"]] += 1
    recipes = choose_recipes(operations, options.splits, options.seed)
    splits = [recipes.get(record.metadata["recipe"], TRAIN) for record in generated]
    dropping = drop_connected(splits, [groups[record.pk] for record in generated])
    dropped = {
        record.id: split
        for record, split, drop in zip(generated, splits, dropping, strict=True)
        if drop
    }
    return HeldOut(recipes, dropped)
