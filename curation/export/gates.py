"""Why an item stays behind. Pure: facts in, the first gate that holds it out, or None.

The gates stand in the order of the funnel: isolated, for this hardware, licensed, unique,
uncontaminated, validated, approved, undisputed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple

from curation.export.policy import refusal
from curation.models import (
    Actor,
    Device,
    Fingerprint,
    Hardware,
    LicenseVerdict,
    Status,
    Verdict,
)

# By their texts: each is asked for a million times, and a member of an enumeration is looked up
# for longer than it is compared.
APPROVED, PENDING = Status.APPROVED.value, Status.PENDING.value
REJECTED, RETIRED = Status.REJECTED.value, Status.RETIRED.value
PERMISSIVE = LicenseVerdict.PERMISSIVE.value
PERSON, POLICY = Actor.PERSON.value, Actor.POLICY.value
PASSED, UNSUPPORTED = Verdict.PASSED.value, Verdict.UNSUPPORTED.value
DEVICES = (Device.CUDA.value, Device.INTERPRETER.value)


class Reason(StrEnum):
    """A word to count by."""

    RETIRED = "retired"
    NOT_STANDALONE = "not-standalone"
    HARDWARE = "hardware"
    LICENSE = "licence"
    OPTED_OUT = "opted-out"
    LOCAL_PATH = "local-path"
    DUPLICATE = "duplicate"
    CONTAMINATED = "contaminated"
    UNEXAMINED = "unexamined"
    NOT_VALIDATED = "not-validated"
    VALIDATION_FAILED = "validation-failed"
    GRADE = "grade"
    REJECTED = "rejected"
    PENDING = "pending"
    BY_POLICY = "approved-by-policy"
    DISPUTED = "disputed"
    CAP = "cap"
    STRADDLES = "straddles"


# The stages of the funnel, each with the reasons that keep an item from reaching it.
FUNNEL: tuple[tuple[str, tuple[Reason, ...]], ...] = (
    ("present", (Reason.RETIRED,)),
    ("standalone", (Reason.NOT_STANDALONE,)),
    ("for this hardware", (Reason.HARDWARE,)),
    ("licensed", (Reason.LICENSE, Reason.OPTED_OUT, Reason.LOCAL_PATH)),
    ("unique", (Reason.DUPLICATE,)),
    ("uncontaminated", (Reason.CONTAMINATED, Reason.UNEXAMINED)),
    ("validated", (Reason.NOT_VALIDATED, Reason.VALIDATION_FAILED, Reason.GRADE)),
    ("approved", (Reason.REJECTED, Reason.PENDING, Reason.BY_POLICY)),
    ("undisputed", (Reason.DISPUTED,)),
    ("exported", (Reason.CAP, Reason.STRADDLES)),
)


@dataclass(frozen=True, slots=True)
class Exclusion:
    reason: Reason
    message: str


# Tuples, since each item of an export has some, and rows are what they are made of.
class Said(NamedTuple):
    """A decision on an item, as far as the gates care."""

    pk: int
    status: str
    actor: str
    rules: str
    undoes: int | None
    content_hash: str
    user: int | None = None


class Tried(NamedTuple):
    """A validation of an item's present content."""

    pk: int
    device: str
    verdict: str
    grades: Mapping[str, Any] = MappingProxyType({})


@dataclass(slots=True)
class Facts:
    """What is known of one item's present content."""

    content_hash: str
    status: str
    license: str | None = None
    license_verdict: str = LicenseVerdict.UNKNOWN
    policy_verdict: str | None = None
    # Whether some place where it stands today gives it away.
    given: bool = True
    standalone: bool = True
    hardware: str = Hardware.CUDA.value
    opted_out: str = ""
    local_path: bool = False
    duplicate_of: str = ""
    contaminated_by: str = ""
    # Names the benchmarks that it was compared with: "" before any comparison, None as long as its
    # near-duplicates were not looked for either.
    compared_with: str | None = Fingerprint.NO_BENCHMARKS
    decisions: Sequence[Said] = ()
    # The one of them that its approval rests on.
    approver: Said | None = None
    tries: Sequence[Tried] | None = None
    # A pair's origin decides which grades of evidence it needs.
    origin: str = ""
    # A second review differs from the decision, and no third person has settled it.
    disputed: bool = False


@dataclass(frozen=True, slots=True)
class Rules:
    """What an export may be lenient about."""

    standalone: bool = True
    hardware: tuple[str, ...] = ()
    """Empty: any."""
    include_pending: bool = False
    include_disputed: bool = False
    policies: tuple[str, ...] = ()
    without_benchmarks: bool = False


def exclusion(facts: Facts, rules: Rules) -> Exclusion | None:
    """The first gate that holds the item out."""
    return (
        _present(facts)
        or (_standalone(facts) if rules.standalone else None)
        or (_hardware(facts, rules.hardware) if rules.hardware else None)
        or _licensed(facts)
        or _unique(facts, rules)
        or _validated(facts)
        or _approved(facts, rules)
        or (None if rules.include_disputed else _undisputed(facts))
    )


def _present(facts: Facts) -> Exclusion | None:
    if facts.status == RETIRED:
        return Exclusion(Reason.RETIRED, "It is not where it was seen any more.")
    return None


def _standalone(facts: Facts) -> Exclusion | None:
    if not facts.standalone:
        return Exclusion(Reason.NOT_STANDALONE, "It uses names that its unit does not define.")
    return None


def _hardware(facts: Facts, wanted: tuple[str, ...]) -> Exclusion | None:
    if facts.hardware in wanted:
        return None
    name, asked = Hardware(facts.hardware).label, ", ".join(Hardware(w).label for w in wanted)
    return Exclusion(Reason.HARDWARE, f"It is written for {name}, not for {asked}.")


def _licensed(facts: Facts) -> Exclusion | None:
    if facts.license_verdict != PERMISSIVE or facts.license is None:
        named = f": {facts.license}" if facts.license else ""
        return Exclusion(Reason.LICENSE, f"Its licence is {facts.license_verdict}{named}.")
    if facts.policy_verdict != PERMISSIVE:
        return Exclusion(
            Reason.LICENSE, f"The policy calls its licence {facts.license} {facts.policy_verdict}."
        )
    if not facts.given:
        return Exclusion(Reason.LICENSE, "No place where it stands today has that licence.")
    if facts.opted_out:
        return Exclusion(Reason.OPTED_OUT, facts.opted_out)
    if facts.local_path:
        return Exclusion(
            Reason.LOCAL_PATH, "Its text names a path of the machine that it was made on."
        )
    return None


def _unique(facts: Facts, rules: Rules) -> Exclusion | None:
    if facts.duplicate_of:
        return Exclusion(Reason.DUPLICATE, f"{facts.duplicate_of} stands for it.")
    if facts.contaminated_by:
        return Exclusion(Reason.CONTAMINATED, f"It overlaps {facts.contaminated_by}.")
    if facts.compared_with is None:
        return Exclusion(
            Reason.UNEXAMINED,
            "Its near-duplicates were not looked for yet: `manage.py examine` does.",
        )
    if not facts.compared_with and not rules.without_benchmarks:
        return Exclusion(
            Reason.UNEXAMINED,
            "It was not compared with the benchmarks yet: `manage.py examine` does.",
        )
    return None


def _validated(facts: Facts) -> Exclusion | None:
    if facts.tries is None:
        return None
    decisive = deciding(facts.tries)
    if decisive is None:
        return Exclusion(Reason.NOT_VALIDATED, "No validation has seen exactly this content.")
    if decisive.verdict != PASSED:
        return Exclusion(
            Reason.VALIDATION_FAILED, f"Its validation on {decisive.device}: {decisive.verdict}."
        )
    if words := refusal(facts.origin, decisive.grades):
        return Exclusion(Reason.GRADE, words)
    return None


def deciding(tries: Sequence[Tried]) -> Tried | None:
    """The newest validation on a GPU, or else the newest in the interpreter, which can be right
    where the GPU is wrong. What could not be tried there says nothing."""
    for device in DEVICES:
        there = [t for t in tries if t.device == device and t.verdict != UNSUPPORTED]
        if there:
            return max(there, key=lambda tried: tried.pk)
    return None


def _approved(facts: Facts, rules: Rules) -> Exclusion | None:
    if facts.status == REJECTED:
        return Exclusion(Reason.REJECTED, "It was rejected.")
    if facts.status == PENDING:
        if rules.include_pending:
            return None
        return Exclusion(Reason.PENDING, "Nobody has decided on it.")
    approver = facts.approver
    if approver is None:
        return Exclusion(Reason.PENDING, "Nobody has approved exactly this content.")
    if approver.actor == PERSON or approver.rules in rules.policies:
        return None
    return Exclusion(Reason.BY_POLICY, f"Only the policy “{approver.rules}” approved it.")


def _undisputed(facts: Facts) -> Exclusion | None:
    if facts.disputed:
        return Exclusion(
            Reason.DISPUTED, "Two reviewers disagree on it, and the dispute is not settled."
        )
    return None


def approved_by(decisions: Sequence[Said], content_hash: str) -> Said | None:
    """The decision that an approval rests on: a person's, unless a person said otherwise since;
    else a policy's. What was undone, and the undoing, were never said."""
    undone: set[int | None] = set()
    # Most have one, which nothing undoes.
    if len(decisions) > 1:
        undone = {said.undoes for said in decisions}
        decisions = sorted(decisions, reverse=True)
    word = approval = None
    for said in decisions:
        if said.undoes or said.pk in undone or said.content_hash != content_hash:
            continue
        if said.status == APPROVED:
            approval = approval or said
        if word is None and said.actor == PERSON:
            word = said
            if said.status == APPROVED:
                return said
    return approval if approval is not None and approval.actor == POLICY else None
