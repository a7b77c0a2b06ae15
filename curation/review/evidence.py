"""What machines found, as a short list of lights in the order in which one would reject."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from curation.models import (
    DuplicateLink,
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

GOOD, DOUBT, BAD, UNKNOWN = "good", "doubt", "bad", "unknown"
SHOWN = 12


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


def license_light(
    item: Kernel | Pair, places: Iterable[Provenance], texts: Sequence[LicenseEvidence]
) -> Light:
    state = {LicenseVerdict.PERMISSIVE: GOOD, LicenseVerdict.UNKNOWN: DOUBT}
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
    return Light(
        "Licence",
        state.get(LicenseVerdict(item.license_verdict), BAD),
        f"{item.license}" if item.license else item.get_license_verdict_display(),
        (*_unique(said), *_unique(trail)),
    )


def standalone_light(kernel: Kernel) -> Light:
    notes = tuple(Detail(str(note)) for note in (*kernel.standalone_reasons, *kernel.notes))
    if kernel.standalone:
        return Light("Standalone", GOOD, "every name resolves", notes)
    return Light("Standalone", BAD, "names are missing", notes)


def compile_light(results: Sequence[ValidationResult]) -> Light:
    if not results:
        return Light("Compiles", UNKNOWN, "not tried yet")
    newest = results[0]
    took = f", {newest.seconds:.1f} s" if newest.seconds is not None else ""
    details = tuple(
        Detail(
            f"{result.run.get_device_display()}: {result.get_verdict_display()}",
            quote=result.message,
        )
        for result in results[:SHOWN]
    )
    state = GOOD if newest.verdict == Verdict.PASSED else BAD
    if newest.verdict in (Verdict.UNSUPPORTED, Verdict.TIMEOUT):
        state = DOUBT
    return Light("Compiles", state, f"{newest.get_verdict_display()}{took}", details)


def validation_light(results: Sequence[ValidationResult]) -> Light:
    light = compile_light(results)
    device = f" on {results[0].run.get_device_display()}" if results else ""
    return Light("Validation", light.state, light.summary + device, light.details)


def duplicates_light(item: Kernel | Pair, links: Sequence[DuplicateLink]) -> Light:
    if not links:
        return Light("Duplicates", GOOD, "none known")
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
    return Light("Duplicates", DOUBT, f"stands for {len(links)}, {closest:.2f}", details)


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
    """The closest of what it overlaps, as `page.fetch` has found it."""
    if not item.benchmark:
        return Light("Benchmarks", GOOD, "no overlap known")
    how = MatchMethod(item.benchmark_method).label.lower()
    detail = Detail(f"{item.benchmark_problem}: {how}, {item.benchmark_similarity:.2f}")
    return Light("Benchmarks", BAD, f"overlaps {item.benchmark}", (detail,))


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


def _unique(details: Iterable[Detail]) -> tuple[Detail, ...]:
    return tuple(dict.fromkeys(details))
