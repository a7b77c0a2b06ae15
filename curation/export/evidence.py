"""What the database knows of a batch of items, gathered with a fixed number of queries."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from curation.evidence.places import Place, places_of
from curation.evidence.sources import Source
from curation.export.gates import Facts, Said, Tried
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


def kernels(items: QuerySet[Kernel], sources: Mapping[int, Source]) -> Iterator[Known]:
    """Every one of `items`, by content hash."""
    for batch in _batches(items, KERNEL_COLUMNS):
        pks = [row["pk"] for row in batch]
        places = places_of(pks, sources)
        local = _with_local_paths(pks, places, sources)
        about = _about("kernel", batch)
        for row in batch:
            seen = places.get(row["pk"], ())
            facts = _facts(row, about, seen, sources)
            facts.standalone = row["standalone"]
            facts.local_path = row["pk"] in local
            yield Known(row, facts, seen)


def pairs(items: QuerySet[Pair], sources: Mapping[int, Source]) -> Iterator[Known]:
    for batch in _batches(items, PAIR_COLUMNS):
        places = places_of([row["kernel_id"] for row in batch if row["kernel_id"]], sources)
        about = _about("pair", batch)
        tries = _tries([row["pk"] for row in batch])
        for row in batch:
            seen = places.get(row["kernel_id"], ())
            facts = _facts(row, about, seen, sources)
            hashed = row["content_hash"]
            facts.tries = [t for seen_hash, t in tries.get(row["pk"], ()) if seen_hash == hashed]
            yield Known(row, facts, seen)


def _batches(items: QuerySet[Any], columns: Sequence[str]) -> Iterator[list[Row]]:
    """By keyset, so that neither the database nor we hold more than a batch."""
    last = ""
    rows = items.order_by("content_hash").values(*columns)
    while batch := list(rows.filter(content_hash__gt=last)[:BATCH]):
        yield batch
        last = batch[-1]["content_hash"]


@dataclass(frozen=True, slots=True)
class _About:
    decisions: Mapping[int, Sequence[Said]]
    duplicates: Mapping[int, tuple[str, str]]
    contaminations: Mapping[int, Sequence[tuple[str, str]]]
    examined: Mapping[int, str]


def _about(kind: str, batch: Sequence[Row]) -> _About:
    wanted = {f"{kind}__among": {row["pk"] for row in batch}}
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
    looked_at = Fingerprint.objects.filter(**wanted).examined().order_by()
    examined = dict(looked_at.values_list(key, "content_hash"))
    return _About(decisions, duplicates, contaminations, examined)


def _facts(
    row: Row, about: _About, places: Sequence[Place], sources: Mapping[int, Source]
) -> Facts:
    pk, hashed = row["pk"], row["content_hash"]
    twin_hash, twin = about.duplicates.get(pk, ("", ""))
    overlaps = sorted(name for seen, name in about.contaminations.get(pk, ()) if seen == hashed)
    facts = Facts(
        content_hash=hashed,
        status=row["status"],
        license=row["license__expression"],
        license_verdict=row["license_verdict"],
        policy_verdict=row["license__verdict"],
        duplicate_of=twin if twin_hash == hashed else "",
        contaminated_by=overlaps[0] if overlaps else "",
        examined=about.examined.get(pk) == hashed,
        decisions=about.decisions.get(pk, ()),
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
