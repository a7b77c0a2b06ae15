"""GateFacts about batches of items, read with a fixed number of queries."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery

from curation.evidence.places import KernelPlace, places_of
from curation.evidence.sources import ExportSource
from curation.export.gates import APPROVED, DecisionRow, GateFacts, ValidationRow, approved_by
from curation.lookups import stored
from curation.models import (
    Agreement,
    ContaminationMatch,
    Decision,
    Device,
    DuplicateLink,
    Fingerprint,
    Kernel,
    Pair,
    PairOrigin,
    SecondReview,
    ValidationResult,
)

BATCH = 2500
STRETCH = 5000

# Local paths, which compilers leave in generated text.
LOCAL_PATH = re.compile(r"/(?:home|Users|root)/\w|/tmp/|torchinductor_\w")

REAL = PairOrigin.REAL_WORLD.value

Row = tuple[Any, ...]
# Range of primary keys: above the first, up to the second, or unbounded.
Stretch = tuple[int, int | None]
EVERYTHING: Stretch = (0, None)


@dataclass(slots=True)
class KnownItem:
    """An item, its facts for the gates, and its places, preferred one first."""

    pk: int
    name: str
    tokens: int
    origin: str
    facts: GateFacts
    places: Sequence[KernelPlace]
    # Further columns of its record: `KERNEL_COLUMNS` or `PAIR_COLUMNS`.
    extra_columns: Row
    texts: Sequence[str]


_GATES = (
    "pk", "content_hash", "status", "license_verdict", "license__expression", "license__verdict",
    "tokens",
)  # fmt: skip
KERNEL_COLUMNS = (
    stored("tags"), "operation_type", "difficulty", "kind", "language", "lines",
    "hardware", "min_triton",
)  # fmt: skip
PAIR_COLUMNS = (
    stored("tags"), "operation_type", "difficulty", "kernel_id", "entry_point",
    stored("differentiable"), "recipe", stored("metadata"), "hardware", "min_triton",
    "description",
)  # fmt: skip
_FIRST_EXTRA = len(_GATES) + 3
_KERNEL_OF_PAIR = PAIR_COLUMNS.index("kernel_id")
_HARDWARE_OF_KERNEL = KERNEL_COLUMNS.index("hardware")
_HARDWARE_OF_PAIR = PAIR_COLUMNS.index("hardware")


def kernels(
    items: QuerySet[Kernel],
    sources: Mapping[int, ExportSource],
    texts: Sequence[str] = (),
    within: Stretch = EVERYTHING,
) -> Iterator[list[KnownItem]]:
    """Yield all of `items` in batches, in key order."""
    columns = (*_GATES, "name", _compared_with("kernel"), stored("standalone"), *KERNEL_COLUMNS)
    end = len(columns)
    for batch in _batches(items, (*columns, *texts), within):
        pks = frozenset([row[0] for row in batch])
        places = places_of(pks, sources)
        local = _with_local_paths(pks, places, sources)
        about = _about("kernel", pks)
        result = []
        for row in batch:
            pk, hashed, status, verdict, license, policy, tokens, name, compared, standalone = row[
                :_FIRST_EXTRA
            ]
            seen = places.get(pk, ())
            facts = GateFacts(hashed, status, license, verdict, policy)
            _weigh(facts, pk, compared, about, seen, sources)
            facts.standalone = bool(standalone)
            facts.hardware = row[_FIRST_EXTRA + _HARDWARE_OF_KERNEL]
            facts.local_path = pk in local
            origin = sources[seen[0].source].origin if seen else REAL
            known = KnownItem(
                pk, name, tokens or 0, origin, facts, seen, row[_FIRST_EXTRA:end], row[end:]
            )
            result.append(known)
        yield result


def pairs(
    items: QuerySet[Pair],
    sources: Mapping[int, ExportSource],
    texts: Sequence[str] = (),
    within: Stretch = EVERYTHING,
) -> Iterator[list[KnownItem]]:
    columns = (*_GATES, "slug", _compared_with("pair"), "origin", *PAIR_COLUMNS)
    end = len(columns)
    for batch in _batches(items, (*columns, *texts), within):
        pks = frozenset([row[0] for row in batch])
        drafted_from = {row[_FIRST_EXTRA + _KERNEL_OF_PAIR] for row in batch}
        places = places_of(drafted_from - {None}, sources)
        about = _about("pair", pks)
        validations = _validations(pks)
        result = []
        for row in batch:
            pk, hashed, status, verdict, license, policy, tokens, slug, compared, origin = row[
                :_FIRST_EXTRA
            ]
            extra = row[_FIRST_EXTRA:end]
            seen = places.get(extra[_KERNEL_OF_PAIR], ())
            facts = GateFacts(hashed, status, license, verdict, policy)
            _weigh(facts, pk, compared, about, seen, sources)
            facts.hardware = extra[_HARDWARE_OF_PAIR]
            facts.origin = origin
            facts.validations = [
                t for seen_hash, t in validations.get(pk, ()) if seen_hash == hashed
            ]
            result.append(KnownItem(pk, slug, tokens or 0, origin, facts, seen, extra, row[end:]))
        yield result


def _batches(items: QuerySet[Any], columns: Sequence[Any], within: Stretch) -> Iterator[list[Row]]:
    """Yield rows by keyset pagination, so that no more than a batch is in memory."""
    last, end = within
    rows = items.order_by("pk").values_list(*columns)
    if end is not None:
        rows = rows.filter(pk__lte=end)
    while batch := list(rows.filter(pk__gt=last)[:BATCH]):
        yield batch
        last = batch[-1][0]


def stretches(items: QuerySet[Any]) -> Iterator[Stretch]:
    """Yield ranges of primary keys with equally many rows, for any number of processes."""
    last = 0
    keys = items.order_by("pk").values_list("pk", flat=True)
    while ends := list(keys.filter(pk__gt=last)[STRETCH - 1 : STRETCH]):
        yield last, ends[0]
        last = ends[0]
    yield last, None


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
    columns = (key, "pk", "status", "actor", "rules", "undoes_id", "content_hash", "user_id")
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


def _weigh(
    facts: GateFacts,
    pk: int,
    compared: str | None,
    about: _About,
    places: Sequence[KernelPlace],
    sources: Mapping[int, ExportSource],
) -> None:
    """Add the facts from the other tables."""
    hashed = facts.content_hash
    facts.compared_with = compared
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


def _validations(pks: Collection[int]) -> dict[int, list[tuple[str, ValidationRow]]]:
    rows = ValidationResult.objects.filter(
        pair__among=pks, run__device__in=(Device.CUDA, Device.INTERPRETER)
    )
    validations: dict[int, list[tuple[str, ValidationRow]]] = defaultdict(list)
    columns = ("pair_id", "content_hash", "pk", "run__device", "verdict", "figures__grades")
    for pair, hashed, pk, device, verdict, grades in rows.order_by().values_list(*columns):
        validations[pair].append((hashed, ValidationRow(pk, device, verdict, grades or {})))
    return validations


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
