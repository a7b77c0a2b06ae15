"""The planned records, and their counts for manifest and card."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain
from typing import Any

from curation.evidence.places import KernelPlace
from curation.evidence.sources import ExportSource
from curation.export.coverage import Coverage
from curation.export.gates import FUNNEL, Exclusion, ExclusionReason
from curation.export.held_out import HeldOut
from curation.export.notices import Notices
from curation.export.options import ExportOptions
from curation.export.records import Record, located, record_id
from curation.export.schema import NONE
from curation.export.splits import ENOUGH_GROUPS, FIFTH, SPLITS
from curation.export.why import open_claims
from curation.models import Split

KINDS = ("pair", "kernel")


@dataclass(slots=True)
class Funnel:
    """Counts of examined items and of exclusion reasons, by kind of item."""

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
    # Records by kind, ordered by content hash.
    records: dict[str, list[Record]] = field(default_factory=lambda: {kind: [] for kind in KINDS})
    # Lines of REJECTED.jsonl, each with the kind and content hash of its item.
    rejected: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)
    # Names of all checks that were made by validations that admitted pairs.
    checks: tuple[str, ...] = ()
    # Number of items on which several people decided, by whether their newest decisions agree.
    agreement: Counter[str] = field(default_factory=Counter)
    # Accounts of the people whose approvals count.
    people: set[int | None] = field(default_factory=set)
    # Benchmarks that the records were compared with.
    coverage: Coverage = field(default_factory=Coverage)
    # Extra split of the generated pairs, if requested.
    held_out: HeldOut | None = None
    # Number of repair examples by kind of mistake, if requested.
    repairs: Counter[str] | None = None
    ladders: dict[str, int] | None = None

    def leave_out(
        self, kind: str, name: str, content_hash: str, why: Exclusion,
        places: Sequence[KernelPlace] = (),
    ) -> None:  # fmt: skip
        """Record the reason why an item is not exported, with its provenance but never its code."""
        self.funnel.reasons[kind][why.reason] += 1
        entry = {
            "id": record_id(kind, name, content_hash),
            "kind": kind,
            "name": name,
            "reason": why.reason,
            "message": why.message,
            "provenance": located(places[0], self.sources) if places else None,
        }
        self.rejected.append((kind, content_hash, entry))

    def stages(self) -> dict[str, dict[str, int]]:
        return {f"{kind}s": self.funnel.stages(kind) for kind in KINDS}


@dataclass(slots=True)
class Size:
    """Number of records, and totals over their texts."""

    records: int = 0
    lines: int = 0
    bytes: int = 0
    tokens: int = 0

    def add(self, record: Record) -> None:
        text = "".join(record.texts)
        self.records += 1
        self.lines += text.count("\n")
        self.bytes += len(text.encode("utf-8", "surrogatepass"))
        self.tokens += record.metadata["tokens"]


# Functions that return the values to count for a record, by the name of the property.
COUNTED: dict[str, Callable[[Record], Iterable[str]]] = {
    "approved by": lambda record: [record.approved_by],
    "category": lambda record: [record.metadata["category"] or NONE],
    "difficulty": lambda record: [record.metadata["difficulty"] or NONE],
    "license": lambda record: [record.metadata["license"] or NONE],
    "open claims": lambda record: open_claims(record.metadata["claims"]) or [NONE],
    "operation_type": lambda record: [record.metadata["operation_type"]],
    "origin": lambda record: [record.metadata["origin"]],
    "reviewed": lambda record: ["yes" if record.metadata["reviewed"] else "no"],
    "split": lambda record: [SPLITS[record.split].value],
}


@dataclass(slots=True)
class Statistics:
    # Number of records: kind → property → value → count.
    counts: dict[str, dict[str, Counter[str]]]
    # category → totals of the texts of its records.
    sizes: dict[str, Size]
    # kind → totals of the texts. `pallas`: totals of the kernels in Pallas.
    kinds: dict[str, Size]
    pallas: Size

    def as_json(self, kind: str) -> dict[str, dict[str, int]]:
        return {
            name: _ordered(counter)
            for name, counter in sorted(self.counts[kind].items())
            if counter
        }

    def by_category(self) -> dict[str, dict[str, int]]:
        """Return the totals of the records' texts by category, and over all categories."""
        sizes = {name: asdict(size) for name, size in sorted(self.sizes.items())}
        total = Counter[str]()
        for size in sizes.values():
            total.update(size)
        return {**sizes, "total": {what: total[what] for what in asdict(Size())}}


def count(plan: ExportPlan) -> Statistics:
    counts: dict[str, dict[str, Counter[str]]] = {}
    sizes: dict[str, Size] = defaultdict(Size)
    kinds = {kind: Size() for kind in KINDS}
    pallas = Size()
    for kind in KINDS:
        counted = dict(COUNTED)
        if kind == "pair":
            counted["validated on"] = lambda record: [record.device]
        records = plan.records[kind]
        counts[kind] = {
            name: Counter(value for record in records for value in values(record))
            for name, values in counted.items()
        }
        for record in records:
            totals = [sizes[record.metadata["category"] or NONE], kinds[kind]]
            for size in [*totals, pallas] if record.is_pallas else totals:
                size.add(record)
    return Statistics(counts, sizes, kinds, pallas)


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
        whole = len(plan.records[kind])
        rows: dict[str, Any] = {}
        remarks: list[str] = []
        off: list[str] = []
        for number, (split, requested) in enumerate(zip(SPLITS, options.splits, strict=True)):
            of_split = [record for record in plan.records[kind] if record.split == number]
            records, counts = len(of_split), _balance(of_split)
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


def _balance(records: Sequence[Record]) -> dict[str, Counter[str]]:
    """Count records by each property that splits should mix. Records without a value are left out.

    `source` counts by `Record.source`, whose share is capped.
    """
    values = {
        "operation_type": [record.metadata["operation_type"] for record in records],
        "difficulty": [record.metadata["difficulty"] for record in records],
        "recipe": [record.metadata.get("recipe") for record in records],
        "repository": [record.repository for record in records],
        "source": [record.source for record in records],
    }
    return {name: Counter(filter(None, column)) for name, column in values.items()}


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
    """A row of the mixing table: the tokens of a source, before and after weights."""

    source: str
    records: int
    tokens: int
    weighted_tokens: int


def shares(plan: ExportPlan) -> list[SourceShare]:
    """Return the rows of the mixing table, most weighted tokens first."""
    totals: dict[str, list[float]] = defaultdict(lambda: [0, 0, 0])
    for record in chain.from_iterable(plan.records.values()):
        metadata = record.metadata
        tokens = metadata["tokens"]
        for number, amount in enumerate((1, tokens, tokens * metadata["weight"])):
            totals[record.mixed_as][number] += amount
    table = [SourceShare(name, *map(round, amounts)) for name, amounts in totals.items()]
    return sorted(table, key=lambda share: (-share.weighted_tokens, share.source))
