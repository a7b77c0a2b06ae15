"""What machines found, as a short list of lights in the order in which one would reject."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from curation.characters import code_points, has_invisible, invisible, listed
from curation.models import (
    DuplicateLink,
    Fingerprint,
    Kernel,
    LicenseEvidence,
    LicenseVerdict,
    MatchMethod,
    Pair,
    Provenance,
    QualityFinding,
    ValidationResult,
    Verdict,
)
from curation.review.highlight import helpers
from curation.review.text_cache import TextCache
from curation.text import pluralize

GOOD, DOUBT, BAD, UNKNOWN = "good", "doubt", "bad", "unknown"
SHOWN = 12
# The most notes shown about how a kernel was made standalone.
MOST_NOTES = 50
# The unit holds the function's own lines.
LABELS = {"function_source": "", "standalone_source": "Unit", "launcher_source": "Launcher"}
IN_CODE = "some are invisible or reorder the text"
IN_PROSE = "some are invisible, in comments or strings"
# A text with such characters is read by the lexer, which takes as long as highlighting it.
_invisible = TextCache(invisible, lambda found: 1000, 4_000_000)


@dataclass(frozen=True, slots=True)
class Detail:
    text: str
    url: str = ""
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Light:
    name: str
    state: str
    summary: str
    details: tuple[Detail, ...] = ()


def opt_out_light(item: Any, places: Iterable[Provenance]) -> list[Light]:
    """Only where somebody asked; `rows.whole` has found out."""
    if not item.left_out:
        return []
    asked = tuple(
        Detail(f"{place.source_file.repository}: {place.source_file.path}")
        for place in places
        if place.opted_out or place.source_file.repository.opted_out_at
    )
    return [Light("Opt-out", BAD, "its author asked to leave it out", asked)]


def characters_light(item: Any, places: Iterable[Provenance]) -> list[Light]:
    """Return a light if the item has characters that a reader does not see, or sees elsewhere."""
    paths = " ".join(dict.fromkeys(place.source_file.path for place in places))
    details = [
        Detail(f"{label}: {named}.")
        for label, text in (("Path", paths), ("Name", str(item)))
        if (named := code_points(text))
    ]
    deceives = bool(details)
    for column in item.SOURCES:
        text, label = getattr(item, column), LABELS.get(column, f"{column}.py")
        if label and has_invisible(text):
            deceiving, others = _invisible(text)
            deceives = deceives or bool(deceiving)
            details += [Detail(f"{label}: {listed(seen)}.") for seen in (deceiving, others) if seen]
    if not details:
        return []
    state, summary = (BAD, IN_CODE) if deceives else (DOUBT, IN_PROSE)
    return [Light("Characters", state, summary, tuple(details))]


def license_light(
    item: Any,
    places: Iterable[Provenance],
    texts: Sequence[LicenseEvidence],
) -> Light:
    states = {LicenseVerdict.PERMISSIVE: GOOD, LicenseVerdict.UNKNOWN: DOUBT}
    state = states.get(LicenseVerdict(item.license_verdict), BAD)
    summary = f"{item.license}" if item.license else item.get_license_verdict_display()
    alike: tuple[Detail, ...] = ()
    if item.blocked_twin:
        state = BAD if state == BAD else DOUBT
        summary = f"{summary}, but a twin is blocked"
        alike = (
            Detail(
                f"{item.blocked_name}, {item.blocked_similarity:.2f} alike, is under "
                f"{item.blocked_license or 'a licence that forbids giving it away'}",
                url=reverse("kernel", args=[item.blocked_twin]),
            ),
        )
    said = [
        Detail(
            f"{place.source_file.repository}: {place.license_reason}"
            if place.license_reason
            else f"{place.source_file.repository}: {place.get_license_verdict_display()}"
        )
        for place in places
    ]
    trail = [
        Detail(
            f"{text.get_read_from_display()}, {text.path}"
            f"{f', lines {text.start_line} to {text.end_line}' if text.start_line else ''}: "
            f"{text.license or text.get_verdict_display()}"
            f"{'' if text.counts else ' (not decisive)'}"
            f"{f'. {text.remark}' if text.remark else ''}",
            quote=text.matched_text[:2000],
        )
        for text in texts[:SHOWN]
    ]
    return Light("Licence", state, summary, (*alike, *_unique(said), *_unique(trail)))


def standalone_light(kernel: Kernel) -> Light:
    said = [str(note) for note in (*kernel.standalone_reasons, *kernel.notes)]
    more = [f"and {len(said) - MOST_NOTES:,} more"] if len(said) > MOST_NOTES else []
    notes = tuple(map(Detail, [*said[:MOST_NOTES], *more]))
    if kernel.standalone:
        found = helpers(kernel.standalone_source, kernel.name)
        taken = "" if found is None else f", {pluralize(len(found), 'helper')}"
        return Light("Standalone", GOOD, f"every name resolves{taken}", notes)
    return Light("Standalone", BAD, "names are missing", notes)


def compile_light(result: ValidationResult | None) -> Light:
    """What compiles did so for one Triton and one target; what did not may do so for others."""
    if result is None:
        return Light("Compiles", UNKNOWN, "not tried yet")
    where = result.run.environment
    triton = f"triton {where['triton']}" if where.get("triton") else "this triton"
    architecture = str(where.get("target", "")).replace("cuda:", "sm_")
    details = (
        Detail(f"{result.created_at:%Y-%m-%d}, {triton}", quote=result.message),
        *_by_itself(result),
    )
    if result.verdict == Verdict.PASSED:
        return Light("Compiles", GOOD, _listed(architecture, _took(result)), details)
    if result.verdict == Verdict.FAILED:
        return Light("Compiles", BAD, f"not with {triton}", details)
    return Light("Compiles", DOUBT, _listed("undecided", result.figures.get("reason")), details)


def _by_itself(result: ValidationResult) -> Iterator[Detail]:
    """What else is known of a unit: whether it can be imported alone, and launched."""
    imports = result.figures.get("imports")
    if imports is not None:
        yield Detail("imports by itself" if imports else "can't be imported by itself")
    if launches := result.figures.get("launches"):
        yield Detail(f"launch: {launches}")


def validation_light(results: Sequence[ValidationResult]) -> Light:
    if not results:
        return Light("Validation", UNKNOWN, "not tried yet")
    newest = results[0]
    details = tuple(
        Detail(
            f"{result.run.get_device_display()}: {result.get_verdict_display().lower()}",
            quote=result.message,
        )
        for result in results[:SHOWN]
    )
    verdict = f"{newest.get_verdict_display().lower()} on {newest.run.get_device_display()}"
    state = GOOD if newest.verdict == Verdict.PASSED else BAD
    if newest.verdict in (Verdict.UNSUPPORTED, Verdict.TIMEOUT):
        state = DOUBT
    return Light("Validation", state, _listed(verdict, _took(newest)), details)


def duplicates_light(item: Any, links: Sequence[DuplicateLink]) -> Light:
    if not links and item.placed is None:
        return Light("Duplicates", UNKNOWN, "not looked for yet")
    if not links:
        return Light("Duplicates", GOOD, "none")
    mine = next((link for link in links if link.item == item), None)
    closest = max(link.similarity for link in links)
    details = tuple(
        Detail(
            f"{other}: {link.get_likeness_display().lower()}, {link.similarity:.2f}",
            url=f"?tab=diff&with={other.pk}",
        )
        for link, other in twins(item, links)[:SHOWN]
    )
    if mine:
        stands = mine.of_kernel or mine.of_pair
        return Light("Duplicates", DOUBT, f"{stands} stands for it, {mine.similarity:.2f}", details)
    summary = f"stands for {pluralize(len(links), 'twin')}, {closest:.2f}"
    return Light("Duplicates", DOUBT, summary, details)


def twins(
    item: Kernel | Pair, links: Iterable[DuplicateLink]
) -> list[tuple[DuplicateLink, Kernel | Pair]]:
    """The others of the cluster: what stands for it first."""
    others: list[tuple[DuplicateLink, Kernel | Pair]] = []
    for link in links:
        of = link.of_kernel or link.of_pair
        assert of is not None, "the database holds one of the two"  # noqa: S101
        if link.item == item:
            others.insert(0, (link, of))
        else:
            others.append((link, link.item))
    return others


def benchmark_light(item: Any) -> Light:
    """The closest of what it overlaps, as `rows.whole` has found it.

    The same operation as a problem is a note: it changes no state.
    """
    notes = _same_operation(item)
    if item.benchmark:
        how = MatchMethod(item.benchmark_method).label.lower()
        constants = ", other constants" if item.constants_differ else ""
        closest = f"{item.benchmark_problem}: {how}, {item.benchmark_similarity:.2f}{constants}"
        return Light("Benchmarks", BAD, f"overlaps {item.benchmark}", (Detail(closest), *notes))
    if not item.compared_with:
        return Light("Benchmarks", UNKNOWN, "not compared yet")
    if item.compared_with == Fingerprint.NO_BENCHMARKS:
        return Light("Benchmarks", UNKNOWN, "none has been read")
    return Light("Benchmarks", GOOD, "no overlap", notes)


def _same_operation(item: Any) -> tuple[Detail, ...]:
    if not item.same_operation:
        return ()
    benchmark = item.same_operation_in.rpartition("/")[2]
    problem = item.same_operation.removeprefix(f"{benchmark}/")
    return (Detail(f"The same operation as {benchmark} {problem}"),)


def quality_light(findings: Sequence[QualityFinding]) -> Light:
    failed = [finding for finding in findings if not finding.passed]
    if not failed:
        return Light(
            "Quality", GOOD if findings else UNKNOWN, "no remarks" if findings else "not looked at"
        )
    details = tuple(Detail(finding.message or finding.gate) for finding in failed)
    blocks = any(finding.action == "block" for finding in failed)
    first = failed[0].gate.replace("-", " ")
    more = f" and {len(failed) - 1} more" if len(failed) > 1 else ""
    return Light("Quality", BAD if blocks else DOUBT, f"{first}{more}", details)


def _took(result: ValidationResult) -> str:
    return f"{result.seconds:.1f} s" if result.seconds is not None else ""


def _listed(*parts: str | None) -> str:
    return ", ".join(part for part in parts if part) or "yes"


def _unique(details: Iterable[Detail]) -> tuple[Detail, ...]:
    return tuple(dict.fromkeys(details))
