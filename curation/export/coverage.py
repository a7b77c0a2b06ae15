"""Benchmark coverage of an export: the benchmarks that its records were compared with.

An export claims only comparisons that were made. The card, the manifest and the command line use
the same sentences. A release is refused while a comparison is missing.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import PurePath
from typing import Any

from curation.errors import CurationError
from curation.evidence import benchmarks
from curation.export.options import ExportOptions
from curation.models import Fingerprint, OperationOverlap


class NotComparedError(CurationError):
    """An error because a release has records whose overlap with benchmarks is unknown."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A benchmark that records were compared with."""

    name: str
    commit: str
    license: str
    problems: int
    texts: int
    """Number of compared texts: those of problems, and those of other files of the repository."""


@dataclass(frozen=True, slots=True)
class Coverage:
    version: str = Fingerprint.NO_BENCHMARKS
    compared: tuple[Compared, ...] = ()
    missing: tuple[str, ...] = ()
    """Registered benchmarks that no record was compared with."""
    records: int = 0
    left_out: int = 0
    """Number of records that were not compared with the current benchmarks."""
    pairs: int = 0
    same_operation: int = 0
    """Number of pairs with the same operations as a benchmark problem."""
    rest: str = ""
    """The part of the texts that was compared in no record, as the start of a sentence; or ""."""

    @property
    def complete(self) -> bool:
        return bool(self.compared) and not (self.missing or self.left_out or self.rest)

    def sentences(self) -> list[str]:
        """Return sentences on known and unknown overlaps with benchmarks."""
        sentences = []
        if not self.compared:
            sentences.append("No benchmark was compared: overlap is unknown.")
        elif self.complete:
            sentences.append("No split contains an overlap with a registered benchmark.")
        else:
            names = ", ".join(one.name for one in self.compared)
            sentences.append(f"The benchmarks that were compared: {names}.")
        if self.missing:
            sentences.append(
                f"Not compared: {', '.join(self.missing)}. Overlap with it is unknown."
            )
        if self.compared and self.left_out:
            sentences.append(
                f"{self.left_out:,} of {self.records:,} records were not compared with "
                "these benchmarks: their overlap is unknown."
            )
        if self.compared and self.rest:
            sentences.append(f"{self.rest} not compared: its overlap is unknown.")
        if self.compared and self.pairs:
            sentences.append(
                f"{self.same_operation:,} of {self.pairs:,} pairs have the same "
                "operation as a benchmark problem."
            )
        return sentences

    def as_json(self) -> dict[str, Any]:
        return {
            **asdict(self),
            "compared": [asdict(one) for one in self.compared],
            "missing": list(self.missing),
            "sentences": self.sentences(),
        }


def cover(keys: Mapping[str, Sequence[int]], options: ExportOptions) -> Coverage:
    """Return the benchmark coverage of the chosen items. `keys`: primary keys by kind."""
    current = benchmarks.current()
    # An exported file has the key of one of its kernels, and several files may have the same key.
    records = {kind: frozenset(of_kind) for kind, of_kind in keys.items()}
    versions = Counter(
        version
        for kind, of_kind in records.items()
        for version in Fingerprint.objects.filter(**{f"{kind}__among": of_kind})
        .order_by()
        .values_list("compared_with", flat=True)
    )
    uncompared = "Launchers of kernels were" if options.with_launcher else ""
    if options.unit == "file":
        uncompared = "The rest of a kernel's file was"
    same = OperationOverlap.objects.filter(pair__among=records["pair"]).values("pair").distinct()
    return Coverage(
        current.version,
        tuple(
            Compared(
                _shown(benchmark.repository),
                benchmark.commit,
                benchmark.license,
                sum(problem.is_task for problem in benchmark.problems),
                len(benchmark.problems),
            )
            for benchmark in current.held
        ),
        tuple(map(_shown, benchmarks.not_held())),
        sum(map(len, records.values())),
        sum(map(len, records.values())) - versions[current.version],
        len(keys["pair"]),
        same.count(),
        uncompared if keys["kernel"] else "",
    )


def check_release(name: str, coverage: Coverage) -> None:
    """Refuse a release if a comparison is missing. The error's sentence names the remedy."""
    if coverage.complete:
        return
    if coverage.missing or not coverage.compared:
        remedy = "Ingest the benchmarks and run `manage.py examine`"
    elif coverage.left_out:
        remedy = "Run `manage.py examine`"
    else:
        remedy = "Export units without launchers"
    unknown = [one for one in coverage.sentences() if "unknown" in one]
    raise NotComparedError(
        f"{name} is no release yet. {' '.join(unknown)} {remedy}, or release it with "
        "--without-benchmarks."
    )


def _shown(name: str) -> str:
    """Return a benchmark's name. If it is a path, return only the last part, for privacy."""
    return f"local/{PurePath(name).name}" if PurePath(name).is_absolute() else name
