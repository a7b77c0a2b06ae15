"""Summary printed by `validate --now`: verdicts, reasons of failures, and the page of results."""

from collections import Counter
from collections.abc import Iterator, Sequence
from urllib.parse import urlencode

from django.conf import settings
from django.db.models import Prefetch
from django.urls import reverse

from curation.models import (
    Kernel,
    Outcome,
    Pair,
    ValidationCheck,
    ValidationResult,
    ValidationRun,
    Verdict,
)
from curation.operations.address import site_address
from curation.text import pluralize

# Maximum number of items to name for one reason of failure.
MOST_NAMES = 5
LONGEST_MESSAGE = 160


def results_of(run: ValidationRun) -> list[ValidationResult]:
    """Return a run's results, with only the columns that a summary needs."""
    failed = ValidationCheck.objects.filter(outcome=Outcome.FAILED)
    rows = run.results.select_related("kernel", "pair").order_by("pk")
    rows = rows.defer(
        *(f"kernel__{name}" for name in Kernel.SOURCES), *(f"pair__{name}" for name in Pair.SOURCES)
    )
    return list(rows.prefetch_related(Prefetch("checks", failed, to_attr="failed_checks")))


def summary(results: Sequence[ValidationResult]) -> Iterator[str]:
    """Yield lines: the number of each verdict, then each reason with its items.

    The most frequent reason comes first. The last line is the address of a page with the items that
    did not pass.
    """
    verdicts = Counter(result.verdict for result in results)
    counts = ", ".join(
        f"{verdicts[verdict]:,} {verdict}" for verdict in Verdict if verdicts[verdict]
    )
    yield f"{pluralize(len(results), 'item')}: {counts or 'nothing to do'}."
    bad = [result for result in results if result.verdict != Verdict.PASSED]
    reasons: dict[str, list[ValidationResult]] = {}
    for result in bad:
        reasons.setdefault(_reason(result), []).append(result)
    for reason, stopped in sorted(reasons.items(), key=lambda group: (-len(group[1]), group[0])):
        yield f"  {len(stopped):,} {reason}: {_names(stopped)}"
        if message := _message(stopped[0]):
            yield f"      {message}"
    if bad:
        yield f"Results: {_address(bad)}"


def _reason(result: ValidationResult) -> str:
    """Return the verdict and the failed check from which the result's message is taken."""
    checks: list[ValidationCheck] = result.failed_checks  # type: ignore[attr-defined]
    if not checks:
        return result.verdict
    sources = (check for check in checks if check.message and check.message in result.message)
    return f"{result.verdict} at {next(sources, checks[0]).name}"


def _message(result: ValidationResult) -> str:
    lines = result.message.strip().splitlines()
    line = lines[0] if lines else ""
    return line if len(line) <= LONGEST_MESSAGE else f"{line[: LONGEST_MESSAGE - 1]}…"


def _names(results: Sequence[ValidationResult]) -> str:
    items = [result.kernel or result.pair for result in results[:MOST_NAMES]]
    names = [f"{item._meta.model_name}:{item.pk} {item}" for item in items if item]
    more = len(results) - len(names)
    return ", ".join(names) + (f" and {more:,} more" if more else "")


def _address(bad: Sequence[ValidationResult]) -> str:
    """Return the URL of the only item's page, or of the list of all items with these verdicts."""
    item = bad[0].kernel or bad[0].pair
    if len(bad) == 1 and item is not None:
        path = item.get_absolute_url() + ("?tab=results" if isinstance(item, Pair) else "")
    else:
        kind = "kernels" if isinstance(item, Kernel) else "pairs"
        verdicts = sorted({result.verdict for result in bad})
        query = [("items", kind), *(("validation", verdict) for verdict in verdicts)]
        path = f"{reverse('find')}?{urlencode(query)}"
    return f"{site_address(settings.DATA_DIR)}{path}"
