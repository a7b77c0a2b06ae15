"""Withdrawals: records of a release that may no longer be distributed.

Reasons are opt-outs, license changes and failed validations. The release stays unchanged; its users
learn which records to drop.
"""

import time
from collections.abc import Iterator
from itertools import chain, islice

from django.conf import settings
from django.db.models import Exists, OuterRef

from curation.evidence.sources import every_source
from curation.export import evidence
from curation.export.evidence import KnownItem
from curation.export.gates import Exclusion, ExclusionReason, Rules, exclusion
from curation.models import Kernel, Pair, ReleaseMember, Withdrawal

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
BATCH = 500

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
        ("kernel", evidence.kernels(kernels, sources)),
        ("pair", evidence.pairs(pairs, sources)),
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
