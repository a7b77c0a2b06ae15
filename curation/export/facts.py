"""Facts about batches of items, read with a fixed number of queries inside one snapshot.

All reads of an export see the same state, whatever is written meanwhile. Without a snapshot, a
license that is found blocked between two reads would be in a record that the first one admitted.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction
from django.db.models import OuterRef, QuerySet, Subquery

from curation.evidence.grades import ValidationRow, validations_of
from curation.evidence.places import DraftedPlaces, KernelPlace, places_of
from curation.evidence.sources import ExportSource
from curation.export.gates import APPROVED, PERSON, DecisionRow, GateFacts, approved_by
from curation.export.options import ExportOptions
from curation.models import (
    Agreement,
    ContaminationMatch,
    Decision,
    DuplicateLink,
    Fingerprint,
    Kernel,
    Pair,
    PairOrigin,
    SecondReview,
)
from curation.search.lookups import stored

# More rows do not fit the cache of the processor: 2,500 take a fifth more time (2026-11-26).
BATCH = 1000

# Local paths, which compilers leave in generated text.
LOCAL_PATH = re.compile(r"/(?:home|Users|root)/\w|/tmp/|torchinductor_\w")

REAL = PairOrigin.REAL_WORLD.value
PAIR_TEXTS = ("python_code", "triton_code", "test_code")

Row = Mapping[str, Any]


@contextmanager
def db_snapshot() -> Iterator[None]:
    """Open a snapshot for reading. Inside a transaction, the transaction's view is used."""
    if connection.in_atomic_block:
        yield
        return
    if connection.vendor != "sqlite":
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
        return
    with connection.cursor() as cursor:
        # Reduce SQLite's cache, because an export reads each row once or twice.
        cursor.execute("PRAGMA mmap_size = 0")
        cursor.execute("PRAGMA cache_size = -8000")
        try:
            # Django's transactions would take the write lock.
            cursor.execute("BEGIN DEFERRED")
            # The snapshot starts with the first read.
            cursor.execute("SELECT 1 FROM django_migrations LIMIT 1").fetchone()
            yield
        finally:
            cursor.execute("ROLLBACK")


@dataclass(slots=True)
class KnownItem:
    """An item, its facts for the gates, and its places, preferred one first."""

    pk: int
    name: str
    tokens: int
    origin: str
    facts: GateFacts
    places: Sequence[KernelPlace]
    # Columns of its row by name, and the requested texts.
    row: Row
    texts: Sequence[str]


@dataclass(slots=True)
class ExportItem:
    """An item that passed the gates, before it becomes a record."""

    pk: int
    name: str
    content_hash: str
    license: str | None
    tokens: int
    places: Sequence[KernelPlace]
    row: Row
    # The kernel's text, or the pair's three.
    texts: Sequence[str]
    lines: int
    hardware: list[str]
    # Empty if it must be computed from the text.
    min_triton: str
    # Primary key of the repository that it is counted under, or 0.
    source: int
    origin: str
    # Kind of the actor of its approval; empty if it is not approved.
    approved_by: str
    weight: float
    # The validation that admitted a pair.
    validation: ValidationRow | None = None

    @property
    def reviewed(self) -> bool:
        """Return whether a person approved it."""
        return self.approved_by == PERSON


# Columns in the form in which they are stored: see `curation.search.lookups`.
_STORED = ("tags", "standalone", "differentiable", "metadata")
_GATES = ("pk", "content_hash", "status", "license_verdict", "license__expression",
    "license__verdict", "tokens", "tags", "operation_type", "difficulty", "hardware", "min_triton",
)  # fmt: skip
_KERNEL = (*_GATES, "name", "standalone", "kind", "language", "lines")
_PAIR = (
    *_GATES, "slug", "origin", "kernel_id", "entry_point", "differentiable", "recipe", "metadata",
    "description",
)  # fmt: skip


def kernels(
    items: QuerySet[Kernel], sources: Mapping[int, ExportSource], texts: Sequence[str] = ()
) -> Iterator[list[KnownItem]]:
    """Yield all of `items` in batches, in key order."""
    for batch in _batches("kernel", items, (*_KERNEL, *texts)):
        pks = frozenset([row["pk"] for row in batch])
        places = places_of(pks, sources)
        local = _with_local_paths(pks, places, sources)
        about = _about("kernel", pks)
        result = []
        for row in batch:
            pk, seen = row["pk"], places.get(row["pk"], ())
            facts = _facts(row, about, seen, sources)
            facts.standalone = bool(row["standalone"])
            facts.local_path = pk in local
            origin = sources[seen[0].source].origin if seen else REAL
            own_texts = [row[text] for text in texts]
            result.append(
                KnownItem(pk, row["name"], row["tokens"] or 0, origin, facts, seen, row, own_texts)
            )
        yield result


def pairs(
    items: QuerySet[Pair], sources: Mapping[int, ExportSource], texts: Sequence[str] = ()
) -> Iterator[list[KnownItem]]:
    drafted = DraftedPlaces(sources)
    for batch in _batches("pair", items, (*_PAIR, *texts)):
        pks = frozenset([row["pk"] for row in batch])
        places = places_of({row["kernel_id"] for row in batch} - {None}, sources)
        about = _about("pair", pks)
        validations = validations_of(pks)
        result = []
        for row in batch:
            pk, seen = row["pk"], places.get(row["kernel_id"], ())
            if not seen and row["origin"] == REAL:
                terms = (row["license__expression"], row["license_verdict"])
                seen = drafted.of(row["metadata"], *terms)
            facts = _facts(row, about, seen, sources)
            facts.origin = row["origin"]
            facts.validations = [
                validation
                for seen_hash, validation in validations.get(pk, ())
                if seen_hash == facts.content_hash
            ]
            own_texts = [row[text] for text in texts]
            result.append(
                KnownItem(
                    pk, row["slug"], row["tokens"] or 0, facts.origin, facts, seen, row, own_texts
                )
            )
        yield result


def text_columns(options: ExportOptions) -> tuple[str, ...]:
    """Return the columns that make up a kernel's text; empty for whole files."""
    if options.unit == "file":
        return ()
    unit = "function_source" if options.unit == "function" else "standalone_source"
    return (unit, "launcher_source") if options.with_launcher else (unit,)


def joined(parts: Sequence[str]) -> str:
    """Join a unit and its launcher, if any."""
    return "\n\n".join([part if part.endswith("\n") else f"{part}\n" for part in parts if part])


def _batches(kind: str, items: QuerySet[Any], names: Sequence[str]) -> Iterator[list[Row]]:
    """Yield rows by keyset pagination, so that no more than a batch is in memory."""
    columns = [stored(name) if name in _STORED else name for name in names]
    rows = items.order_by("pk").values_list(*columns, _compared_with(kind))
    names = (*names, "compared_with")
    last = 0
    while batch := list(rows.filter(pk__gt=last)[:BATCH]):
        yield [dict(zip(names, row, strict=True)) for row in batch]
        last = batch[-1][0]


@dataclass(frozen=True, slots=True)
class _About:
    decisions: Mapping[int, Sequence[DecisionRow]]
    duplicates: Mapping[int, tuple[str, str]]
    contaminations: Mapping[int, Sequence[tuple[str, str]]]
    replaced: Mapping[int, str]
    disputed: Collection[int]


def _about(kind: str, keys: Collection[int]) -> _About:
    condition = {f"{kind}__among": keys}
    key = f"{kind}_id"
    decisions: dict[int, list[DecisionRow]] = defaultdict(list)
    decision_rows = Decision.objects.filter(**condition).order_by()
    columns = (
        key, "pk", "status", "actor", "rules", "undoes_id", "content_hash", "user_id", "created_at",
    )  # fmt: skip
    for pk, *values in decision_rows.values_list(*columns):
        decisions[pk].append(DecisionRow(*values))
    duplicates = {}
    links = DuplicateLink.objects.filter(**condition).order_by()
    name = "of_kernel__name" if kind == "kernel" else "of_pair__slug"
    for pk, hashed, of_hash, of_name in links.values_list(
        key, "content_hash", "of_content_hash", name
    ):
        duplicates[pk] = (hashed, f"{of_name} ({of_hash[:8]})")
    contaminations: dict[int, list[tuple[str, str]]] = defaultdict(list)
    matches = ContaminationMatch.objects.filter(**condition).order_by()
    for pk, hashed, problem in matches.values_list(key, "content_hash", "problem"):
        contaminations[pk].append((hashed, f"the benchmark problem {problem}"))
    disputes = SecondReview.objects.filter(**condition, state=Agreement.DISPUTED).order_by()
    return _About(
        decisions,
        duplicates,
        contaminations,
        _replaced(keys) if kind == "pair" else {},
        set(disputes.values_list(key, flat=True)),
    )


def _replaced(keys: Collection[int]) -> dict[int, str]:
    """Map each pair with a later approved version to the name of that version.

    Versions of a pair are no near-duplicates of each other, but only one is exported.
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


def _compared_with(kind: str) -> Subquery:
    """Select the hash of the benchmarks that this content was compared with.

    None before the search for near-duplicates.
    """
    about = {kind: OuterRef("pk"), "content_hash": OuterRef("content_hash")}
    looks = Fingerprint.objects.exclude(placed=None).filter(**about)
    return Subquery(looks.values("compared_with")[:1])


def _facts(
    row: Row, about: _About, places: Sequence[KernelPlace], sources: Mapping[int, ExportSource]
) -> GateFacts:
    """Return the facts of kernels and pairs alike, from the row and the other tables."""
    pk, hashed = row["pk"], row["content_hash"]
    facts = GateFacts(
        hashed, row["status"], row["license__expression"], row["license_verdict"],
        row["license__verdict"],
    )  # fmt: skip
    facts.hardware = row["hardware"]
    facts.compared_with = row["compared_with"]
    facts.decisions = about.decisions.get(pk, ())
    facts.approver = approved_by(facts.decisions, hashed)
    facts.duplicate_of = about.replaced.get(pk, "")
    if pk in about.duplicates and not facts.duplicate_of:
        twin_hash, twin = about.duplicates[pk]
        facts.duplicate_of = twin if twin_hash == hashed else ""
    if pk in about.contaminations:
        overlaps = [name for seen, name in about.contaminations[pk] if seen == hashed]
        facts.contaminated_by = min(overlaps, default="")
    facts.disputed = pk in about.disputed
    facts.given = not places or places[0].gives
    for place in places:
        source = sources[place.source]
        if place.opted_out:
            facts.opted_out = f"An opt-out excludes {place.path} of {source.name}."
        if source.benchmark and not facts.contaminated_by:
            facts.contaminated_by = f"the benchmark {source.name}"
    return facts


def _with_local_paths(
    pks: Collection[int],
    places: Mapping[int, Sequence[KernelPlace]],
    sources: Mapping[int, ExportSource],
) -> set[int]:
    """Return the kernels from folders whose text may contain a local path.

    Web sources are public.
    """
    folders = {key for key, source in sources.items() if source.local}
    local = [pk for pk in pks for place in places.get(pk, ()) if place.source in folders]
    texts = ("pk", "standalone_source", "launcher_source")
    rows = Kernel.objects.filter(pk__among=local).values_list(*texts) if local else ()
    return {pk for pk, *columns in rows if any(map(LOCAL_PATH.search, columns))}
