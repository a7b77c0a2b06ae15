"""Export gates: pure functions that map an item to the gates that exclude it.

The gates are in the order of the funnel: isolated, for this hardware, licensed, unique,
uncontaminated, validated, approved, undisputed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from curation.evidence.grades import (
    error_beyond_rounding,
    most_own_error,
    open_grades,
    refusal,
)
from curation.export.approvals import APPROVED, PERSON
from curation.export.facts import ExportItem
from curation.export.options import ExportOptions
from curation.models import Hardware, LicenseVerdict, Status, Verdict


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


# Stages of the funnel, and the reasons that exclude items from each stage.
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


def first_exclusion(item: ExportItem, options: ExportOptions) -> Exclusion | None:
    return next(exclusions(item, options), None)


def exclusions(item: ExportItem, options: ExportOptions) -> Iterator[Exclusion]:
    """Yield an exclusion for each gate that the item does not pass."""
    if item.row["status"] == Status.RETIRED:
        yield Exclusion(
            ExclusionReason.RETIRED, "Its source no longer has it, or a newer draft replaced it."
        )
    if options.unit == "standalone" and not item.row.get("standalone", True):
        yield Exclusion(
            ExclusionReason.NOT_STANDALONE, "It uses names that its unit does not define."
        )
    if item.row["hardware"] not in options.hardware:
        name = Hardware(item.row["hardware"]).label
        labels = ", ".join(Hardware(allowed).label for allowed in options.hardware)
        yield Exclusion(ExclusionReason.HARDWARE, f"It is written for {name}, not for {labels}.")
    yield from _license(item)
    if item.duplicate_of:
        yield Exclusion(ExclusionReason.DUPLICATE, f"{item.duplicate_of} stands for it.")
    if item.contaminated_by:
        yield Exclusion(ExclusionReason.CONTAMINATED, f"It overlaps {item.contaminated_by}.")
    if not item.compared_with and not (options.without_benchmarks and item.compared_with == ""):
        others = "other items" if item.compared_with is None else "the benchmarks"
        yield Exclusion(
            ExclusionReason.UNEXAMINED,
            f"It was not compared with {others} yet: run `manage.py examine`.",
        )
    if item.validations is not None:
        yield from _validation(item)
    yield from _approval(item, options)
    yield from _open_grades(item)
    if item.disputed and not options.include_disputed:
        yield Exclusion(
            ExclusionReason.DISPUTED,
            "Two reviewers disagree on it, and the dispute is not settled.",
        )


def _license(item: ExportItem) -> Iterator[Exclusion]:
    verdict, policy = item.row["license_verdict"], item.row["license__verdict"]
    reason = ExclusionReason.LICENSE
    if verdict != LicenseVerdict.PERMISSIVE or item.license is None:
        named = f": {item.license}" if item.license else ""
        yield Exclusion(reason, f"Its license is {verdict}{named}.")
    elif policy != LicenseVerdict.PERMISSIVE:
        yield Exclusion(reason, f"The policy calls its license {item.license} {policy}.")
    elif item.places and not item.places[0].gives:
        yield Exclusion(reason, "None of its present places has that license.")
    if item.opted_out:
        yield Exclusion(ExclusionReason.OPTED_OUT, item.opted_out)
    if item.local_path:
        yield Exclusion(
            ExclusionReason.LOCAL_PATH, "Its text contains a path of the machine that generated it."
        )


def _validation(item: ExportItem) -> Iterator[Exclusion]:
    validation = item.validation
    if validation is None:
        yield Exclusion(ExclusionReason.NOT_VALIDATED, "This exact content was not validated.")
    elif validation.verdict != Verdict.PASSED:
        yield Exclusion(
            ExclusionReason.VALIDATION_FAILED,
            f"Its validation on {validation.device}: {validation.verdict}.",
        )
    elif words := refusal(item.origin, validation.grades):
        yield Exclusion(ExclusionReason.GRADE, words)


def _approval(item: ExportItem, options: ExportOptions) -> Iterator[Exclusion]:
    status, approver = item.row["status"], item.approver
    if status == Status.REJECTED:
        yield Exclusion(ExclusionReason.REJECTED, "It was rejected.")
    elif status == Status.PENDING:
        if not options.include_pending:
            yield Exclusion(ExclusionReason.PENDING, "It was not reviewed.")
    elif approver is None:
        yield Exclusion(ExclusionReason.PENDING, "This exact content was not approved.")
    elif approver.actor != PERSON and approver.rules not in options.policies:
        yield Exclusion(
            ExclusionReason.BY_POLICY, f"Only the {approver.actor} “{approver.rules}” approved it."
        )


def _open_grades(item: ExportItem) -> Iterator[Exclusion]:
    """Exclude a pair that has not the approval by a person that its grades require.

    If the error is large, the person must have approved after the validation.
    """
    validation = item.validation
    if validation is None:
        return
    approver = item.approver if item.row["status"] == APPROVED else None
    error = error_beyond_rounding(validation.grades)
    times = [at for at in (validation.at, approver and approver.at) if at]
    seen = item.reviewed and len(times) == 2 and times[1] > times[0]
    if error > most_own_error(item.origin) and not seen:
        yield Exclusion(
            ExclusionReason.GRADE,
            f"Its error is {error:.3g} times torch's own: "
            "a person has to approve it with that in view.",
        )
    if approver is None or item.reviewed:
        return
    if grades := open_grades(item.origin, validation):
        named = "; ".join(f"{name.replace('_', ' ')}: {grades[name]}" for name in grades)
        yield Exclusion(
            ExclusionReason.GRADE,
            f"Only “{approver.rules}” approved it; a person has to see: {named}.",
        )
