"""The benchmarks as texts to compare with: every file of each, in its own words."""

import functools
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from django.db.models import QuerySet

from curation.evidence.subjects import chunks
from curation.models import (
    Fingerprint,
    IngestRun,
    Provenance,
    Repository,
    RunState,
    SourceFile,
    SourceText,
)
from curation.similarity.contamination import BenchmarkText, Index, Match, index, matches

# Raise it when the same benchmarks and items give other matches.
RULES = 1
PYTHON = (".py", ".pyi")
TABLES = (".json", ".jsonl")
CODE = re.compile(r"^[ \t]*(?:def |class |@)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Problem:
    benchmark: int
    """The repository's key."""
    name: str
    path: str


@dataclass(frozen=True, slots=True, eq=False)
class Benchmarks:
    version: str
    index: Index
    problems: dict[str, Problem]

    def matches(self, texts: list[str]) -> list[tuple[Problem, Match]]:
        return [(self.problems[found.problem], found) for found in matches(texts, self.index)]


def current() -> Benchmarks:
    """What the benchmarks hold now; made once a process as long as they hold the same."""
    return _read(version())


def version() -> str:
    """Names what the benchmarks hold."""
    held = _files().order_by("repository", "path").values_list("repository", "path", "sha256")
    files = list(held)
    if not files:
        return Fingerprint.NO_BENCHMARKS
    return hashlib.sha256(json.dumps([RULES, files]).encode()).hexdigest()


def being_read() -> bool:
    """Whether an ingest is changing what a benchmark holds at this moment."""
    return IngestRun.objects.filter(
        repository__in=Repository.objects.benchmarks(), state=RunState.RUNNING
    ).exists()


@functools.lru_cache(maxsize=1)
def _read(version: str) -> Benchmarks:
    problems: dict[str, Problem] = {}
    texts: list[BenchmarkText] = []
    tables: list[BenchmarkText] = []
    for number, (problem, text, from_table) in enumerate(_texts()):
        found = BenchmarkText(str(number), problem.path, text)
        problems[found.problem] = problem
        (tables if from_table else texts).append(found)
    # Tables mostly repeat the files beside them, and a shingle that many problems hold counts as
    # nobody's: what is known already must not be taken in again.
    known = index(texts)
    new = [each for each in tables if not matches(each.text, known)]
    return Benchmarks(version, index([*texts, *new]) if new else known, problems)


def _files() -> QuerySet[SourceFile]:
    return SourceFile.objects.filter(
        repository__in=Repository.objects.benchmarks(), retired_at=None
    )


def _texts() -> Iterator[tuple[Problem, str, bool]]:
    """Each text with its problem, and whether it stands in a table of many."""
    files = {
        pk: (repository, path, sha256)
        for pk, repository, path, sha256 in _files().values_list(
            "pk", "repository_id", "path", "sha256"
        )
    }
    for chunk in chunks(files):
        wanted = {files[pk][2] for pk in chunk}
        texts = dict(SourceText.objects.filter(sha256__among=wanted).values_list("sha256", "text"))
        for pk in chunk:
            repository, path, sha256 = files[pk]
            name = str(PurePosixPath(path).with_suffix(""))
            if sha256 not in texts:
                continue
            if path.endswith(PYTHON):
                yield Problem(repository, name, path), texts[sha256], False
            elif path.endswith(TABLES):
                for number, code in enumerate(_code_in(texts[sha256]), start=1):
                    yield Problem(repository, f"{name}:{number}", path), code, True
    yield from _kernels_elsewhere()


def _kernels_elsewhere() -> Iterator[tuple[Problem, str, bool]]:
    """Kernels in what is no module, such as Markdown."""
    places = Provenance.objects.filter(source_file__in=_files(), retired_at=None).order_by("pk")
    for kind in PYTHON:
        places = places.exclude(source_file__path__endswith=kind)
    for repository, path, qualname, text in places.values_list(
        "source_file__repository_id", "source_file__path", "qualname", "kernel__function_source"
    ):
        yield Problem(repository, f"{path}:{qualname}", path), text, False


def _code_in(table: str) -> Iterator[str]:
    """The texts in a table that hold Python, each once."""
    seen: set[str] = set()
    pending = list(_values(table))
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            pending.extend(reversed(value.values()))
        elif isinstance(value, list):
            pending.extend(reversed(value))
        elif isinstance(value, str) and value not in seen and CODE.search(value):
            seen.add(value)
            yield value


def _values(table: str) -> Iterator[object]:
    """The table's one value, or that of each line; what is no JSON holds none."""
    try:
        yield json.loads(table)
    except (ValueError, RecursionError):
        for line in table.splitlines():
            try:
                yield json.loads(line)
            except (ValueError, RecursionError):
                continue
