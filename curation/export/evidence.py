"""What the database knows of a batch of items, gathered with a fixed number of queries."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from curation.evidence.places import Place, places_of
from curation.evidence.sources import Source
from curation.export.gates import Facts, Said, Tried, approved_by
from curation.models import (
    ContaminationMatch,
    Decision,
    Device,
    DuplicateLink,
    Fingerprint,
    Kernel,
    Pair,
    ValidationResult,
)

BATCH = 1000

# What a folder of somebody's machine leaves in a text that a compiler wrote there.
LOCAL_PATH = re.compile(r"/(?:home|Users|root)/\w|/tmp/|torchinductor_\w")

Row = dict[str, Any]


@dataclass(slots=True)
class Known:
    """An item's columns, the facts that the gates weigh, and its places, the first one first."""

    row: Row
    facts: Facts
    places: Sequence[Place]


KERNEL_COLUMNS = (
    "pk", "content_hash", "name", "status", "standalone", "license_verdict",
    "license__expression", "license__verdict", "tokens",
)  # fmt: skip
PAIR_COLUMNS = (
    "pk", "content_hash", "slug", "entry_point", "status", "license_verdict",
    "license__expression", "license__verdict", "tokens", "origin", "kernel_id",
)  # fmt: skip


def kernels(items: QuerySet[Kernel], sources: Mapping[int, Source]) -> Iterator[list[Known]]:
    """Every one of `items`, a batch at a time, in the order of their rows."""
    for batch in _batches(items, KERNEL_COLUMNS):
        pks = [row["pk"] for row in batch]
        places = places_of(pks, sources)
        local = _with_local_paths(pks, places, sources)
        about = _about("kernel", Kernel.objects.all(), batch)
        found = []
        for row in batch:
            seen = places.get(row["pk"], ())
            facts = _facts(row, about, seen, sources)
            facts.standalone = row["standalone"]
            facts.local_path = row["pk"] in local
            found.append(Known(row, facts, seen))
        yield found


def pairs(items: QuerySet[Pair], sources: Mapping[int, Source]) -> Iterator[list[Known]]:
    for batch in _batches(items, PAIR_COLUMNS):
        places = places_of([row["kernel_id"] for row in batch if row["kernel_id"]], sources)
        about = _about("pair", Pair.objects.all(), batch)
        tries = _tries([row["pk"] for row in batch])
        found = []
        for row in batch:
            seen = places.get(row["kernel_id"], ())
            facts = _facts(row, about, seen, sources)
            hashed = row["content_hash"]
            facts.tries = [t for seen_hash, t in tries.get(row["pk"], ()) if seen_hash == hashed]
            found.append(Known(row, facts, seen))
        yield found


def _batches(items: QuerySet[Any], columns: Sequence[str]) -> Iterator[list[Row]]:
    """By keyset, so that neither the database nor we hold more than a batch."""
    last = 0
    rows = items.order_by("pk").values(*columns)
    while batch := list(rows.filter(pk__gt=last)[:BATCH]):
        yield batch
        last = batch[-1]["pk"]


@dataclass(frozen=True, slots=True)
class _About:
    decisions: Mapping[int, Sequence[Said]]
    duplicates: Mapping[int, tuple[str, str]]
    contaminations: Mapping[int, Sequence[tuple[str, str]]]
    unexamined: Collection[int]


def _about(kind: str, items: QuerySet[Any], batch: Sequence[Row]) -> _About:
    keys = {row["pk"] for row in batch}
    wanted = {f"{kind}__among": keys}
    key = f"{kind}_id"
    decisions: dict[int, list[Said]] = defaultdict(list)
    said = Decision.objects.filter(**wanted).order_by()
    columns = (key, "pk", "status", "actor", "rules", "undoes_id", "content_hash", "user_id")
    for pk, *values in said.values_list(*columns):
        decisions[pk].append(Said(*values))
    duplicates = {}
    links = DuplicateLink.objects.filter(**wanted).order_by()
    name = "of_kernel__name" if kind == "kernel" else "of_pair__slug"
    for pk, hashed, of_hash, of_name in links.values_list(
        key, "content_hash", "of_content_hash", name
    ):
        duplicates[pk] = (hashed, f"{of_name} ({of_hash[:8]})")
    contaminations: dict[int, list[tuple[str, str]]] = defaultdict(list)
    matches = ContaminationMatch.objects.filter(**wanted).order_by()
    for pk, hashed, problem in matches.values_list(key, "content_hash", "problem"):
        contaminations[pk].append((hashed, f"the benchmark problem {problem}"))
    return _About(decisions, duplicates, contaminations, _unexamined(items, kind, keys))


def _unexamined(items: QuerySet[Any], kind: str, keys: Collection[int]) -> frozenset[int]:
    """Asked for what is missing, the database answers with next to nothing."""
    examined = Fingerprint.objects.examined().filter(
        **{kind: OuterRef("pk"), "content_hash": OuterRef("content_hash")}
    )
    missing = items.filter(~Exists(examined), pk__among=keys).order_by()
    return frozenset(missing.values_list("pk", flat=True))


def _facts(
    row: Row, about: _About, places: Sequence[Place], sources: Mapping[int, Source]
) -> Facts:
    pk, hashed = row["pk"], row["content_hash"]
    twin_hash, twin = about.duplicates.get(pk, ("", ""))
    overlaps = [name for seen, name in about.contaminations.get(pk, ()) if seen == hashed]
    decisions = about.decisions.get(pk, ())
    facts = Facts(
        content_hash=hashed,
        status=row["status"],
        license=row["license__expression"],
        license_verdict=row["license_verdict"],
        policy_verdict=row["license__verdict"],
        duplicate_of=twin if twin_hash == hashed else "",
        contaminated_by=min(overlaps, default=""),
        examined=pk not in about.unexamined,
        decisions=decisions,
        approver=approved_by(decisions, hashed),
    )
    facts.given = not places or places[0].gives
    for place in places:
        source = sources[place.source]
        if place.opted_out:
            facts.opted_out = f"Somebody asked to leave out {place.path} of {source.name}."
        if source.benchmark and not facts.contaminated_by:
            facts.contaminated_by = f"the benchmark {source.name}"
    return facts


def _tries(pks: Sequence[int]) -> dict[int, list[tuple[str, Tried]]]:
    rows = ValidationResult.objects.filter(
        pair__among=pks, run__device__in=(Device.CUDA, Device.INTERPRETER)
    )
    tries: dict[int, list[tuple[str, Tried]]] = defaultdict(list)
    columns = ("pair_id", "content_hash", "pk", "run__device", "verdict")
    for pair, hashed, pk, device, verdict in rows.order_by().values_list(*columns):
        tries[pair].append((hashed, Tried(pk, device, verdict)))
    return tries


def _with_local_paths(
    pks: Sequence[int], places: Mapping[int, Sequence[Place]], sources: Mapping[int, Source]
) -> set[int]:
    """What came from a folder may name that folder. What came from the web is public."""
    local = [pk for pk in pks if any(sources[place.source].local for place in places.get(pk, ()))]
    texts = ("pk", "standalone_source", "launcher_source")
    rows = Kernel.objects.filter(pk__among=local).values_list(*texts) if local else ()
    return {pk for pk, *found in rows if any(map(LOCAL_PATH.search, found))}
