"""The benchmarks that the records of an export were compared with, and those that they were not.

An export claims nothing that was not compared: the card, the manifest and the command line say the
same sentences, and a release is refused as long as a comparison is missing.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import PurePath
from typing import Any

from django.db.models import Count

from curation.errors import CurationError
from curation.evidence import benchmarks
from curation.export.options import Options
from curation.models import Fingerprint, OperationOverlap

BATCH = 10_000


class NotComparedError(CurationError):
    """A release would hold records whose overlap with benchmarks is unknown."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A benchmark that records were compared with."""

    name: str
    commit: str
    license: str
    problems: int
    texts: int
    """All that was compared: the problems, and the rest of the repository."""


@dataclass(frozen=True, slots=True)
class Coverage:
    version: str = Fingerprint.NO_BENCHMARKS
    compared: tuple[Compared, ...] = ()
    missing: tuple[str, ...] = ()
    """The registered benchmarks that nothing was compared with."""
    records: int = 0
    left_out: int = 0
    """Records that were not compared with these benchmarks, but never, or with earlier ones."""
    pairs: int = 0
    same_operation: int = 0
    """Pairs that ask for the operations of a benchmark problem."""
    rest: str = ""
    """The part of the texts that was not compared in any record."""

    @property
    def complete(self) -> bool:
        return bool(self.compared) and not (self.missing or self.left_out or self.rest)

    def sentences(self) -> list[str]:
        """Yield sentences on the overlaps with benchmarks that are known, and on the rest."""
        said = []
        if not self.compared:
            said.append("No benchmark was compared: overlap is unknown.")
        elif self.complete:
            said.append("Nothing that overlaps a registered benchmark is in any split.")
        else:
            names = ", ".join(one.name for one in self.compared)
            said.append(f"The benchmarks that were compared: {names}.")
        if self.missing:
            said.append(f"Not compared: {', '.join(self.missing)}. Overlap with it is unknown.")
        if self.compared and self.left_out:
            said.append(
                f"{self.left_out:,} of {self.records:,} records were not compared with "
                "these benchmarks: their overlap is unknown."
            )
        if self.compared and self.rest:
            said.append(f"{self.rest} not compared: overlap of it is unknown.")
        if self.compared and self.pairs:
            said.append(
                f"{self.same_operation:,} of {self.pairs:,} pairs ask for the same "
                "operation as a benchmark problem."
            )
        return said

    def as_json(self) -> dict[str, Any]:
        return {
            **asdict(self),
            "compared": [asdict(one) for one in self.compared],
            "missing": list(self.missing),
            "sentences": self.sentences(),
        }


def cover(keys: Mapping[str, Sequence[int]], options: Options) -> Coverage:
    """Return what the chosen items were compared with. `keys`: primary keys by kind."""
    current = benchmarks.current()
    versions: Counter[str] = Counter()
    for kind, every in keys.items():
        for some in _batches(every):
            rows = Fingerprint.objects.filter(**{f"{kind}__among": some}).order_by()
            for version, times in rows.values_list("compared_with").annotate(Count("pk")):
                versions[version] += times
    same = sum(
        OperationOverlap.objects.filter(pair__among=some).values("pair").distinct().count()
        for some in _batches(keys["pair"])
    )
    # A kernel may stand for several files.
    records = sum(len(set(every)) for every in keys.values())
    return Coverage(
        current.version,
        tuple(
            Compared(
                _shown(one.repository),
                one.commit,
                one.license,
                sum(problem.is_task for problem in one.problems),
                len(one.problems),
            )
            for one in current.held
        ),
        tuple(map(_shown, benchmarks.not_held())),
        records,
        records - versions[current.version],
        len(keys["pair"]),
        same,
        _rest(options) if keys["kernel"] else "",
    )


def check_release(name: str, coverage: Coverage) -> None:
    """Refuse a release with a missing comparison, in a sentence that says what to do."""
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


def _rest(options: Options) -> str:
    if options.unit == "file":
        return "The rest of a kernel's file was"
    return "Launchers of kernels were" if options.with_launcher else ""


def _batches(keys: Sequence[int]) -> list[list[int]]:
    every = sorted(set(keys))
    return [every[start : start + BATCH] for start in range(0, len(every), BATCH)]


def _shown(name: str) -> str:
    """The name of a benchmark. A folder is named without its path, which tells of its machine."""
    return f"local/{PurePath(name).name}" if PurePath(name).is_absolute() else name
