"""Kernels and pairs with the facts for gates and records, read in batches inside one snapshot.

All reads of an export see the same state, even if rows are written meanwhile. Without a snapshot, a
license could be blocked after a record was admitted, and before its texts are read.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from django.db import connection, transaction
from django.db.models import QuerySet

from curation.evidence.grades import ValidationRow, deciding, validations_of
from curation.evidence.places import DraftedPlaces, KernelPlace, places_of
from curation.evidence.sources import ExportSource
from curation.export.approvals import APPROVED, PERSON, DecisionRow, approved_by, decisions_of
from curation.export.options import ExportOptions
from curation.models import (
    Agreement,
    ContaminationMatch,
    DuplicateLink,
    Fingerprint,
    Kernel,
    Pair,
    PairOrigin,
    SecondReview,
)

BATCH = 1000

# Paths of a local machine, which compilers leave in generated text.
LOCAL_PATH = re.compile(r"/(?:home|Users|root)/\w|/tmp/|torchinductor_\w")

PAIR_TEXTS = ("python_code", "triton_code", "test_code")


@contextmanager
def db_snapshot() -> Iterator[None]:
    """Open a snapshot for reading. Within a transaction, use the transaction's view instead."""
    if connection.in_atomic_block:
        yield
        return
    if connection.vendor != "sqlite":
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
        return
    with connection.cursor() as cursor:
        try:
            # A transaction opened by Django would take the write lock.
            cursor.execute("BEGIN DEFERRED")
            # The snapshot starts with the first read, not with BEGIN.
            cursor.execute("SELECT 1 FROM django_migrations LIMIT 1").fetchone()
            yield
        finally:
            cursor.execute("ROLLBACK")


@dataclass(slots=True)
class ExportItem:
    """A kernel, a pair, or a file of kernels, with the facts for its gates and its record."""

    kind: str
    name: str
    content_hash: str
    license: str | None
    tokens: int
    origin: str
    # The columns of the item's row, by name. A file has the row of one of its kernels.
    row: Mapping[str, Any]
    # Its current and earlier places in repositories. The first one is the place to export from.
    places: Sequence[KernelPlace]
    # The text of a kernel or file, or the three texts of a pair.
    texts: Sequence[str]
    hardware: list[str]
    lines: int = 0
    decisions: Sequence[DecisionRow] = ()
    # None if the item is a kernel, because kernels need no validation.
    validations: Sequence[ValidationRow] | None = None
    local_path: bool = False
    # Its representative's name, the name of a benchmark that it overlaps, and its opt-out; or "".
    duplicate_of: str = ""
    contaminated_by: str = ""
    opted_out: str = ""
    # None if it was never compared. "" if it was compared with other items, but with no benchmark.
    # Otherwise the hash of the benchmarks with which it was compared.
    compared_with: str | None = None
    # True if a second review differs from the first one, and the dispute is not settled.
    disputed: bool = False
    # The kernels of a file.
    parts: Sequence["ExportItem"] = ()
    # The decision on which the item's approval is based.
    approver: DecisionRow | None = field(init=False)
    # The newest validation on the best device.
    validation: ValidationRow | None = field(init=False)
    # Kind of the actor that approved the item. Empty if the item is not approved.
    approved_by: str = field(init=False)

    def __post_init__(self) -> None:
        self.approver = approved_by(self.decisions, self.content_hash)
        self.validation = deciding(self.validations) if self.validations else None
        approvals = {part.approved_by for part in self.parts}
        if not approvals:
            approved = self.approver if self.row["status"] == APPROVED else None
            approvals = {approved.actor if approved else ""}
        # A file counts as approved by a person only if a person approved each of its kernels.
        self.approved_by = min(approvals - {PERSON}, default=PERSON)

    @property
    def pk(self) -> int:
        pk: int = self.row["pk"]
        return pk

    @property
    def source(self) -> int:
        """Return the key of the repository under which the item is counted, or 0."""
        return self.places[0].source if self.places else 0

    @property
    def reviewed(self) -> bool:
        """Return whether a person approved the item."""
        return self.approved_by == PERSON


_COLUMNS = (
    "pk", "content_hash", "status", "license_verdict", "license__expression", "license__verdict",
    "tokens", "tags", "operation_type", "difficulty", "hardware", "min_triton",
)  # fmt: skip
_KERNEL = (*_COLUMNS, "name", "standalone", "kind", "language", "lines")
_PAIR = (
    *_COLUMNS, "slug", "origin", "kernel_id", "entry_point", "differentiable", "recipe", "metadata",
    "ladder", "rung", "description",
)  # fmt: skip


def kernels(
    items: QuerySet[Kernel], sources: Mapping[int, ExportSource], texts: Sequence[str] = ()
) -> Iterator[list[ExportItem]]:
    """Yield kernels in batches by primary key. texts: columns whose text is read too."""
    for batch in _batches(items, (*_KERNEL, *texts)):
        pks = frozenset([row["pk"] for row in batch])
        places = places_of(pks, sources)
        local = _with_local_paths(pks, places, sources)
        facts = _Facts("kernel", pks)
        yield [
            facts.item(
                row, places.get(row["pk"], ()), sources, name=row["name"], lines=row["lines"],
                texts=[joined([row[text] for text in texts])], local_path=row["pk"] in local,
            )
            for row in batch
        ]  # fmt: skip


def pairs(items: QuerySet[Pair], sources: Mapping[int, ExportSource]) -> Iterator[list[ExportItem]]:
    drafted = DraftedPlaces(sources)
    for batch in _batches(items, (*_PAIR, *PAIR_TEXTS)):
        pks = frozenset([row["pk"] for row in batch])
        places = places_of({row["kernel_id"] for row in batch} - {None}, sources)
        facts = _Facts("pair", pks)
        validations = validations_of(pks)
        result = []
        for row in batch:
            present: Sequence[KernelPlace] = places.get(row["kernel_id"], ())
            if not present:
                terms = (row["license__expression"], row["license_verdict"])
                present = drafted.of(row["metadata"], *terms)
            result.append(
                facts.item(
                    row, present, sources, name=row["slug"], origin=row["origin"],
                    texts=[row[text] for text in PAIR_TEXTS],
                    validations=[
                        validation
                        for content_hash, validation in validations.get(row["pk"], ())
                        if content_hash == row["content_hash"]
                    ],
                )
            )  # fmt: skip
            result[-1].opted_out = result[-1].opted_out or drafted.opt_out(row["metadata"])
        yield result


def text_columns(options: ExportOptions) -> tuple[str, ...]:
    """Return the columns whose texts make up a kernel's text. Empty if files are exported."""
    if options.unit == "file":
        return ()
    unit = "function_source" if options.unit == "function" else "standalone_source"
    return (unit, "launcher_source") if options.with_launcher else (unit,)


def joined(parts: Sequence[str]) -> str:
    """Join the texts of a kernel's unit and of its launcher, if there is one."""
    return "\n\n".join([part if part.endswith("\n") else f"{part}\n" for part in parts if part])


def _batches(items: QuerySet[Any], columns: Sequence[str]) -> Iterator[list[dict[str, Any]]]:
    rows = items.order_by("pk").values(*columns).iterator(chunk_size=BATCH)
    while batch := list(islice(rows, BATCH)):
        yield batch


class _Facts:
    """Rows of other tables about a batch of items."""

    def __init__(self, kind: str, pks: Collection[int]) -> None:
        about, key = {f"{kind}__among": pks}, f"{kind}_id"
        self._kind = kind
        self._decisions = decisions_of(kind, pks)
        name = "of_kernel__name" if kind == "kernel" else "of_pair__slug"
        links = DuplicateLink.objects.filter(**about).order_by()
        self._duplicates = {
            (pk, content_hash): f"{of_name} ({of_hash[:8]})"
            for pk, content_hash, of_hash, of_name in links.values_list(
                key, "content_hash", "of_content_hash", name
            )
        }
        self._contaminations: dict[tuple[int, str], list[str]] = defaultdict(list)
        matches = ContaminationMatch.objects.filter(**about).order_by()
        for pk, content_hash, problem in matches.values_list(key, "content_hash", "problem"):
            self._contaminations[pk, content_hash].append(f"the benchmark problem {problem}")
        prints = Fingerprint.objects.filter(**about).exclude(placed=None).order_by()
        self._compared = {
            (pk, content_hash): compared
            for pk, content_hash, compared in prints.values_list(
                key, "content_hash", "compared_with"
            )
        }
        disputes = SecondReview.objects.filter(**about, state=Agreement.DISPUTED).order_by()
        self._disputed = set(disputes.values_list(key, flat=True))
        self._replaced = _replaced(pks) if kind == "pair" else {}

    def item(
        self, row: Mapping[str, Any], places: Sequence[KernelPlace],
        sources: Mapping[int, ExportSource], *, origin: str = "", **given: Any,
    ) -> ExportItem:  # fmt: skip
        pk, content = row["pk"], (row["pk"], row["content_hash"])
        contaminated_by = min(self._contaminations.get(content, ()), default="")
        opted_out = ""
        for place in places:
            source = sources[place.source]
            if place.opted_out:
                opted_out = f"An opt-out excludes {place.path} of {source.name}."
            if source.benchmark and not contaminated_by:
                contaminated_by = f"the benchmark {source.name}"
        if not origin:
            origin = sources[places[0].source].origin if places else PairOrigin.REAL_WORLD.value
        return ExportItem(
            kind=self._kind, content_hash=row["content_hash"], license=row["license__expression"],
            tokens=row["tokens"] or 0, origin=origin, row=row, places=places,
            hardware=[row["hardware"]], decisions=self._decisions.get(pk, ()),
            duplicate_of=self._replaced.get(pk) or self._duplicates.get(content, ""),
            contaminated_by=contaminated_by, opted_out=opted_out,
            compared_with=self._compared.get(content), disputed=pk in self._disputed, **given,
        )  # fmt: skip


def _replaced(keys: Collection[int]) -> dict[int, str]:
    """Map each pair with a later approved version to the name of that version.

    Versions of a pair never count as near-duplicates, but only one version may be exported.
    """
    columns = ("pk", "previous_id", "status", "content_hash", "slug")
    replaced: dict[int, str] = {}
    ahead = {pk: pk for pk in keys}
    while ahead:
        newer = Pair.objects.filter(previous__among=list(ahead)).order_by("pk")
        later: dict[int, int] = {}
        for pk, previous, status, content, called in newer.values_list(*columns):
            item = ahead[previous]
            later[pk] = item
            if status == APPROVED:
                replaced[item] = f"{called} ({content[:8]})"
        ahead = later
    return replaced


def _with_local_paths(
    pks: Collection[int],
    places: Mapping[int, Sequence[KernelPlace]],
    sources: Mapping[int, ExportSource],
) -> set[int]:
    """Return those kernels from local folders whose text seems to contain a path on the machine.

    Sources on the web are not checked, since their texts are public.
    """
    folders = {key for key, source in sources.items() if source.local}
    local = [pk for pk in pks for place in places.get(pk, ()) if place.source in folders]
    texts = ("pk", "standalone_source", "launcher_source")
    rows = Kernel.objects.filter(pk__among=local).values_list(*texts) if local else ()
    return {pk for pk, *columns in rows if any(map(LOCAL_PATH.search, columns))}
