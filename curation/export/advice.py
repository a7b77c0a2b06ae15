"""Advice after an empty export: the next stage, by the most frequent reason."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from django.db.models import Exists, OuterRef

from curation.export.gates import FUNNEL, ExclusionReason
from curation.models import Device, Pair, Status, ValidationResult
from curation.text import pluralize

EXAMINE = "python manage.py examine"
VALIDATE = "python manage.py validate --pending --device {} --now"
REVIEW = "python manage.py up"
FUNNELS = "python manage.py report --funnel"
READ = "python manage.py pipeline --out dataset"


class Step(NamedTuple):
    """A command that can be typed as it is, and its introduction."""

    sentence: str
    command: str


STEPS: dict[ExclusionReason, Step] = {
    ExclusionReason.HARDWARE: Step(
        "They are for other hardware: name it with `--hardware`.", FUNNELS
    ),
    ExclusionReason.LICENSE: Step(
        "`report` counts the licenses; a curator decides on unknown ones in the admin.",
        "python manage.py report",
    ),
    ExclusionReason.UNEXAMINED: Step(
        "`examine` looks for near-duplicates and benchmark problems first.", EXAMINE
    ),
    ExclusionReason.NOT_VALIDATED: Step(
        "`validate` checks pairs: `--device interpreter` without a GPU, `--device cuda` with one.",
        VALIDATE,
    ),
    ExclusionReason.VALIDATION_FAILED: Step("The browser shows which checks failed.", REVIEW),
    ExclusionReason.GRADE: Step(
        "The table in validation/policy.toml lists the accepted grades.", FUNNELS
    ),
    ExclusionReason.PENDING: Step(
        "Review them in the browser, or export with `--include-pending`.", REVIEW
    ),
    ExclusionReason.DISPUTED: Step(
        "A curator settles disputes in the browser, or export with `--include-disputed`.", REVIEW
    ),
    ExclusionReason.BY_POLICY: Step(
        "Review them in the browser, or export with `--accept-policy RULES`.", REVIEW
    ),
}
OTHERS = Step("`report --funnel` counts what each stage leaves out.", FUNNELS)


def advise(examined: int, left_out: Mapping[ExclusionReason, int]) -> Iterator[str]:
    """Yield why an export has no items, and the command for the most frequent reason.

    examined: number of items examined.
    left_out: number of them by reason.
    """
    if not examined:
        yield "Nothing was exported: the database holds no such item. `pipeline` reads sources."
        yield f"Next: {READ}"
        return
    order = [reason for _, reasons in FUNNEL for reason in reasons]
    counts = {reason: left_out[reason] for reason in order if left_out.get(reason)}
    named = ", ".join(f"{count:,} {reason}" for reason, count in counts.items())
    step = STEPS.get(max(counts, key=lambda reason: counts[reason]), OTHERS)
    yield f"Nothing was exported of {pluralize(examined, 'item')}: {named}. {step.sentence}"
    yield f"Next: {validate_command() if step.command == VALIDATE else step.command}"


def validate_command() -> str:
    """Return the command that validates pairs.

    It uses the interpreter, which needs no GPU, while it has no verdict on some pair. The
    interpreter does not support every pair.
    """
    seen = ValidationResult.objects.filter(
        run__device=Device.INTERPRETER,
        pair=OuterRef("pk"),
        content_hash=OuterRef("content_hash"),
    )
    pairs = Pair.objects.filter(status__in=(Status.PENDING, Status.APPROVED))
    left = pairs.filter(~Exists(seen)).exists()
    return VALIDATE.format(Device.INTERPRETER if left else Device.CUDA)
