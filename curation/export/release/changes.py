"""Later changes of releases: differences between two of them, and withdrawn records.

Withdrawn records may no longer be distributed: opt-outs, license changes and failed validations.
The release stays unchanged; its users learn which records to drop.
"""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any, Literal

from django.conf import settings
from django.db.models import Exists, OuterRef

from curation.evidence.sources import every_source
from curation.export import facts as known_facts
from curation.export.facts import KnownItem
from curation.export.gates import Exclusion, ExclusionReason, Rules, exclusion
from curation.export.release.storage import file_chunks
from curation.models import Kernel, Pair, Release, ReleaseMember, Withdrawal

BATCH = 1000
# Longer chains of versions are reported as one removed and one added.
STEPS = 20

Change = Literal["added", "removed", "changed"]


@dataclass(frozen=True, slots=True)
class Difference:
    change: Change
    kind: str
    id: str
    why: str
    before: str = ""

    def as_json(self) -> dict[str, str]:
        return {
            "change": self.change,
            "kind": self.kind,
            "id": self.id,
            "before": self.before,
            "why": self.why,
        }


@dataclass(slots=True)
class _Apart:
    """Members of only one of the releases: primary key of the item → record id."""

    old: dict[int, str] = field(default_factory=dict)
    new: dict[int, str] = field(default_factory=dict)


def differences(old: Release, new: Release) -> Iterator[Difference]:
    """Yield changed items, then removed, then added ones; each by content."""
    for kind in ("pair", "kernel"):
        apart = _Apart()
        yield from _same_content(kind, old, new, apart)
        superseded = _superseded(kind, apart)
        for pk, before in superseded.items():
            yield Difference(
                "changed", kind, apart.new[pk], "another version of it", apart.old[before]
            )
        replaced = set(superseded.values())
        removed = {name: pk for pk, name in apart.old.items() if pk not in replaced}
        reasons = _reasons(new, set(removed))
        for name in removed:
            why = reasons.get(name, f"{new}'s filter did not name it")
            yield Difference("removed", kind, name, why)
        added = {name: pk for pk, name in apart.new.items() if pk not in superseded}
        reasons = _reasons(old, set(added))
        for name in added:
            yield Difference(
                "added", kind, name,
                f"in {old}: {reasons[name]}" if name in reasons else f"{old} did not know it",
            )  # fmt: skip


def _same_content(kind: str, old: Release, new: Release, apart: _Apart) -> Iterator[Difference]:
    """Walk both releases in one order, and yield items whose metadata differ."""
    left, right = _members(kind, old), _members(kind, new)
    first, second = next(left, None), next(right, None)
    while first is not None or second is not None:
        if second is None or (first is not None and first["content_hash"] < second["content_hash"]):
            assert first is not None  # noqa: S101 - the loop's condition
            apart.old[first["item"]] = first["record_id"]
            first = next(left, None)
        elif first is None or second["content_hash"] < first["content_hash"]:
            apart.new[second["item"]] = second["record_id"]
            second = next(right, None)
        else:
            if changed := _changed(first, second):
                yield Difference("changed", kind, second["record_id"], changed, first["record_id"])
            first, second = next(left, None), next(right, None)


def _members(kind: str, release: Release) -> Iterator[dict[str, Any]]:
    last = ""
    rows = ReleaseMember.objects.filter(release=release, **{f"{kind}__isnull": False})
    ordered = rows.order_by("content_hash")
    columns = ("content_hash", "record_id", "split", "metadata", f"{kind}_id")
    while batch := list(ordered.filter(content_hash__gt=last).values(*columns)[:BATCH]):
        for row in batch:
            yield {**row, "item": row[f"{kind}_id"]}
        last = batch[-1]["content_hash"]


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


def _superseded(kind: str, apart: _Apart) -> dict[int, int]:
    """Map each new item to its older version that was removed, if any."""
    model: Any = Kernel if kind == "kernel" else Pair
    older: dict[int, int] = {}
    steps = {pk: pk for pk in apart.new}
    for _ in range(STEPS):
        earlier: dict[int, int] = {}
        pks = list(steps)
        for start in range(0, len(pks), BATCH):
            rows = model.objects.filter(pk__among=pks[start : start + BATCH])
            rows = rows.exclude(previous=None).order_by("pk").values_list("pk", "previous_id")
            for pk, previous in rows:
                if previous in apart.old and previous not in older.values():
                    older[steps[pk]] = previous
                else:
                    earlier[previous] = steps[pk]
        steps = {pk: first for pk, first in earlier.items() if first not in older}
        if not steps:
            break
    return older


def _reasons(release: Release, ids: set[str]) -> dict[str, str]:
    """Return the reasons of these items from a release's ledger."""
    if not ids:
        return {}
    messages = {}
    for line in b"".join(file_chunks(release, "REJECTED.jsonl")).splitlines():
        entry = json.loads(line)
        if entry["id"] in ids:
            messages[entry["id"]] = entry["message"]
    return messages


# --- Withdrawals -----------------------------------------------------------------------------
# A kernel that merely left its repository was distributed rightly, and a near-duplicate found later
# infringes no right.
WITHDRAWN = frozenset(
    {
        ExclusionReason.LICENSE,
        ExclusionReason.OPTED_OUT,
        ExclusionReason.CONTAMINATED,
        ExclusionReason.VALIDATION_FAILED,
        ExclusionReason.REJECTED,
    }
)
_looked = -float("inf")


def mark_withdrawn_now_and_then() -> None:
    """Scheduled task: mark withdrawn records every WITHDRAWAL_SECONDS."""
    global _looked
    if time.monotonic() - _looked >= settings.WITHDRAWAL_SECONDS:
        mark_withdrawn()
        _looked = time.monotonic()


def mark_withdrawn() -> int:
    """Check every record of every release, and return the number of new withdrawals."""
    marked = 0
    found = _withdrawn()
    while batch := list(islice(found, BATCH)):
        reasons = dict(batch)
        members = ReleaseMember.objects.filter(withdrawal=None)
        rows = [
            Withdrawal(member=member, reason=why.reason, message=why.message)
            for kind in ("kernel", "pair")
            for member in members.filter(
                **{f"{kind}__among": [pk for about, pk in reasons if about == kind]}
            ).only("pk", "kernel_id", "pair_id")
            for why in [reasons[kind, member.kernel_id or member.pair_id or 0]]
        ]
        # Another process may mark the same ones.
        Withdrawal.objects.bulk_create(rows, ignore_conflicts=True)
        marked += len(rows)
    return marked


def _withdrawn() -> Iterator[tuple[tuple[str, int], Exclusion]]:
    sources = every_source()
    unmarked = ReleaseMember.objects.filter(withdrawal=None)
    kernels = Kernel.objects.filter(Exists(unmarked.filter(kernel=OuterRef("pk"))))
    pairs = Pair.objects.filter(Exists(unmarked.filter(pair=OuterRef("pk"))))
    for kind, batches in (
        ("kernel", known_facts.kernels(kernels, sources)),
        ("pair", known_facts.pairs(pairs, sources)),
    ):
        for known in chain.from_iterable(batches):
            if why := _why(known):
                yield (kind, known.pk), why


def _why(known: KnownItem) -> Exclusion | None:
    """Return the first reason to withdraw. Reasons that only prevent a new export are ignored."""
    facts = known.facts
    # A withdrawal is not based on these facts.
    facts.duplicate_of, facts.local_path, facts.standalone = "", False, True
    if facts.status == "retired":
        facts.status, facts.given = "approved", True
    why = exclusion(facts, Rules(include_pending=True))
    return why if why is not None and why.reason in WITHDRAWN else None
