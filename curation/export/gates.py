"""Export gates. Pure: they map facts to the first gate that excludes an item, or None.

The gates are in the order of the funnel: isolated, for this hardware, licensed, unique,
uncontaminated, validated, approved, undisputed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from curation.evidence.grades import (
    ValidationRow,
    deciding,
    error_beyond_rounding,
    most_own_error,
    open_grades,
    refusal,
)
from curation.models import (
    Actor,
    Fingerprint,
    Hardware,
    LicenseVerdict,
    Status,
    Verdict,
)

# Plain strings: each is compared a million times, and an enum lookup takes longer than the
# comparison.
APPROVED, PENDING = Status.APPROVED.value, Status.PENDING.value
REJECTED, RETIRED = Status.REJECTED.value, Status.RETIRED.value
PERMISSIVE = LicenseVerdict.PERMISSIVE.value
PERSON = Actor.PERSON.value
PASSED = Verdict.PASSED.value


class ExclusionReason(StrEnum):
    """Code of a reason, by which items are counted."""

    RETIRED = "retired"
    NOT_STANDALONE = "not-standalone"
    HARDWARE = "hardware"
    LICENSE = "license"
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


# Stages of the funnel, each with the reasons that exclude items from it.
FUNNEL: tuple[tuple[str, tuple[ExclusionReason, ...]], ...] = (
    ("present", (ExclusionReason.RETIRED,)),
    ("standalone", (ExclusionReason.NOT_STANDALONE,)),
    ("for this hardware", (ExclusionReason.HARDWARE,)),
    ("licensed", (ExclusionReason.LICENSE, ExclusionReason.OPTED_OUT, ExclusionReason.LOCAL_PATH)),
    ("unique", (ExclusionReason.DUPLICATE,)),
    ("uncontaminated", (ExclusionReason.CONTAMINATED, ExclusionReason.UNEXAMINED)),
    (
        "validated",
        (ExclusionReason.NOT_VALIDATED, ExclusionReason.VALIDATION_FAILED, ExclusionReason.GRADE),
    ),
    ("approved", (ExclusionReason.REJECTED, ExclusionReason.PENDING, ExclusionReason.BY_POLICY)),
    ("undisputed", (ExclusionReason.DISPUTED,)),
    ("exported", (ExclusionReason.CAP, ExclusionReason.STRADDLES)),
)


@dataclass(frozen=True, slots=True)
class Exclusion:
    reason: ExclusionReason
    message: str


# NamedTuples instead of dataclasses: an export builds millions of them from query rows.
class DecisionRow(NamedTuple):
    """A decision on an item, with the columns that the gates need."""

    pk: int
    status: str
    actor: str
    rules: str
    undoes: int | None
    content_hash: str
    user: int | None = None
    at: datetime | None = None


@dataclass(slots=True)
class GateFacts:
    """GateFacts about one item's present content."""

    content_hash: str
    status: str
    license: str | None = None
    license_verdict: str = LicenseVerdict.UNKNOWN
    policy_verdict: str | None = None
    # True if a present place with the item's license permits distribution.
    given: bool = True
    standalone: bool = True
    hardware: str = Hardware.CUDA.value
    opted_out: str = ""
    local_path: bool = False
    duplicate_of: str = ""
    contaminated_by: str = ""
    # Hash of the benchmarks it was compared with: "" before any comparison, None before the search
    # for near-duplicates.
    compared_with: str | None = Fingerprint.NO_BENCHMARKS
    decisions: Sequence[DecisionRow] = ()
    # The decision that its approval is based on.
    approver: DecisionRow | None = None
    validations: Sequence[ValidationRow] | None = None
    # A pair's origin determines the required evidence grades.
    origin: str = ""
    # True if a second review differs, and no third person has settled the dispute.
    disputed: bool = False


@dataclass(frozen=True, slots=True)
class Rules:
    """Options of an export that relax gates."""

    standalone: bool = True
    hardware: tuple[str, ...] = ()
    """Empty: any hardware."""
    include_pending: bool = False
    include_disputed: bool = False
    policies: tuple[str, ...] = ()
    without_benchmarks: bool = False


def exclusion(facts: GateFacts, rules: Rules) -> Exclusion | None:
    """Return the first gate that excludes the item."""
    return (
        _present(facts)
        or (_standalone(facts) if rules.standalone else None)
        or (_hardware(facts, rules.hardware) if rules.hardware else None)
        or _licensed(facts)
        or _unique(facts, rules)
        or _validated(facts)
        or _approved(facts, rules)
        or _known(facts)
        or (None if rules.include_disputed else _undisputed(facts))
    )


def _present(facts: GateFacts) -> Exclusion | None:
    if facts.status == RETIRED:
        return Exclusion(
            ExclusionReason.RETIRED, "Its source no longer has it, or a newer draft replaced it."
        )
    return None


def _standalone(facts: GateFacts) -> Exclusion | None:
    if not facts.standalone:
        return Exclusion(
            ExclusionReason.NOT_STANDALONE, "It uses names that its unit does not define."
        )
    return None


def _hardware(facts: GateFacts, allowed: tuple[str, ...]) -> Exclusion | None:
    if facts.hardware in allowed:
        return None
    name, labels = Hardware(facts.hardware).label, ", ".join(Hardware(w).label for w in allowed)
    return Exclusion(ExclusionReason.HARDWARE, f"It is written for {name}, not for {labels}.")


def _licensed(facts: GateFacts) -> Exclusion | None:
    if facts.license_verdict != PERMISSIVE or facts.license is None:
        named = f": {facts.license}" if facts.license else ""
        return Exclusion(ExclusionReason.LICENSE, f"Its license is {facts.license_verdict}{named}.")
    if facts.policy_verdict != PERMISSIVE:
        return Exclusion(
            ExclusionReason.LICENSE,
            f"The policy calls its license {facts.license} {facts.policy_verdict}.",
        )
    if not facts.given:
        return Exclusion(ExclusionReason.LICENSE, "None of its present places has that license.")
    if facts.opted_out:
        return Exclusion(ExclusionReason.OPTED_OUT, facts.opted_out)
    if facts.local_path:
        return Exclusion(
            ExclusionReason.LOCAL_PATH, "Its text contains a path of the machine that generated it."
        )
    return None


def _unique(facts: GateFacts, rules: Rules) -> Exclusion | None:
    if facts.duplicate_of:
        return Exclusion(ExclusionReason.DUPLICATE, f"{facts.duplicate_of} stands for it.")
    if facts.contaminated_by:
        return Exclusion(ExclusionReason.CONTAMINATED, f"It overlaps {facts.contaminated_by}.")
    if facts.compared_with is None:
        return Exclusion(
            ExclusionReason.UNEXAMINED,
            "It was not compared with other items yet: run `manage.py examine`.",
        )
    if not facts.compared_with and not rules.without_benchmarks:
        return Exclusion(
            ExclusionReason.UNEXAMINED,
            "It was not compared with the benchmarks yet: run `manage.py examine`.",
        )
    return None


def _validated(facts: GateFacts) -> Exclusion | None:
    if facts.validations is None:
        return None
    decisive = deciding(facts.validations)
    if decisive is None:
        return Exclusion(ExclusionReason.NOT_VALIDATED, "This exact content was not validated.")
    if decisive.verdict != PASSED:
        return Exclusion(
            ExclusionReason.VALIDATION_FAILED,
            f"Its validation on {decisive.device}: {decisive.verdict}.",
        )
    if words := refusal(facts.origin, decisive.grades):
        return Exclusion(ExclusionReason.GRADE, words)
    return None


def _approved(facts: GateFacts, rules: Rules) -> Exclusion | None:
    if facts.status == REJECTED:
        return Exclusion(ExclusionReason.REJECTED, "It was rejected.")
    if facts.status == PENDING:
        if rules.include_pending:
            return None
        return Exclusion(ExclusionReason.PENDING, "It was not reviewed.")
    approver = facts.approver
    if approver is None:
        return Exclusion(ExclusionReason.PENDING, "This exact content was not approved.")
    if approver.actor == PERSON or approver.rules in rules.policies:
        return None
    return Exclusion(
        ExclusionReason.BY_POLICY, f"Only the {approver.actor} “{approver.rules}” approved it."
    )


def _known(facts: GateFacts) -> Exclusion | None:
    """Exclude a pair with an open grade that no person has approved."""
    validation = deciding(facts.validations) if facts.validations else None
    if validation is None:
        return None
    approver = facts.approver if facts.status == APPROVED else None
    by_person = approver is not None and approver.actor == PERSON
    error = error_beyond_rounding(validation.grades)
    if error > most_own_error(facts.origin) and not (by_person and _is_newer(approver, validation)):
        return Exclusion(
            ExclusionReason.GRADE,
            f"Its error is {error:.3g} times torch's own: "
            "a person has to approve it with that in view.",
        )
    if approver is None or by_person:
        return None
    if left_open := open_grades(facts.origin, validation):
        named = "; ".join(f"{name.replace('_', ' ')}: {left_open[name]}" for name in left_open)
        return Exclusion(
            ExclusionReason.GRADE,
            f"Only “{approver.rules}” approved it; a person has to see: {named}.",
        )
    return None


def _is_newer(approver: DecisionRow | None, validation: ValidationRow) -> bool:
    if approver is None or approver.at is None or validation.at is None:
        return False
    return approver.at > validation.at


def _undisputed(facts: GateFacts) -> Exclusion | None:
    if facts.disputed:
        return Exclusion(
            ExclusionReason.DISPUTED,
            "Two reviewers disagree on it, and the dispute is not settled.",
        )
    return None


def approved_by(decisions: Sequence[DecisionRow], content_hash: str) -> DecisionRow | None:
    """Return the decision that an approval is based on, or None.

    It is a person's, unless a person decided otherwise since; else a policy's or a program's.
    Undone decisions and their reversals are ignored.
    """
    undone: set[int | None] = set()
    # Most items have one decision, so there is no undone one.
    if len(decisions) > 1:
        undone = {decision.undoes for decision in decisions}
        decisions = sorted(decisions, reverse=True)
    newest_of_person = approval = None
    for decision in decisions:
        if decision.undoes or decision.pk in undone or decision.content_hash != content_hash:
            continue
        if decision.status == APPROVED:
            approval = approval or decision
        if newest_of_person is None and decision.actor == PERSON:
            newest_of_person = decision
            if decision.status == APPROVED:
                return decision
    return approval if approval is not None and approval.actor != PERSON else None
