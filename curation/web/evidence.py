"""Evidence badges of an item, in the order in which a reviewer would reject."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from curation.text import pluralize
from curation.web.highlight import helpers

GOOD, DOUBT, BAD, UNKNOWN = "good", "doubt", "bad", "unknown"
SHOWN = 12
# Maximum number of notes on how a kernel was made standalone.
MOST_NOTES = 50
# The unit contains the function's own lines.
LABELS = {"function_source": "", "standalone_source": "Unit", "launcher_source": "Launcher"}
IN_CODE = "some are invisible or reorder the text"
IN_PROSE = "some are invisible, in comments or strings"


@dataclass(frozen=True, slots=True)
class Detail:
    text: str
    url: str = ""
    quote: str = ""


@dataclass(frozen=True, slots=True)
class EvidenceBadge:
    name: str
    state: str
    summary: str
    details: tuple[Detail, ...] = ()


def opt_out_badge(item: Any, places: Iterable[Provenance]) -> list[EvidenceBadge]:
    """Return a badge if an opt-out covers the item."""
    if not item.left_out:
        return []
    opted_out_places = tuple(
        Detail(f"{place.source_file.repository}: {place.source_file.path}")
        for place in places
        if place.opted_out or place.source_file.repository.opted_out_at
    )
    return [EvidenceBadge("Opt-out", BAD, "excluded by an opt-out", opted_out_places)]


def characters_badge(item: Any, places: Iterable[Provenance]) -> list[EvidenceBadge]:
    """Return a badge if the item has invisible or reordering characters."""
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
            deceiving, others = invisible(text)
            deceives = deceives or bool(deceiving)
            details += [Detail(f"{label}: {listed(seen)}.") for seen in (deceiving, others) if seen]
    if not details:
        return []
    state, summary = (BAD, IN_CODE) if deceives else (DOUBT, IN_PROSE)
    return [EvidenceBadge("Characters", state, summary, tuple(details))]


def license_badge(
    item: Any,
    places: Iterable[Provenance],
    texts: Sequence[LicenseEvidence],
) -> EvidenceBadge:
    states = {LicenseVerdict.PERMISSIVE: GOOD, LicenseVerdict.UNKNOWN: DOUBT}
    state = states.get(LicenseVerdict(item.license_verdict), BAD)
    summary = f"{item.license}" if item.license else item.get_license_verdict_display()
    copies: tuple[Detail, ...] = ()
    if item.blocked_copy:
        state = BAD if state == BAD else DOUBT
        summary = f"{summary}, but a near-duplicate is blocked"
        copies = (
            Detail(
                f"{item.blocked_name}, {100 * item.blocked_similarity:.0f}% alike, is under "
                f"{item.blocked_license or 'a license that forbids distribution'}",
                url=reverse("kernel", args=[item.blocked_copy]),
            ),
        )
    by_place = [
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
    return EvidenceBadge("License", state, summary, (*copies, *_unique(by_place), *_unique(trail)))


def standalone_badge(kernel: Kernel) -> EvidenceBadge:
    said = [str(note) for note in (*kernel.standalone_reasons, *kernel.notes)]
    more = [f"and {len(said) - MOST_NOTES:,} more"] if len(said) > MOST_NOTES else []
    notes = tuple(map(Detail, [*said[:MOST_NOTES], *more]))
    if kernel.standalone:
        found = helpers(kernel.standalone_source, kernel.name)
        taken = "" if found is None else f", {pluralize(len(found), 'helper')}"
        return EvidenceBadge("Standalone", GOOD, f"every name resolves{taken}", notes)
    return EvidenceBadge("Standalone", BAD, "names are missing", notes)


def compile_badge(result: ValidationResult | None) -> EvidenceBadge:
    """Return the badge of the newest compile result, which holds for one Triton and target only."""
    if result is None:
        return EvidenceBadge("Compiles", UNKNOWN, "not compiled yet")
    environment = result.run.environment
    triton = f"Triton {environment['triton']}" if environment.get("triton") else "this Triton"
    architecture = str(environment.get("target", "")).replace("cuda:", "sm_")
    used = resources(result.figures)
    details = (
        Detail(f"{result.created_at:%Y-%m-%d}, {triton}", quote=result.message),
        *([Detail(", ".join(used), url="?tab=compiled")] if used else []),
        *_by_itself(result),
    )
    if result.verdict == Verdict.PASSED:
        where = f"for {architecture}" if architecture else ""
        took = _took(result)
        registers = f"{result.figures['registers']} registers" if used else ""
        summary = _listed(where, registers or (f"compile time {took}" if took else ""))
        return EvidenceBadge("Compiles", GOOD, summary, details)
    if result.verdict == Verdict.FAILED:
        return EvidenceBadge("Compiles", BAD, f"does not compile with {triton}", details)
    return EvidenceBadge(
        "Compiles", DOUBT, _listed("undecided", result.figures.get("reason")), details
    )


def resources(figures: Mapping[str, Any]) -> list[str]:
    """Return what a compiled kernel uses, in words, or nothing if that is unknown."""
    if "registers" not in figures:
        return []
    local, shared = figures["local_bytes"], figures["shared_bytes"]
    return [
        f"{figures['registers']} registers a thread",
        f"{local:,} bytes of local memory a thread" if local else "no local memory, so no spills",
        f"{shared:,} bytes of shared memory" if shared else "no shared memory",
        pluralize(figures["warps"], "warp"),
        f"{100 * figures['occupancy']:.0f}% occupancy of sm_90",
    ]


def _by_itself(result: ValidationResult) -> Iterator[Detail]:
    """Yield further results: if a unit can be imported alone, and launched."""
    imports = result.figures.get("imports")
    if imports is not None:
        yield Detail("imports by itself" if imports else "can't be imported by itself")
    if launches := result.figures.get("launches"):
        yield Detail(f"launch: {launches}")


def validation_badge(results: Sequence[ValidationResult]) -> EvidenceBadge:
    if not results:
        return EvidenceBadge("Validation", UNKNOWN, "not validated yet")
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
    return EvidenceBadge("Validation", state, _listed(verdict, _took(newest)), details)


def duplicates_badge(item: Any, links: Sequence[DuplicateLink]) -> EvidenceBadge:
    if not links and item.placed is None:
        return EvidenceBadge("Duplicates", UNKNOWN, "not compared yet")
    if not links:
        return EvidenceBadge("Duplicates", GOOD, "none")
    own_link = next((link for link in links if link.item == item), None)
    closest = max(link.similarity for link in links)
    details = tuple(
        Detail(
            f"{other}: {link.get_likeness_display().lower()}, {link.similarity:.2f}",
            url=f"?tab=diff&with={other.pk}",
        )
        for link, other in near_duplicates(item, links)[:SHOWN]
    )
    if own_link:
        stands = own_link.of_kernel or own_link.of_pair
        return EvidenceBadge(
            "Duplicates",
            DOUBT,
            f"near-duplicate of {stands} ({100 * own_link.similarity:.0f}% alike)",
            details,
        )
    count = pluralize(len(links), "near-duplicate")
    summary = f"representative of {count} ({100 * closest:.0f}% alike)"
    return EvidenceBadge("Duplicates", DOUBT, summary, details)


def near_duplicates(
    item: Kernel | Pair, links: Iterable[DuplicateLink]
) -> list[tuple[DuplicateLink, Kernel | Pair]]:
    """Return the other items of the cluster, the representative first."""
    others: list[tuple[DuplicateLink, Kernel | Pair]] = []
    for link in links:
        of = link.of_kernel or link.of_pair
        assert of is not None, "the database holds one of the two"  # noqa: S101
        if link.item == item:
            others.insert(0, (link, of))
        else:
            others.append((link, link.item))
    return others


def benchmark_badge(item: Any) -> EvidenceBadge:
    """Return the badge of the closest benchmark overlap, from `rows.whole`.

    The same operation as a problem is informative and changes no state.
    """
    notes = _same_operation(item)
    if item.benchmark:
        how = MatchMethod(item.benchmark_method).label.lower()
        constants = ", other constants" if item.constants_differ else ""
        closest = f"{item.benchmark_problem}: {how}, {item.benchmark_similarity:.2f}{constants}"
        return EvidenceBadge(
            "Benchmarks", BAD, f"overlaps {item.benchmark}", (Detail(closest), *notes)
        )
    if not item.compared_with:
        return EvidenceBadge("Benchmarks", UNKNOWN, "not compared yet")
    if item.compared_with == Fingerprint.NO_BENCHMARKS:
        return EvidenceBadge("Benchmarks", UNKNOWN, "not checked: no benchmark ingested")
    return EvidenceBadge("Benchmarks", GOOD, "no overlap", notes)


def _same_operation(item: Any) -> tuple[Detail, ...]:
    if not item.same_operation:
        return ()
    benchmark = item.same_operation_in.rpartition("/")[2]
    problem = item.same_operation.removeprefix(f"{benchmark}/")
    return (Detail(f"The same operation as {benchmark} {problem}"),)


def quality_badge(findings: Sequence[QualityFinding]) -> EvidenceBadge:
    failed = [finding for finding in findings if not finding.passed]
    if not failed:
        return EvidenceBadge(
            "Quality",
            GOOD if findings else UNKNOWN,
            "no warnings" if findings else "not checked yet",
        )
    details = tuple(Detail(finding.message or finding.gate) for finding in failed)
    blocks = any(finding.action == "block" for finding in failed)
    first = failed[0].gate.replace("-", " ")
    more = f" and {len(failed) - 1} more" if len(failed) > 1 else ""
    return EvidenceBadge("Quality", BAD if blocks else DOUBT, f"{first}{more}", details)


def _took(result: ValidationResult) -> str:
    return f"{result.seconds:.1f} s" if result.seconds is not None else ""


def _listed(*parts: str | None) -> str:
    return ", ".join(part for part in parts if part) or "yes"


def _unique(details: Iterable[Detail]) -> tuple[Detail, ...]:
    return tuple(dict.fromkeys(details))
