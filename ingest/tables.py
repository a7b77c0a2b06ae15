"""Reports as lines of text for a terminal."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from curation.evidence.funnel import FunnelStage
from curation.text import pluralize
from ingest.report import (
    COVERAGE,
    SUMMED,
    Passed,
    SourceReport,
    by_category,
    coverage_by_category,
    quality,
    read_sources,
    report,
)


def everything() -> Iterator[str]:
    """Yield the statistics and the gates' results of all sources that were read."""
    sources = read_sources()
    yield from statistics(list(report(sources)))
    yield ""
    yield from gates(quality(sources))


def statistics(rows: Sequence[SourceReport]) -> Iterator[str]:
    """Yield lines for each source with its drops, for the categories, and for license coverage."""
    width = max((len(row.repository) for row in rows), default=10)
    yield _line(width, "source", *SUMMED)
    for row in rows:
        yield _line(width, row.repository, *(f"{getattr(row, name):,}" for name in SUMMED))
        for reason, count in row.drops.items():
            yield f"{'':{width}}  {count:,} dropped: {reason}"
        if row.estimated_tokens:
            low, high = row.estimated_tokens
            yield (
                f"{'':{width}}  {low:,} to {high:,} tokens estimated, "
                f"{row.kernel_file_tokens:,} counted in files with kernels"
            )
        if row.key_files:
            missing = [file for file, read in row.key_files.items() if not read]
            yield (
                f"{'':{width}}  {len(row.key_files) - len(missing)} of "
                f"{pluralize(len(row.key_files), 'key file')} found"
                + (f"; missing: {', '.join(missing)}" if missing else "")
            )
    yield ""
    for category, sums in by_category(rows).items():
        yield _line(width, category, *(f"{sums[name]:,}" for name in SUMMED))
    yield ""
    yield _line(width, "licenses of kernels", *COVERAGE)
    for category, known in coverage_by_category(rows).items():
        yield _line(width, category, *(_share(n, sum(known.values())) for n in known.values()))


def gates(counts: Mapping[str, Mapping[str, Passed]]) -> Iterator[str]:
    """Yield for each category how many kernels pass each gate."""
    names = sorted({gate for passed in counts.values() for gate in passed})
    width = max(map(len, ("gates that kernels pass", *names)))
    yield _line(width, "gates that kernels pass", *counts)
    for gate in names:
        cells = (by_gate.get(gate) for by_gate in counts.values())
        yield _line(width, gate, *(_share(cell.passed, cell.of) if cell else "" for cell in cells))


def funnel(stages: Iterable[FunnelStage]) -> Iterator[str]:
    for stage in stages:
        yield f"{stage.count:>10,}  {stage.name}"
        for reason, count in stage.behind.items():
            yield f"{'':12}  {count:,} stayed behind: {reason}"


def extraction(manifest: Mapping[str, Any]) -> Iterator[str]:
    """Yield the counts of extracted files by category, and of left-out files by reason."""
    width = max(map(len, ("written", *manifest["categories"])))
    names = ("total_files", "total_lines", "total_size_bytes")
    yield _line(width, "written", "files", "lines", "bytes")
    for category, counts in manifest["categories"].items():
        yield _line(width, category, *(f"{counts[name]:,}" for name in names))
        for reason, count in counts["left_out"].items():
            yield f"{'':{width}}  {count:,} left out: {reason}"
    yield _line(width, "total", *(f"{manifest[name]:,}" for name in names))


def _share(count: int, of: int) -> str:
    return f"{count:,} ({100 * count // (of or 1)}%)"


def _line(width: int, name: str, *cells: str) -> str:
    return f"{name:{width}}" + "".join(f"{cell:>15}" for cell in cells)
