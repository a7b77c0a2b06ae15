"""The benchmarks that items are compared with: shipped fingerprints and ingested benchmarks.

A new installation compares with the shipped files, without network access. Once a benchmark was
ingested, its fingerprints replace the shipped file, because they are newer.
"""

import functools
import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from curation.evidence.benchmark_files import (
    PYTHON,
    RULES,
    SUFFIX,
    BenchmarkFingerprints,
    BenchmarkProblem,
    fingerprint_benchmark,
    read_fingerprints,
)
from curation.evidence.subjects import chunks
from curation.models import (
    Fingerprint,
    IngestRun,
    Provenance,
    Repository,
    Role,
    RunState,
    SourceFile,
    SourceText,
)
from curation.similarity.contamination import BenchmarkMatch, Index, index, matches
from curation.sources.load import load_sources, url_of


@dataclass(frozen=True, slots=True, eq=False)
class Benchmarks:
    version: str
    held: tuple[BenchmarkFingerprints, ...]
    rows: Mapping[str, int]
    """Primary key of each benchmark's repository by name, if there is a row."""
    index: Index
    problems: Mapping[str, BenchmarkProblem]
    """Problems by their key."""
    by_chain: Mapping[str, tuple[BenchmarkProblem, ...]]
    """Problems by the hash of their operations."""

    def matches(self, texts: list[str]) -> list[tuple[BenchmarkProblem, BenchmarkMatch]]:
        return [(self.problems[match.problem], match) for match in matches(texts, self.index)]


@dataclass(frozen=True, slots=True)
class _Held:
    """A benchmark that items can be compared with."""

    name: str
    digest: str
    row: int | None
    shipped: Path | None
    """File of its fingerprints. None for an ingested benchmark, which has them in the database."""
    commit: str = ""
    license: str = ""


def current() -> Benchmarks:
    """Return the current benchmarks, cached until their version changes."""
    return _built(_held())


def version() -> str:
    """Return a hash of all benchmarks, or `NO_BENCHMARKS`."""
    return _version(_held())


def not_held() -> list[str]:
    """Return the names of the registered benchmarks without fingerprints."""
    held = {one.row for one in _held()}
    rows = Repository.objects.benchmarks().order_by("name").values_list("pk", "name")
    return [name for pk, name in rows if pk not in held]


def being_read() -> bool:
    """Return True if an ingest of a benchmark is running."""
    return IngestRun.objects.filter(
        repository__in=Repository.objects.benchmarks(), state=RunState.RUNNING
    ).exists()


def register_shipped() -> None:
    """Add missing repository rows of shipped benchmarks, because matches refer to these rows."""
    missing = {one.name for one in _held() if one.row is None}
    if not missing:
        return
    try:
        load_sources(names=missing)
        with transaction.atomic():
            for name in sorted(missing):
                values = {"url": url_of(name), "role": Role.BENCHMARK}
                Repository.objects.get_or_create(name=name, defaults=values)
    except IntegrityError:
        # Another worker has added the same rows in the meantime.
        return


def _version(held: tuple[_Held, ...]) -> str:
    if not held:
        return Fingerprint.NO_BENCHMARKS
    named = [RULES, *((one.name, one.digest) for one in held)]
    return hashlib.sha256(json.dumps(named).encode()).hexdigest()


def _held() -> tuple[_Held, ...]:
    """Return every ingested benchmark, and the shipped file of each other benchmark.

    A repository to which an admin gave another role is no benchmark, even if a file is shipped.
    """
    columns = ("pk", "name", "url", "role", "last_commit", "expected_license")
    rows = list(Repository.objects.order_by("pk").values_list(*columns))
    digests = _digests_of_ingested()
    benchmarks = [
        _Held(name, digests[pk], pk, None, commit, license)
        for pk, name, _, _, commit, license in rows
        if pk in digests
    ]
    known = {place: (pk, role) for pk, name, url, role, *_ in rows for place in (name, url)}
    for name, digest, path in _shipped():
        pk, role = known.get(name) or known.get(url_of(name)) or (None, Role.BENCHMARK)
        if role == Role.BENCHMARK and pk not in digests:
            benchmarks.append(_Held(name, digest, pk, path))
    return tuple(sorted(benchmarks, key=lambda one: one.name))


def _digests_of_ingested() -> dict[int, str]:
    """Return a hash of the files of each ingested benchmark, by primary key."""
    files = SourceFile.objects.filter(
        repository__in=Repository.objects.benchmarks(), retired_at=None
    )
    digests: dict[int, Any] = defaultdict(hashlib.sha256)
    ordered = files.order_by("repository_id", "path")
    for repository, path, sha256 in ordered.values_list("repository_id", "path", "sha256"):
        digests[repository].update(f"{path}\0{sha256}\n".encode("utf-8", "surrogatepass"))
    return {repository: digest.hexdigest() for repository, digest in digests.items()}


def _shipped() -> Iterator[tuple[str, str, Path]]:
    """Yield name, hash and path of each shipped file that was made by the current rules."""
    folder = Path(settings.BENCHMARK_FINGERPRINTS)
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        name, rules, digest = _label(path, path.stat().st_mtime_ns)
        if rules == RULES:
            yield name, digest, path


@functools.lru_cache(maxsize=64)
def _label(path: Path, modified: int) -> tuple[str, str, str]:
    """Return repository, rules and hash of a file. They are cached until the file changes."""
    fingerprints = read_fingerprints(path)
    return (
        fingerprints.repository,
        fingerprints.rules,
        hashlib.sha256(path.read_bytes()).hexdigest(),
    )


@functools.lru_cache(maxsize=1)
def _built(held: tuple[_Held, ...]) -> Benchmarks:
    every = tuple(map(_fingerprints, held))
    problems = {problem.key: problem for benchmark in every for problem in benchmark.problems}
    by_chain: defaultdict[str, list[BenchmarkProblem]] = defaultdict(list)
    for problem in problems.values():
        if problem.chain_hash:
            by_chain[problem.chain_hash].append(problem)
    return Benchmarks(
        version=_version(held),
        held=every,
        rows={benchmark.name: benchmark.row for benchmark in held if benchmark.row is not None},
        index=index(part for benchmark in every for part in benchmark.parts),
        problems=problems,
        by_chain={chain: tuple(asking) for chain, asking in by_chain.items()},
    )


def _fingerprints(held: _Held) -> BenchmarkFingerprints:
    if held.shipped is not None:
        return read_fingerprints(held.shipped)
    files = SourceFile.objects.filter(repository=held.row, retired_at=None)
    # Kernels may also be in files that are not Python modules, such as Markdown.
    places = Provenance.objects.filter(source_file__in=files, retired_at=None).order_by("pk")
    for kind in PYTHON:
        places = places.exclude(source_file__path__endswith=kind)
    kernels = places.values_list("source_file__path", "qualname", "kernel__function_source")
    return fingerprint_benchmark(
        held.name, held.commit, held.license, _texts(files), kernels.iterator()
    )


def _texts(files: QuerySet[SourceFile]) -> Iterator[tuple[str, str]]:
    """Yield the paths and texts of files."""
    for chunk in chunks(files.order_by("pk").values_list("path", "sha256")):
        wanted = {sha256 for _, sha256 in chunk}
        texts = dict(SourceText.objects.filter(sha256__among=wanted).values_list("sha256", "text"))
        for path, sha256 in chunk:
            if sha256 in texts:
                yield path, texts[sha256]
