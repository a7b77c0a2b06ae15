"""The planned records in columns, and their counts for manifest and card."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from curation.evidence.sources import ExportSource
from curation.export.coverage import Coverage
from curation.export.gates import FUNNEL, ExclusionReason
from curation.export.held_out import HeldOut
from curation.export.notices import Notices
from curation.export.options import ExportOptions
from curation.export.schema import NONE, PALLAS, RecordProfile
from curation.export.splits import ENOUGH_GROUPS, FIFTH, SPLITS
from curation.export.spool import PLACE
from curation.export.training.ladders import Ladders
from curation.export.training.repairs import Repairs
from curation.models import PairOrigin, Split

KINDS = ("pair", "kernel")
ORIGINS = tuple(PairOrigin.values)
COUNTED_BY_SPLIT = ("operation_type", "difficulty", "recipe", "repository", "source")

# A selected item: some 60 bytes, to keep a million in memory.
ROW = np.dtype(
    [
        *PLACE,
        ("pk", "i8"),
        ("tokens", "u4"),
        ("source", "i4"),  # primary key of the repository that it is counted under, or 0
        ("origin", "i1"),  # index into `ORIGINS`
        ("weight", "f8"),
        ("profile", "u4"),  # index into `ExportPlan.profiles`
        ("lines", "u4"),  # number of lines in the texts of the item
        ("bytes", "u4"),
        ("known", "i1"),  # its split in earlier exports, or FREE
        ("split", "i1"),
    ]
)
Rows = NDArray[Any]


@dataclass(slots=True)
class Funnel:
    """Counts of examined items and of reasons, by kind."""

    seen: Counter[str] = field(default_factory=Counter)
    reasons: dict[str, Counter[ExclusionReason]] = field(
        default_factory=lambda: defaultdict(Counter)
    )

    def stages(self, kind: str) -> dict[str, int]:
        """Count the items that reached each stage. `found` counts all that the filter matched."""
        remaining = self.seen[kind]
        stages = {"found": remaining}
        for stage, reasons in FUNNEL:
            remaining -= sum(self.reasons[kind][reason] for reason in reasons)
            stages[stage] = remaining
        return stages

    def left_out(self) -> Counter[ExclusionReason]:
        return sum((self.reasons[kind] for kind in KINDS), Counter[ExclusionReason]())


@dataclass(slots=True)
class ExportPlan:
    """The records of an export and their splits, before any file is written."""

    sources: dict[int, ExportSource]
    notices: Notices
    funnel: Funnel
    # By kind, ordered by content hash.
    rows: dict[str, Rows] = field(default_factory=dict)
    profiles: list[RecordProfile] = field(default_factory=list)
    # Items on which several people decided, by whether they agreed in the end.
    agreement: Counter[str] = field(default_factory=Counter)
    # Accounts of persons whose approvals count.
    people: set[int | None] = field(default_factory=set)
    # Benchmarks that the records were compared with.
    coverage: Coverage = field(default_factory=Coverage)
    # Extra split of the generated pairs, if requested.
    held_out: HeldOut | None = None
    repairs: Repairs | None = None
    ladders: Ladders | None = None

    def stages(self) -> dict[str, dict[str, int]]:
        return {f"{kind}s": self.funnel.stages(kind) for kind in KINDS}

    def checks(self) -> tuple[str, ...]:
        """Return the names of all checks of the validations that admitted the pairs."""
        every = (profile.checks for profile, _ in occurring(self.rows["pair"], self.profiles))
        return tuple(sorted(set(chain.from_iterable(every))))


def occurring(rows: Rows, profiles: Sequence[RecordProfile]) -> list[tuple[RecordProfile, int]]:
    """Return the profiles of these records with their counts."""
    numbers, times = np.unique(rows["profile"], return_counts=True)
    return [(profiles[n], count) for n, count in zip(numbers.tolist(), times.tolist(), strict=True)]


@dataclass(slots=True)
class Size:
    """Totals of texts."""

    records: int = 0
    lines: int = 0
    bytes: int = 0
    tokens: int = 0


@dataclass(slots=True)
class Statistics:
    # kind → property → value → count.
    counts: dict[str, dict[str, Counter[str]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(Counter))
    )
    tokens: Counter[str] = field(default_factory=Counter)
    # category → totals of its texts.
    sizes: dict[str, Size] = field(default_factory=lambda: defaultdict(Size))
    # Kernels in Pallas.
    pallas: Size = field(default_factory=Size)

    def count(self, kind: str, rows: Rows, profiles: Sequence[RecordProfile]) -> None:
        counts = self.counts[kind]
        for profile, times in occurring(rows, profiles):
            counts["operation_type"][profile.operation_type] += times
            counts["difficulty"][profile.difficulty or NONE] += times
            counts["license"][profile.license or NONE] += times
            counts["origin"][profile.origin] += times
            counts["category"][profile.category or NONE] += times
            counts["reviewed"]["yes" if profile.reviewed else "no"] += times
            counts["approved by"][profile.approved_by] += times
            for topic in profile.open_claims or ("none",):
                counts["open claims"][topic] += times
            if kind == "pair":
                counts["validated on"][profile.device] += times
        for split, times in enumerate(np.bincount(rows["split"]).tolist()):
            if times:
                counts["split"][SPLITS[split]] = times
        self.tokens[kind] = int(rows["tokens"].sum())
        self._measure(rows, profiles)

    def _measure(self, rows: Rows, profiles: Sequence[RecordProfile]) -> None:
        numbers = rows["profile"]
        # These sums are exact integers up to 2 to the 53.
        lines, sizes, tokens = (
            np.bincount(numbers, rows[column]).astype(np.int64).tolist()
            for column in ("lines", "bytes", "tokens")
        )
        for number, times in enumerate(np.bincount(numbers).tolist()):
            if times:
                profile = profiles[number]
                counted = [self.sizes[profile.category or NONE]]
                if profile.language == PALLAS:
                    counted.append(self.pallas)
                for size in counted:
                    size.records += times
                    size.lines += lines[number]
                    size.bytes += sizes[number]
                    size.tokens += tokens[number]

    def as_json(self, kind: str) -> dict[str, dict[str, int]]:
        return {name: _ordered(counter) for name, counter in sorted(self.counts[kind].items())}

    def by_category(self) -> dict[str, dict[str, int]]:
        """Return the totals of the records' texts, by category and in all."""
        sizes = {name: asdict(size) for name, size in sorted(self.sizes.items())}
        whole = {
            what: sum(size[what] for size in sizes.values())
            for what in ("records", "lines", "bytes", "tokens")
        }
        return {**sizes, "total": whole}


# --- Splits ----------------------------------------------------------------------------------
SPLIT_RULE = (
    "The items of a group are in one split. These are grouped: near-duplicates; versions of one "
    "item; a pair and the kernel that it was drafted from; pairs with the same operations in the "
    "same order in their Python code; pairs with Python code of nearly the same structure (names "
    "and numbers ignored, a Jaccard similarity of 0.8 over runs of five tokens). A recipe is not "
    "a group. Each operation type follows the requested shares as near as whole groups allow. Each "
    f"operation type and each difficulty with at least {ENOUGH_GROUPS} groups is in every "
    "split. No recipe or repository (or origin, for items without either) fills more than a fifth "
    "of validation or of test, if there are others to fill it with."
)


def split_tables(plan: ExportPlan, options: ExportOptions) -> dict[str, dict[str, Any]]:
    """Return the requested and the actual splits of each kind of record."""
    result: dict[str, dict[str, Any]] = {}
    for kind in KINDS:
        whole = len(plan.rows[kind])
        rows: dict[str, Any] = {}
        remarks: list[str] = []
        off: list[str] = []
        counted = _by_split(plan.rows[kind], plan.profiles)
        for split, requested, counts in zip(SPLITS, options.splits, counted, strict=True):
            records = sum(counts["operation_type"].values())
            if whole and abs(records / whole - requested / 100) > 0.01:
                off.append(split.value)
            rows[split.value] = {
                "asked": requested / 100,
                "records": records,
                "share": round(records / (whole or 1), 6),
                "operation_type": _ordered(counts["operation_type"]),
                "difficulty": _ordered(counts["difficulty"]),
                "recipe": _largest(counts["recipe"], records),
                "repository": _largest(counts["repository"], records),
            }
            name, most = max(counts["source"].items(), key=lambda c: (c[1], c[0]), default=("", 0))
            if split != Split.TRAIN and most > max(1, FIFTH * records):
                remarks.append(
                    f"In {split.value}, {name} fills {most / records:.0%}: there are too few "
                    "records of other recipes, repositories and origins to fill it with."
                )
        if off:
            remarks.insert(
                0,
                f"The shares of {', '.join(off)} are more than 1% off. Groups of related records "
                "stay whole, and records stay where an earlier export put them.",
            )
        result[f"{kind}s"] = {**rows, "remark": " ".join(remarks) or None}
    return result


def _by_split(rows: Rows, profiles: Sequence[RecordProfile]) -> Iterator[dict[str, Counter[str]]]:
    """Count the records of each split by operation type, difficulty, recipe and repository.

    `source` counts by the sources that are capped. Records without a value are not counted.
    """
    for split in range(len(SPLITS)):
        counts: dict[str, Counter[str]] = {name: Counter() for name in COUNTED_BY_SPLIT}
        for profile, times in occurring(rows[rows["split"] == split], profiles):
            for name, counter in counts.items():
                if value := getattr(profile, name):
                    counter[value] += times
        yield counts


def _ordered(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _largest(counts: Counter[str], records: int) -> dict[str, Any]:
    ordered = _ordered(counts)
    return {
        "number": len(ordered),
        "largest_share": round(max(ordered.values(), default=0) / (records or 1), 6),
        "top_ten": dict(list(ordered.items())[:10]),
    }


# --- Mixing ----------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class SourceShare:
    """Tokens of a source, plain and weighted: a row of the mixing table."""

    source: str
    records: int
    tokens: int
    weighted_tokens: int


def shares(plan: ExportPlan) -> list[SourceShare]:
    """Return the sources, the heaviest first."""
    totals: dict[str, list[int]] = {}
    for kind in KINDS:
        rows = plan.rows[kind]
        both = rows["source"].astype(np.int64) * len(ORIGINS) + rows["origin"]
        keys, group = np.unique(both, return_inverse=True)
        figures = (
            np.bincount(group, minlength=len(keys)),
            np.bincount(group, rows["tokens"], len(keys)),
            np.bincount(group, rows["tokens"] * rows["weight"], len(keys)),
        )
        for key, *counts in zip(keys.tolist(), *(f.tolist() for f in figures), strict=True):
            source, origin = divmod(key, len(ORIGINS))
            total = totals.setdefault(_source_name(source, origin, plan.sources), [0, 0, 0])
            for number, count in enumerate(counts):
                total[number] += round(count)
    table = [SourceShare(name, *counts) for name, counts in totals.items()]
    return sorted(table, key=lambda share: (-share.weighted_tokens, share.source))


def _source_name(source: int, origin: int, sources: Mapping[int, ExportSource]) -> str:
    return sources[source].name if source else ORIGINS[origin]
