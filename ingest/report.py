"""Report of each source: its files, its kernels, and the drops with their reasons."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from django.db.models import Aggregate, Count, Exists, OuterRef, Prefetch, Q, QuerySet, Sum

from curation.models import (
    ContaminationMatch,
    Drop,
    DuplicateLink,
    IngestRun,
    Kind,
    Language,
    Provenance,
    Repository,
    RunState,
    SourceFile,
)
from ingest.git.globs import matching_any

# Columns whose values are added up over the sources of a category.
SUMMED = ("files", "lines", "bytes", "tokens", "kernels", "entry", "helper", "standalone")

_holds_a_kernel = Exists(Provenance.objects.filter(source_file=OuterRef("pk"), retired_at=None))
OF_FILES: dict[str, Aggregate] = {
    # This entry precedes `tokens`, because that annotation hides the column of the same name.
    "kernel_file_tokens": Sum("tokens", filter=_holds_a_kernel),
    "files": Count("pk"),
    "lines": Sum("lines"),
    "bytes": Sum("size"),
    "tokens": Sum("tokens"),
}
OF_KERNELS: dict[str, Aggregate] = {
    "kernels": Count("pk"),
    "entry": Count("pk", filter=Q(kernel__kind=Kind.ENTRY)),
    "helper": Count("pk", filter=Q(kernel__kind=Kind.HELPER)),
    "gluon": Count("pk", filter=Q(kernel__language=Language.GLUON)),
    "pallas": Count("pk", filter=Q(kernel__language=Language.PALLAS)),
    "standalone": Count("pk", filter=Q(kernel__standalone=True)),
}
# Counts of provenance rows by license evidence, in the order of the coverage table.
COVERAGE: dict[str, Aggregate] = {
    "valid": Count("pk", filter=Q(license_verdict="permissive", license_inherited=False)),
    "inherited": Count("pk", filter=Q(license_verdict="permissive", license_inherited=True)),
    **{
        verdict: Count("pk", filter=Q(license_verdict=verdict))
        for verdict in ("unknown", "conflict", "blocked")
    },
}


@dataclass(frozen=True, slots=True)
class SourceReport:
    """Counts of one source. Retired rows are left out."""

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
    # Tokens in files that contain a kernel. `tokens` counts those of all read files.
    kernel_file_tokens: int = 0
    estimated_tokens: tuple[int, int] | None = None
    # For each pattern, whether a read file matches it. The most important pattern is first.
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
    """Yield a report of each source, in query order."""
    files = _counts(
        SourceFile.objects.filter(retired_at=None, repository__in=repositories),
        "repository_id",
        OF_FILES,
    )
    kernels = _counts(
        Provenance.objects.filter(retired_at=None, source_file__repository__in=repositories),
        "source_file__repository_id",
        OF_KERNELS | COVERAGE,
    )
    drops = _drops(repositories)
    for repository in repositories:
        of_kernels = kernels[repository.pk]
        low, high = repository.estimated_tokens_low, repository.estimated_tokens_high
        yield SourceReport(
            repository=repository.name,
            category=repository.category,
            role=repository.role,
            commit=repository.last_commit,
            **files[repository.pk],
            **{name: of_kernels[name] for name in OF_KERNELS},
            estimated_tokens=None if low is None or high is None else (low, high),
            key_files=_key_files(repository),
            licenses={name: of_kernels[name] for name in COVERAGE},
            drops=drops[repository.pk],
        )


def _key_files(repository: Repository) -> dict[str, bool]:
    """Return each key file of a repository with whether a read file matches it."""
    if not repository.key_files:
        return {}
    paths = repository.files.filter(retired_at=None).values_list("path", flat=True)
    return {pattern: any(map(matching_any([pattern]), paths)) for pattern in repository.key_files}


class Passed(NamedTuple):
    """Number of kernels that passed a gate, and of kernels that the gate checked."""

    passed: int
    of: int


def quality(repositories: QuerySet[Repository]) -> dict[str, dict[str, Passed]]:
    """Return counts by category and gate. A kernel in two categories is counted in both."""
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


def by_category(rows: Iterable[SourceReport]) -> dict[str, dict[str, int]]:
    return _sums((row.category, {name: getattr(row, name) for name in SUMMED}) for row in rows)


def coverage_by_category(rows: Iterable[SourceReport]) -> dict[str, dict[str, int]]:
    """Count the kernels' provenance rows for each category, by license evidence."""
    return _sums((row.category, row.licenses) for row in rows)


def _sums(rows: Iterable[tuple[str, Mapping[str, int]]]) -> dict[str, dict[str, int]]:
    sums: dict[str, dict[str, int]] = {}
    for category, counts in rows:
        total = sums.setdefault(category, dict.fromkeys(counts, 0))
        for name, count in counts.items():
            total[name] += count
    return dict(sorted(sums.items()))


def kernels_of(repositories: QuerySet[Repository]) -> Iterator[dict[str, Any]]:
    """Yield a record for each provenance row, ordered by repository, path and line."""
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
        kernel, links = place.kernel, place.kernel.duplicatelinks.all()
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
            "duplicate_of": next(
                (link.of_kernel.content_hash for link in links if link.of_kernel), None
            ),
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


def _counts(
    rows: QuerySet[Any], key: str, columns: Mapping[str, Aggregate]
) -> defaultdict[int, dict[str, int]]:
    """Count rows by repository. A repository without rows gets zeros."""
    counts: defaultdict[int, dict[str, int]] = defaultdict(lambda: dict.fromkeys(columns, 0))
    for row in rows.order_by().values(key).annotate(**columns):
        counts[row[key]] = {name: row[name] or 0 for name in columns}
    return counts


def _drops(repositories: QuerySet[Repository]) -> defaultdict[int, dict[str, int]]:
    """Count drops by reason, in the newest successful run of each source that read files."""
    runs = IngestRun.objects.filter(repository__in=repositories, state=RunState.SUCCEEDED)
    runs = runs.exclude(stage="unchanged").order_by("pk")
    newest = dict(runs.values_list("repository_id", "pk"))
    counts: defaultdict[int, dict[str, int]] = defaultdict(dict)
    rows = Drop.objects.filter(run__in=newest.values()).values_list("run__repository_id", "reason")
    for repository, reason, count in rows.annotate(count=Count("pk")).order_by("-count", "reason"):
        counts[repository][reason] = count
    return counts
