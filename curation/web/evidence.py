"""Evidence for the claims about an item: details that a reviewer can open below each claim."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from curation.characters import code_points, has_invisible, invisible, listed
from curation.evidence.claim_sheet.claim_facts import (
    blocked_copy,
    own_facts,
    pairs_of,
    validation_of,
)
from curation.evidence.claim_sheet.sheet import claims
from curation.evidence.claim_sheet.types import EvidenceClaim, KernelFacts, PairFacts
from curation.models import (
    Action,
    Device,
    DuplicateLink,
    Kernel,
    LicenseEvidence,
    MatchMethod,
    Pair,
    Provenance,
    QualityFinding,
    ValidationResult,
    Verdict,
)
from curation.text import pluralize
from curation.web.highlight import taken

SHOWN = 12
# Results that are left out, because a pair that the GPU does not support was not checked.
UNTRIED = (Device.CUDA, Verdict.UNSUPPORTED)
# Maximum number of notes on how a kernel was made standalone.
MOST_NOTES = 50
# Labels of the texts. The function's text is a part of the unit, so it has no label.
LABELS = {"function_source": "", "standalone_source": "Unit", "launcher_source": "Launcher"}


@dataclass(frozen=True, slots=True)
class Detail:
    text: str
    url: str = ""
    quote: str = ""


@dataclass(frozen=True, slots=True)
class ProvenClaim:
    """A claim with its evidence. `url` leads to the first line of code that the claim is about."""

    claim: EvidenceClaim
    details: tuple[Detail, ...] = ()
    url: str = ""


@dataclass(frozen=True, slots=True)
class ItemRows:
    """Rows of evidence that the page of an item has read."""

    item: Any
    places: Sequence[Provenance] = ()
    texts: Sequence[LicenseEvidence] = ()
    results: Sequence[ValidationResult] = ()
    links: Sequence[DuplicateLink] = ()
    compiled: ValidationResult | None = None
    findings: Sequence[QualityFinding] = ()

    @property
    def newest(self) -> list[ValidationResult]:
        """The newest result on each device."""
        results = [*self.results, *([self.compiled] if self.compiled else [])]
        shown = [row for row in results if (row.run.device, row.verdict) != UNTRIED]
        return list({row.run.device: row for row in reversed(shown)}.values())


def claims_of(rows: ItemRows) -> list[EvidenceClaim]:
    """Return the claim sheet from the rows that the page has read."""
    item, links = rows.item, rows.links
    own_link = next((link for link in links if link.item == item), None)
    copy = item.blocked_copy and blocked_copy(
        item.blocked_name, item.blocked_similarity, item.blocked_license
    )
    shared = own_facts(item, (place.source_file.path for place in rows.places)) | {
        "opted_out": item.left_out,
        "blocked_copy": copy or "",
        "placed": item.placed,
        "compared_with": item.compared_with,
        "represented_by": str(own_link.of_kernel or own_link.of_pair) if own_link else "",
        "similarity": max((link.similarity for link in links), default=0.0),
        "near_duplicates": 0 if own_link else len(links),
        "benchmark": item.benchmark_problem or "",
        "validations": [validation_of(result) for result in rows.newest],
    }
    if isinstance(item, Pair):
        return claims(PairFacts(**shared))
    failed = [row for row in rows.findings if not row.passed]
    gates = tuple((row.gate, row.action == Action.BLOCK) for row in failed)
    findings = gates if rows.findings else None
    pairs = pairs_of([item.pk])[item.pk] if item.has_pairs else {}
    return claims(KernelFacts(**shared, findings=findings, pairs=pairs))


def proven(
    sheet: Iterable[EvidenceClaim], rows: ItemRows, *, code_is_shown: bool
) -> list[ProvenClaim]:
    """Return each claim of the sheet with its evidence."""
    proofs = {
        "opt-out": _opt_outs,
        "characters": _characters,
        "license": _license,
        "complete": _notes,
        "compiles": _compiled,
        "answers": _results,
        "near-duplicates": _near_duplicates,
        "benchmarks": _benchmarks,
        "quality": _findings,
    }
    return [
        ProvenClaim(
            claim,
            tuple(proofs[claim.topic](rows)) if claim.topic in proofs else (),
            _address(rows.item, claim, code_is_shown) if claim.lines else "",
        )
        for claim in sheet
    ]


def _address(item: Any, claim: EvidenceClaim, code_is_shown: bool) -> str:
    """Return the URL of the claim's first line, on the tab that shows the code."""
    tab, prefix = ("code", f"{claim.column}-") if isinstance(item, Pair) else ("standalone", "")
    return f"{'' if code_is_shown else f'?tab={tab}'}#{prefix}{claim.lines[0]}"


def _opt_outs(rows: ItemRows) -> Iterator[Detail]:
    for place in rows.places:
        if place.opted_out or place.source_file.repository.opted_out_at:
            yield Detail(f"{place.source_file.repository}: {place.source_file.path}")


def _characters(rows: ItemRows) -> Iterator[Detail]:
    paths = " ".join(dict.fromkeys(place.source_file.path for place in rows.places))
    for label, text in (("Path", paths), ("Name", str(rows.item))):
        if named := code_points(text):
            yield Detail(f"{label}: {named}.")
    for column in rows.item.SOURCES:
        text, label = getattr(rows.item, column), LABELS.get(column, f"{column}.py")
        if label and has_invisible(text):
            for seen in invisible(text):
                if seen:
                    yield Detail(f"{label}: {listed(seen)}.")


def _license(rows: ItemRows) -> Iterator[Detail]:
    item = rows.item
    if item.blocked_copy:
        yield Detail(
            f"{item.blocked_name}, {100 * item.blocked_similarity:.0f}% alike, is under "
            f"{item.blocked_license or 'a license that forbids distribution'}",
            url=reverse("kernel", args=[item.blocked_copy]),
        )
    yield from dict.fromkeys(
        Detail(
            f"{place.source_file.repository}: "
            f"{place.license_reason or place.get_license_verdict_display()}"
        )
        for place in rows.places
    )
    yield from dict.fromkeys(
        Detail(
            f"{text.get_read_from_display()}, {text.path}"
            f"{f', lines {text.start_line} to {text.end_line}' if text.start_line else ''}: "
            f"{text.license or text.get_verdict_display()}"
            f"{'' if text.counts else ' (not decisive)'}"
            f"{f'. {text.remark}' if text.remark else ''}",
            quote=text.matched_text[:2000],
        )
        for text in rows.texts[:SHOWN]
    )


def _notes(rows: ItemRows) -> Iterator[Detail]:
    files = rows.places[0].drawn_from if rows.places else ()
    if helpers := taken(rows.item.standalone_source, rows.item.name, files):
        yield Detail(f"With {helpers}")
    notes = [str(note) for note in (*rows.item.standalone_reasons, *rows.item.notes)]
    yield from map(Detail, notes[:MOST_NOTES])
    if len(notes) > MOST_NOTES:
        yield Detail(f"and {len(notes) - MOST_NOTES:,} more")


def _compiled(rows: ItemRows) -> Iterator[Detail]:
    result = rows.compiled
    if result is None:
        return
    environment = result.run.environment
    triton = f"Triton {environment['triton']}" if environment.get("triton") else "this Triton"
    yield Detail(f"{result.created_at:%Y-%m-%d}, {triton}", quote=result.message)
    if used := resources(result.figures):
        yield Detail(", ".join(used), url="?tab=compiled")
    imports = result.figures.get("imports")
    if imports is not None:
        yield Detail("imports by itself" if imports else "can't be imported by itself")
    if launches := result.figures.get("launches"):
        yield Detail(f"launch: {launches}")


def resources(figures: Mapping[str, Any]) -> list[str]:
    """Return the resources of a compiled kernel in words; empty if they are unknown."""
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


def _results(rows: ItemRows) -> Iterator[Detail]:
    for result in rows.results[:SHOWN]:
        took = f", {result.seconds:.1f} s" if result.seconds is not None else ""
        device = result.run.get_device_display()
        verdict = result.get_verdict_display().lower()
        yield Detail(f"{device}: {verdict}{took}", quote=result.message, url="?tab=results")


def _near_duplicates(rows: ItemRows) -> Iterator[Detail]:
    for link, other in near_duplicates(rows.item, rows.links)[:SHOWN]:
        yield Detail(
            f"{other}: {link.get_likeness_display().lower()}, {link.similarity:.2f}",
            url=f"?tab=diff&with={other.pk}",
        )


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


def _benchmarks(rows: ItemRows) -> Iterator[Detail]:
    """Yield the closest benchmark overlap, and a benchmark problem of the same operation."""
    item = rows.item
    if item.benchmark:
        how = MatchMethod(item.benchmark_method).label.lower()
        constants = ", other constants" if item.constants_differ else ""
        yield Detail(f"{item.benchmark_problem}: {how}, {item.benchmark_similarity:.2f}{constants}")
    if item.same_operation:
        benchmark = item.same_operation_in.rpartition("/")[2]
        problem = item.same_operation.removeprefix(f"{benchmark}/")
        yield Detail(f"The same operation as {benchmark} {problem}")


def _findings(rows: ItemRows) -> Iterator[Detail]:
    for finding in rows.findings:
        if not finding.passed:
            yield Detail(finding.message or finding.gate)
