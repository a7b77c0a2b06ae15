"""Report of each source: its files, its kernels, and the drops with their reasons."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from django.db.models import Count, Exists, OuterRef, Prefetch, Q, QuerySet, Sum

from curation.models import (
    ContaminationMatch,
    Drop,
    DuplicateLink,
    IngestRun,
    Kernel,
    Kind,
    Language,
    Provenance,
    Repository,
    RunState,
    SourceFile,
)
from ingest.git.globs import matching_any

# Columns that are summed over the sources of a category.
SUMMED = ("files", "lines", "bytes", "tokens", "kernels", "entry", "helper", "standalone")

# Evidence for the license of a place, in the order of the coverage table.
COVERAGE = {
    "valid": Count("pk", filter=Q(license_verdict="permissive", license_inherited=False)),
    "inherited": Count("pk", filter=Q(license_verdict="permissive", license_inherited=True)),
    **{
        verdict: Count("pk", filter=Q(license_verdict=verdict))
        for verdict in ("unknown", "conflict", "blocked")
    },
}


@dataclass(frozen=True, slots=True)
class SourceReport:
    """Counts of one source, without retired rows."""

    repository: str
    category: str
    role: str
    commit: str
    files: int
    lines: int
    bytes: int
    tokens: int
    kernels: int
    entry: int
    helper: int
    gluon: int
    pallas: int
    standalone: int
    # Counted in files that hold a kernel; all read files count under `tokens`.
    kernel_file_tokens: int = 0
    estimated_tokens: tuple[int, int] | None = None
    # By pattern, the most important first: true if a read file matches it.
    key_files: dict[str, bool] = field(default_factory=dict)
    licenses: dict[str, int] = field(default_factory=dict)
    drops: dict[str, int] = field(default_factory=dict)

    @property
    def standalone_share(self) -> float | None:
        return self.standalone / self.kernels if self.kernels else None

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "standalone_share": self.standalone_share}


def read_sources() -> QuerySet[Repository]:
    """Return all sources that were read."""
    return Repository.objects.sources().exclude(last_ingested_at=None)


def report(repositories: QuerySet[Repository]) -> Iterator[SourceReport]:
    """Yield a row for each source, in query order."""
    of_sources = {"repository__in": repositories}
    files = _by_repository(
        SourceFile.objects.filter(retired_at=None, **of_sources)
        .values("repository_id")
        .annotate(
            files=Count("pk"),
            lines=Sum("lines"),
            bytes=Sum("size"),
            kernel_file_tokens=Sum("tokens", filter=_holds_a_kernel),
            tokens=Sum("tokens"),
        )
    )
    kernels = _by_repository(
        Provenance.objects.filter(retired_at=None, source_file__repository__in=repositories)
        .values("source_file__repository_id")
        .annotate(
            kernels=Count("pk"),
            entry=Count("pk", filter=Q(kernel__kind=Kind.ENTRY)),
            helper=Count("pk", filter=Q(kernel__kind=Kind.HELPER)),
            gluon=Count("pk", filter=Q(kernel__language=Language.GLUON)),
            pallas=Count("pk", filter=Q(kernel__language=Language.PALLAS)),
            standalone=Count("pk", filter=Q(kernel__standalone=True)),
            **COVERAGE,
        )
    )
    drops = _drops(repositories)
    key_files = _key_files(repositories)
    for repository in repositories:
        yield SourceReport(
            repository=repository.name,
            category=repository.category,
            role=repository.role,
            commit=repository.last_commit,
            **_counts(
                files.get(repository.pk), "files", "lines", "bytes", "tokens", "kernel_file_tokens"
            ),
            **_counts(
                kernels.get(repository.pk),
                *("kernels", "entry", "helper", "gluon", "pallas", "standalone"),
            ),
            estimated_tokens=_estimate(repository),
            key_files=key_files.get(repository.pk, {}),
            licenses=_counts(kernels.get(repository.pk), *COVERAGE),
            drops=drops.get(repository.pk, {}),
        )


def _estimate(repository: Repository) -> tuple[int, int] | None:
    low, high = repository.estimated_tokens_low, repository.estimated_tokens_high
    return None if low is None or high is None else (low, high)


def _key_files(repositories: QuerySet[Repository]) -> dict[int, dict[str, bool]]:
    """Return for each repository its key files, each with whether a read file matches."""
    patterns_by_source = {row.pk: row.key_files for row in repositories if row.key_files}
    paths: dict[int, list[str]] = defaultdict(list)
    files = SourceFile.objects.filter(repository__in=list(patterns_by_source), retired_at=None)
    for repository, path in files.values_list("repository_id", "path"):
        paths[repository].append(path)
    return {
        repository: {
            pattern: any(map(matching_any([pattern]), paths[repository])) for pattern in patterns
        }
        for repository, patterns in patterns_by_source.items()
    }


_holds_a_kernel = Exists(Provenance.objects.filter(source_file=OuterRef("pk"), retired_at=None))


class Passed(NamedTuple):
    """Number of kernels that pass a gate, and of all that it checked."""

    passed: int
    of: int


def quality(repositories: QuerySet[Repository]) -> dict[str, dict[str, Passed]]:
    """Return counts by category and gate. A kernel in two categories counts in both."""
    places = Provenance.objects.filter(retired_at=None, source_file__repository__in=repositories)
    by = ("source_file__repository__category", "kernel__findings__gate")
    rows = places.filter(kernel__findings__isnull=False).values_list(*by).order_by(*by)
    counts: dict[str, dict[str, Passed]] = defaultdict(dict)
    for category, gate, passed, of in rows.annotate(
        passed=Count("kernel", distinct=True, filter=Q(kernel__findings__passed=True)),
        of=Count("kernel", distinct=True),
    ):
        counts[category][gate] = Passed(passed, of)
    return dict(counts)


def coverage_by_category(rows: Iterable[SourceReport]) -> dict[str, dict[str, int]]:
    """Return how many places of kernels have each kind of license evidence."""
    totals: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(COVERAGE, 0))
    for row in rows:
        for sort, count in row.licenses.items():
            totals[row.category][sort] += count
    return dict(sorted(totals.items()))


def by_category(rows: Iterable[SourceReport]) -> dict[str, dict[str, int]]:
    totals: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(SUMMED, 0))
    for row in rows:
        for column in SUMMED:
            totals[row.category][column] += getattr(row, column)
    return dict(sorted(totals.items()))


def kernels_of(repositories: QuerySet[Repository]) -> Iterator[dict[str, Any]]:
    """Yield every place of every kernel, ordered by path and line."""
    places = (
        Provenance.objects.filter(retired_at=None, source_file__repository__in=repositories)
        .select_related("source_file__repository", "kernel__license")
        .defer("kernel__function_source", "kernel__standalone_source", "kernel__launcher_source")
        .prefetch_related(
            Prefetch(
                "kernel__duplicatelinks",
                DuplicateLink.objects.select_related("of_kernel").only(
                    "kernel", "of_kernel__content_hash"
                ),
            ),
            Prefetch(
                "kernel__contaminationmatchs",
                ContaminationMatch.objects.select_related("benchmark").order_by("pk"),
            ),
        )
        .order_by("source_file__repository__name", "source_file__path", "cell", "start_line", "pk")
    )
    for place in places.iterator(chunk_size=2000):
        kernel = place.kernel
        yield {
            "repository": place.source_file.repository.name,
            "path": place.source_file.path,
            "qualname": place.qualname,
            "start": place.start_line,
            "end": place.end_line,
            "cell": place.cell,
            "kind": kernel.kind,
            "language": kernel.language,
            "container": place.container,
            "sha256": place.sha256,
            "id": kernel.content_hash,
            "status": kernel.status,
            "standalone": kernel.standalone,
            "reasons": kernel.standalone_reasons,
            "license": kernel.license.expression if kernel.license else None,
            "license_verdict": kernel.license_verdict,
            "operation_type": kernel.operation_type or None,
            "difficulty": kernel.difficulty or None,
            "tokens": kernel.tokens,
            "duplicate_of": _representative(kernel),
            "contaminated_by": [
                {
                    "benchmark": match.benchmark.name,
                    "problem": match.problem,
                    "path": match.path,
                    "method": match.method,
                    "similarity": round(match.similarity, 4),
                }
                for match in kernel.contaminationmatchs.all()
            ],
        }


def _representative(kernel: Kernel) -> str | None:
    """Return the `id` of the representative of this kernel, or None."""
    for link in kernel.duplicatelinks.all():
        return link.of_kernel.content_hash if link.of_kernel else None
    return None


def _by_repository(rows: Iterable[Mapping[str, Any]]) -> dict[int, Mapping[str, Any]]:
    key = "repository_id"
    return {row.get(key) or row[f"source_file__{key}"]: row for row in rows}


def _counts(row: Mapping[str, Any] | None, *names: str) -> dict[str, int]:
    return {name: (row[name] or 0) if row else 0 for name in names}


def _drops(repositories: QuerySet[Repository]) -> dict[int, dict[str, int]]:
    """Count drops by reason, for the newest run of each source that read it."""
    newest: dict[int, int] = {}
    runs = IngestRun.objects.filter(repository__in=repositories, state=RunState.SUCCEEDED)
    for repository, run in (
        runs.exclude(stage="unchanged").order_by("pk").values_list("repository_id", "pk")
    ):
        newest[repository] = run
    counts: dict[int, dict[str, int]] = {}
    rows = Drop.objects.filter(run__in=newest.values()).values_list("run__repository_id", "reason")
    for repository, reason, count in rows.annotate(count=Count("pk")).order_by("-count", "reason"):
        counts.setdefault(repository, {})[reason] = count
    return counts
