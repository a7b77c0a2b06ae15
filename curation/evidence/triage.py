"""Triage: automatic rejections by gates, each with a sentence, and the reversal of rejections.

Decisions of people take precedence: an item whose newest decision is a person's is skipped.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery

from curation.decisions.decide import decide_by_policy
from curation.models import (
    Action,
    Actor,
    ContaminationMatch,
    Decision,
    Kernel,
    LicenseVerdict,
    QualityFinding,
    Status,
)

# Version of the gates, which is stored with decisions. Raise it if the meaning of a gate changes.
VERSION = 1
POLICY = "triage"
BATCH = 500

Renew = Callable[[], object]


@dataclass(frozen=True, slots=True)
class TriageGate:
    name: str
    holds_back: Q | Exists
    sentence: str

    @property
    def rules(self) -> str:
        return f"{POLICY} {VERSION}: {self.name}"


def gates() -> Iterator[TriageGate]:
    """Yield the gates in the order of the checks. A rejection names the first gate that failed."""
    yield TriageGate(
        "license", Q(license_verdict=LicenseVerdict.BLOCKED), "Its license forbids distribution."
    )
    blocked = QualityFinding.objects.filter(passed=False, action=Action.BLOCK)
    for name in blocked.order_by("gate").values_list("gate", flat=True).distinct():
        failures = blocked.filter(kernel=OuterRef("pk"), gate=name)
        yield TriageGate(f"quality, {name}", Exists(failures), f"It fails the gate “{name}”.")
    match = ContaminationMatch.objects.filter(
        kernel=OuterRef("pk"), content_hash=OuterRef("content_hash")
    )
    yield TriageGate("contamination", Exists(match), "It overlaps a benchmark.")


def triage(kernels: QuerySet[Kernel], renew: Renew = lambda: None) -> Counter[str]:
    """Reject items that fail a gate, and reopen those that no longer fail. Count both by rule.

    `renew` is called in each transaction, so that a run without a lease makes no decisions.
    """
    decided: Counter[str] = Counter()
    left_to_rules = kernels.alias(
        newest=Subquery(
            Decision.objects.filter(kernel=OuterRef("pk")).order_by("-pk").values("actor")[:1]
        )
    ).filter(Q(newest=None) | Q(newest=Actor.POLICY))
    in_force = list(gates())
    for gate in in_force:
        held = left_to_rules.filter(gate.holds_back, status=Status.PENDING)
        decided[gate.rules] += _each(held, Status.REJECTED, gate.rules, gate.sentence, renew)
    free = _rejected_here(kernels)
    for gate in in_force:
        free = free.exclude(gate.holds_back)
    rules = f"{POLICY} {VERSION}: reopened"
    decided[rules] += _each(free, Status.PENDING, rules, "It no longer fails a gate.", renew)
    return +decided


def _rejected_here(kernels: QuerySet[Kernel]) -> QuerySet[Kernel]:
    """Select items that an earlier triage rejected and that have no newer decision."""
    newest = Decision.objects.filter(kernel=OuterRef("pk")).order_by("-pk")
    return (
        kernels.filter(status=Status.REJECTED)
        .alias(decided_by=Subquery(newest.values("rules")[:1]))
        .filter(decided_by__startswith=f"{POLICY} ")
    )


def _each(items: QuerySet[Kernel], status: Status, rules: str, sentence: str, renew: Renew) -> int:
    """Decide in short transactions, so that no lock is held for long."""
    decided = 0
    pks = list(items.order_by("pk").values_list("pk", flat=True))
    for start in range(0, len(pks), BATCH):
        batch = Kernel.objects.filter(pk__among=pks[start : start + BATCH])
        with transaction.atomic():
            renew()
            decided += decide_by_policy(items=batch, status=status, rules=rules, comment=sentence)
    return decided
