"""Records as the dataset's contract has them: the second reading of an export.

A record's metadata is made once, as the JSON that leaves. A release keeps that text, and is
rebuilt from it and from the sources, which never change.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any

from curation.evidence.notices import texts_named
from curation.evidence.places import Place, places_of
from curation.evidence.sources import Source
from curation.export.ledger import provenance, record_id
from curation.export.lines import encode
from curation.export.notices import Notices
from curation.export.picks import Picks
from curation.export.statistics import Statistics
from curation.models import Kernel, Pair, SourceFile, ValidationCheck, ValidationResult

BATCH = 1000


@dataclass(slots=True)
class Record:
    """One line of a dataset. `metadata` is JSON."""

    kind: str
    id: str
    pk: int
    content_hash: str
    split: int
    weight: float
    tokens: int
    metadata: str
    category: str
    # The kernel's text, or the pair's three.
    texts: tuple[str, ...] = ()

    _input: str = ""

    @property
    def input(self) -> str:
        """A kernel's text as JSON, for all the formats that hold it."""
        if not self._input:
            self._input = encode(self.texts[0])
        return self._input


KERNEL_COLUMNS = (
    "content_hash", "name", "operation_type", "difficulty", "tags", "kind", "language", "lines",
    "license__expression",
)  # fmt: skip
PAIR_COLUMNS = (
    "content_hash", "slug", "operation_type", "difficulty", "tags", "entry_point", "origin",
    "differentiable", "recipe", "metadata", "kernel_id", "license__expression",
)  # fmt: skip


def kernel_records(
    picks: Picks,
    sources: Mapping[int, Source],
    notices: Notices,
    statistics: Statistics,
    unit: str,
) -> Iterator[Record]:
    """Without their texts, in the order of the picks."""
    for batch in picks.batches(BATCH):
        pks = picks.pks[batch.start : batch.stop].tolist()
        rows = {pk: rest for pk, *rest in _rows(Kernel, pks, KERNEL_COLUMNS)}
        places = places_of(pks, sources)
        files = _files(picks.files[batch.start : batch.stop].tolist()) if unit == "file" else {}
        seen = {number: places.get(pk, []) for number, pk in zip(batch, pks, strict=True)}
        if files:
            # A whole file leaves on the terms that hold in it, not on another copy's.
            seen = {n: _standing_in(files[picks.files[n]], found) for n, found in seen.items()}
        noticed = notices.of_kernels({n: rows[int(picks.pks[n])][-1] for n in batch}, seen)
        for number, pk in zip(batch, pks, strict=True):
            (hashed, name, operation, difficulty, tags, kind, language, lines, license) = rows[pk]
            place = seen[number][0] if seen[number] else None
            if files and place:
                hashed, path, lines, _, commit = files[picks.files[number]]
                name = PurePosixPath(path).name
                place = replace(place, commit=commit, lines=(1, lines))
                license = place.expression
            identity = record_id("kernel", name, hashed)
            source = sources[place.source] if place else None
            notice = noticed[number]
            notices.count(notice.key)
            metadata = {
                "id": identity,
                "name": name,
                "operation_type": operation or "other",
                "difficulty": difficulty or None,
                "tags": tags,
                "kind": kind,
                "language": language,
                "unit": unit,
                "origin": source.origin if source else "real-world",
                "category": source.category if source else None,
                "seen": sum(one.live for one in seen[number]),
                "lines": lines,
                "provenance": _provenance(place, sources, license, notice.copyright),
                "license": license,
                "notice": notice.key,
                "reviewed": bool(picks.reviewed[number]),
                "tokens": picks.tokens[number],
                "stars": source.stars if source else None,
                "weight": float(picks.weights[number]),
            }
            record = _record("kernel", identity, pk, hashed, picks, number, metadata)
            statistics.add("kernel", record.split, record.tokens, metadata)
            yield record


def _standing_in(file: Any, places: Sequence[Place]) -> list[Place]:
    """The places of a kernel, those in this file first."""
    _, path, _, source, _ = file
    return sorted(places, key=lambda place: (place.source, place.path) != (source, path))


def _files(pks: Sequence[int]) -> dict[int, Any]:
    columns = ("sha256", "path", "lines", "repository_id", "commit")
    return {pk: rest for pk, *rest in _rows(SourceFile, pks, columns)}


def pair_records(
    picks: Picks,
    sources: Mapping[int, Source],
    notices: Notices,
    statistics: Statistics,
    checks: Sequence[str],
) -> Iterator[Record]:
    """Without their texts. `checks` are the names that each record's `verified` has."""
    for batch in picks.batches(BATCH):
        pks = picks.pks[batch.start : batch.stop].tolist()
        rows = {pk: rest for pk, *rest in _rows(Pair, pks, PAIR_COLUMNS)}
        # A pair that was drafted from a kernel is given away on the kernel's terms.
        drafted = {rest[10]: rest[-1] for rest in rows.values() if rest[10]}
        places = places_of(drafted, sources)
        noticed = notices.of_kernels(drafted, places)
        verified = _verified(picks.results[batch.start : batch.stop].tolist(), checks)
        for number, pk in zip(batch, pks, strict=True):
            (hashed, slug, operation, difficulty, tags, entry_point, origin, differentiable,
             recipe, details, kernel, license) = rows[pk]  # fmt: skip
            identity = record_id("pair", slug, hashed)
            place = places[kernel][0] if kernel in places else None
            source = sources[place.source] if place else None
            notice = noticed[kernel] if kernel else notices.of_pair(license, details)
            notices.count(notice.key)
            metadata = {
                "operation_type": operation,
                "difficulty": difficulty,
                "tags": tags,
                "entry_point": entry_point,
                "origin": origin,
                "provenance": _provenance(place, sources, license, notice.copyright),
                "verified": verified.get(picks.results[number]),
                "differentiable": differentiable,
                "recipe": recipe or None,
                "category": source.category if source else None,
                "details": encode(details) if details else None,
                "license": license,
                "notice": notice.key,
                "reviewed": bool(picks.reviewed[number]),
                "tokens": picks.tokens[number],
                "stars": source.stars if source else None,
                "weight": float(picks.weights[number]),
            }
            record = _record("pair", identity, pk, hashed, picks, number, metadata)
            statistics.add("pair", record.split, record.tokens, metadata)
            yield record


def _rows(model: Any, pks: Sequence[int], columns: Sequence[str]) -> Any:
    return model.objects.filter(pk__among=frozenset(pks)).order_by().values_list("pk", *columns)


def _record(
    kind: str, identity: str, pk: int, hashed: str, picks: Picks, number: int, metadata: Any
) -> Record:
    return Record(
        kind, identity, pk, hashed, int(picks.splits[number]), float(picks.weights[number]),
        picks.tokens[number], encode(metadata), metadata["category"] or "none",
    )  # fmt: skip


def _provenance(
    place: Place | None, sources: Mapping[int, Source], license: str | None, copyright: str
) -> dict[str, object]:
    # Every key, also where nothing is known: see `columns`.
    known = provenance(place, sources) if place else dict.fromkeys(_PLACE)
    return {**known, "license": license, "copyright": copyright or None}


_PLACE = ("repository", "commit", "path", "lines", "url")


def check_names(picks: Picks) -> tuple[str, ...]:
    """The names of all checks behind the validations that let the pairs through."""
    names: set[str] = set()
    for batch in picks.batches(BATCH):
        results = picks.results[batch.start : batch.stop].tolist()
        rows = ValidationCheck.objects.filter(result__among=results).order_by()
        names.update(rows.values_list("name", flat=True).distinct())
    return tuple(sorted(names))


def _verified(results: Sequence[int], names: Sequence[str]) -> dict[int, dict[str, object]]:
    checks: dict[int, dict[str, str]] = defaultdict(dict)
    rows = ValidationCheck.objects.filter(result__among=results).order_by()
    for result, name, outcome in rows.values_list("result_id", "name", "outcome"):
        checks[result][name] = outcome
    found = ValidationResult.objects.filter(pk__among=results).order_by()
    columns = ("pk", "figures", "created_at", "run__device", "run__environment")
    return {
        pk: {
            "device": device,
            "torch": _text(environment, "torch"),
            "triton": _text(environment, "triton"),
            "python": _text(environment, "python"),
            "checks": {name: checks[pk].get(name) for name in names or ("equivalence",)},
            "cases": _number(figures, "cases", int),
            "max_abs_error": _number(figures, "max_abs_error", float),
            "max_rel_error": _number(figures, "max_rel_error", float),
            "speedup": _number(figures, "speedup", float),
            "at": _moment(at),
        }
        for pk, figures, at, device, environment in found.values_list(*columns)
    }


def _text(document: Mapping[str, Any], key: str) -> str | None:
    value = document.get(key)
    return None if value is None else str(value)


def _number(document: Mapping[str, Any], key: str, kind: type[int] | type[float]) -> Any:
    value = document.get(key)
    return kind(value) if isinstance(value, int | float) else None


def _moment(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def with_texts(records: Iterator[Record], unit: str, with_launcher: bool) -> Iterator[Record]:
    """The same records with what they are about, fetched a batch at a time."""
    batch: list[Record] = []
    for record in records:
        batch.append(record)
        if len(batch) == BATCH:
            yield from _filled(batch, unit, with_launcher)
            batch = []
    yield from _filled(batch, unit, with_launcher)


def _filled(batch: list[Record], unit: str, with_launcher: bool) -> Iterator[Record]:
    by_hash: dict[str, tuple[str, ...]] = {}
    by_pk: dict[int, tuple[str, ...]] = {}
    whole_files = unit == "file"
    kernels = [record for record in batch if record.kind == "kernel"]
    if whole_files:
        found = texts_named([record.content_hash for record in kernels])
        by_hash = {name: (text,) for name, text in found.items()}
    else:
        columns = ["function_source" if unit == "function" else "standalone_source"]
        if with_launcher:
            columns.append("launcher_source")
        rows = _rows(Kernel, [record.pk for record in kernels], columns) if kernels else ()
        by_pk = {pk: (joined(parts),) for pk, *parts in rows}
    pairs = [record.pk for record in batch if record.kind == "pair"]
    columns = ["python_code", "triton_code", "test_code"]
    of_pairs = {pk: tuple(parts) for pk, *parts in _rows(Pair, pairs, columns)} if pairs else {}
    for record in batch:
        if record.kind == "pair":
            record.texts = of_pairs[record.pk]
        else:
            record.texts = by_hash[record.content_hash] if whole_files else by_pk[record.pk]
        yield record


def joined(parts: Sequence[str]) -> str:
    """A unit and, where there is one, its launcher below it."""
    return "\n\n".join(part if part.endswith("\n") else f"{part}\n" for part in parts if part)
