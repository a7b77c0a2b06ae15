"""Changes after a release: its differences from another release, and its withdrawn records.

A withdrawn record should no longer be used, for example after an opt-out, a license change or a
failed validation. The release itself stays unchanged, but users can see which records to drop.
"""

import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

from django.db.models import Exists, F, OuterRef

from curation.evidence.sources import every_source
from curation.export import facts
from curation.export.facts import ExportItem
from curation.export.gates import Exclusion, ExclusionReason, exclusions
from curation.export.options import ExportOptions
from curation.export.release.storage import file_chunks
from curation.models import Kernel, Pair, Release, ReleaseMember, Status, Withdrawal

Change = Literal["added", "removed", "changed"]


@dataclass(frozen=True, slots=True)
class Difference:
    change: Change
    kind: str
    id: str
    before: str
    """The record's id in the older release. Empty unless the record changed."""
    why: str


def differences(old: Release, new: Release) -> Iterator[Difference]:
    """Yield changed, then removed, then added items of each kind, each by content hash."""
    for kind in ("pair", "kernel"):
        before, after = _members(kind, old), _members(kind, new)
        for content_hash in [name for name in before if name in after]:
            first, second = before[content_hash], after[content_hash]
            if changed := _changed(first, second):
                yield Difference("changed", kind, second["record_id"], first["record_id"], changed)
        removed = {
            row["item"]: row["record_id"] for name, row in before.items() if name not in after
        }
        added = {row["item"]: row["record_id"] for name, row in after.items() if name not in before}
        for pk, previous in _superseded(kind, removed, added).items():
            yield Difference(
                "changed", kind, added.pop(pk), removed.pop(previous), "another version of it"
            )
        reasons = _reasons(new, removed.values())
        for name in removed.values():
            why = reasons.get(name, f"{new}'s filter did not name it")
            yield Difference("removed", kind, name, "", why)
        reasons = _reasons(old, added.values())
        for name in added.values():
            yield Difference(
                "added", kind, name, "",
                f"in {old}: {reasons[name]}" if name in reasons else f"{old} did not know it",
            )  # fmt: skip


def _members(kind: str, release: Release) -> dict[str, dict[str, Any]]:
    """Return the members of a release by content hash, in the order of the hashes."""
    members = ReleaseMember.objects.filter(release=release, **{f"{kind}__isnull": False})
    columns = ("content_hash", "record_id", "split", "metadata")
    rows = members.order_by("content_hash").values(*columns, item=F(f"{kind}_id"))
    return {row["content_hash"]: row for row in rows}


def _changed(first: dict[str, Any], second: dict[str, Any]) -> str:
    changes = []
    if first["split"] != second["split"]:
        changes.append(f"split {first['split']} → {second['split']}")
    if first["metadata"] != second["metadata"]:
        before, after = json.loads(first["metadata"]), json.loads(second["metadata"])
        changes += [
            f"{key} {_short(before.get(key))} → {_short(after.get(key))}"
            for key in dict.fromkeys([*before, *after])
            if before.get(key) != after.get(key)
        ]
    return ", ".join(changes)


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:59]}…"


def _superseded(kind: str, removed: Collection[int], added: Collection[int]) -> dict[int, int]:
    """Map each added item to the removed item that is its older version, if there is one."""
    model: Any = Kernel if kind == "kernel" else Pair
    versions = model.objects.exclude(previous=None).order_by()
    previous = dict(versions.values_list("pk", "previous_id"))
    older: dict[int, int] = {}
    for pk in sorted(added):
        ancestor = previous.get(pk)
        while ancestor is not None and (ancestor not in removed or ancestor in older.values()):
            ancestor = previous.get(ancestor)
        if ancestor is not None:
            older[pk] = ancestor
    return older


def _reasons(release: Release, ids: Iterable[str]) -> dict[str, str]:
    """Return the reasons for these items, from the file REJECTED.jsonl of a release."""
    wanted = set(ids)
    if not wanted:
        return {}
    entries = map(json.loads, b"".join(file_chunks(release, "REJECTED.jsonl")).splitlines())
    return {entry["id"]: entry["message"] for entry in entries if entry["id"] in wanted}


# --- Withdrawals -----------------------------------------------------------------------------
# Records are not withdrawn for other reasons. For example, a kernel that left its repository, or
# a near-duplicate found later, was distributed under a valid license.
WITHDRAWN = frozenset(
    {
        ExclusionReason.LICENSE,
        ExclusionReason.OPTED_OUT,
        ExclusionReason.CONTAMINATED,
        ExclusionReason.VALIDATION_FAILED,
        ExclusionReason.REJECTED,
    }
)


def mark_withdrawn() -> int:
    """Scheduled task: check all records of all releases. Return the number of new withdrawals."""
    sources, marked = every_source(), 0
    unmarked = ReleaseMember.objects.filter(withdrawal=None)
    kernels = Kernel.objects.filter(Exists(unmarked.filter(kernel=OuterRef("pk"))))
    pairs = Pair.objects.filter(Exists(unmarked.filter(pair=OuterRef("pk"))))
    for batch in chain(facts.kernels(kernels, sources), facts.pairs(pairs, sources)):
        reasons = {item.pk: why for item in batch if (why := _why(item))}
        column = f"{batch[0].kind}_id"
        members = unmarked.filter(**{f"{batch[0].kind}__among": list(reasons)})
        rows = [
            Withdrawal(member=member, reason=why.reason, message=why.message)
            for member in members.only("pk", "kernel_id", "pair_id")
            for why in [reasons[getattr(member, column)]]
        ]
        # Another process may mark the same members at the same time.
        Withdrawal.objects.bulk_create(rows, ignore_conflicts=True)
        marked += len(rows)
    return marked


def _why(item: ExportItem) -> Exclusion | None:
    """Return the first exclusion that requires the withdrawal of the item's records, or None."""
    reasons = exclusions(item, ExportOptions(include_pending=True))
    if item.row["status"] == Status.RETIRED:
        # A kernel that has left its repository has no current place with a license to check.
        item.places = ()
    return next((why for why in reasons if why.reason in WITHDRAWN), None)
