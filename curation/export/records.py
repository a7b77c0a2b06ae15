"""Records as the dataset's contract has them.

A record's metadata is made once, as the JSON that leaves. A release keeps that text, and is
rebuilt from it and from the sources, which never change.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, NamedTuple

from django.db.models import TextField
from django.db.models.functions import Cast

from curation.evidence.notices import texts_named
from curation.evidence.places import Place
from curation.evidence.sources import Source
from curation.export.columns import NO_CHECKS
from curation.export.leaving import Leaving
from curation.export.ledger import NOWHERE, located, record_id
from curation.export.lines import encode, encode_text
from curation.export.notices import Notices, Shared
from curation.export.options import Options
from curation.export.statistics import NONE, Profile
from curation.models import Kernel, Pair, ValidationCheck, ValidationResult, ValidationRun


class Draft(NamedTuple):
    """A record as far as it can be made before all the others are known."""

    id: str
    content_hash: str
    metadata: str
    texts: tuple[str, ...]


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


_TAGS = Cast("tags", TextField())
KERNEL_COLUMNS = (
    "name", _TAGS, "operation_type", "difficulty", "kind", "language", "lines",
    "license__expression",
)  # fmt: skip
PAIR_COLUMNS = (
    "slug", _TAGS, "operation_type", "difficulty", "entry_point",
    "differentiable", "recipe", "metadata", "kernel_id", "license__expression",
)  # fmt: skip
PAIR_TEXTS = ("python_code", "triton_code", "test_code")


def kernel_drafts(
    batch: Sequence[Leaving], sources: Mapping[int, Source], notices: Notices, options: Options
) -> Iterator[tuple[Draft, Profile]]:
    """In the order of the batch."""
    columns = (*KERNEL_COLUMNS, *_text_columns(options))
    rows = _rows(Kernel, [item.pk for item in batch], columns)
    files = texts_named([item.content_hash for item in batch if item.file])
    for item in batch:
        _, name, tags, operation, difficulty, kind, language, lines, license, *parts = rows[item.pk]
        place = item.places[0] if item.places else None
        if item.file:
            name, lines = item.file.name, item.file.lines
            license = item.places[0].expression
        identity = record_id("kernel", name, item.content_hash)
        source = sources[place.source] if place else None
        notice = notices.of_kernel(place, license)
        profile = Profile(
            operation or "other", difficulty or None, license, item.origin,
            source.category if source else None, item.reviewed, notice.key,
        )  # fmt: skip
        metadata = (
            f'{{"id":{encode_text(identity)},"name":{encode_text(name)},{_kind(profile, tags)},'
            f'"kind":{encode_text(kind)},"language":{encode_text(language)},'
            f'"unit":"{options.unit}","origin":"{item.origin}",'
            f'"category":{encode_text(profile.category)},'
            f'"seen":{len([one for one in item.places if one.live])},"lines":{lines},'
            f'"provenance":{_provenance(place, sources, license, notice)},'
            f"{_common(item, profile, source)}}}"
        )
        text = files[item.content_hash] if item.file else _joined(parts)
        yield Draft(identity, item.content_hash, metadata, (text,)), profile


def pair_drafts(
    batch: Sequence[Leaving], sources: Mapping[int, Source], notices: Notices
) -> Iterator[tuple[Draft, Profile]]:
    """In the order of the batch. Of the checks, each has its own only: see `completed`."""
    rows = _rows(Pair, [item.pk for item in batch], (*PAIR_COLUMNS, *PAIR_TEXTS))
    verified = _verified([item.tried.pk for item in batch if item.tried])
    for item in batch:
        (_, slug, tags, operation, difficulty, entry_point, differentiable, recipe, details,
         kernel, license, *texts) = rows[item.pk]  # fmt: skip
        place = item.places[0] if item.places else None
        source = sources[place.source] if place else None
        # A pair that was drafted from a kernel is given away on the kernel's terms.
        notice = notices.of_kernel(place, license) if kernel else notices.of_pair(license, details)
        found = verified[item.tried.pk] if item.tried else None
        profile = Profile(
            operation, difficulty, license, item.origin, source.category if source else None,
            item.reviewed, notice.key, found["device"] if found else NONE,
            tuple(found["checks"]) if found else (),
        )  # fmt: skip
        said = found and {**found, "checks": found["checks"] or NO_CHECKS}
        metadata = (
            f'{{{_kind(profile, tags)},"entry_point":{encode_text(entry_point)},'
            f'"origin":"{item.origin}","provenance":{_provenance(place, sources, license, notice)},'
            f'"verified":{encode(said)},"differentiable":{encode(differentiable)},'
            f'"recipe":{encode_text(recipe or None)},"category":{encode_text(profile.category)},'
            f'"details":{encode_text(encode(details) if details else None)},'
            f"{_common(item, profile, source)}}}"
        )
        identity = record_id("pair", slug, item.content_hash)
        yield Draft(identity, item.content_hash, metadata, tuple(texts)), profile


def _kind(profile: Profile, tags: str) -> str:
    return (
        f'"operation_type":{encode_text(profile.operation_type)},'
        f'"difficulty":{encode_text(profile.difficulty)},"tags":{_spelled(tags)}'
    )


@lru_cache(maxsize=4096)
def _spelled(tags: str) -> str:
    return encode(json.loads(tags))


def _common(item: Leaving, profile: Profile, source: Source | None) -> str:
    stars = source.stars if source else None
    return (
        f'"license":{encode_text(profile.license)},"notice":"{profile.notice}",'
        f'"reviewed":{"true" if profile.reviewed else "false"},"tokens":{item.tokens},'
        f'"stars":{"null" if stars is None else stars},"weight":{item.weight!r}'
    )


def _provenance(
    place: Place | None, sources: Mapping[int, Source], license: str | None, notice: Shared
) -> str:
    # Every key, also where nothing is known: see `columns`.
    return (
        f'{{{located(place, sources) if place else NOWHERE},"license":{encode_text(license)},'
        f'"copyright":{encode_text(notice.copyright or None)}}}'
    )


def _rows(model: Any, pks: Collection[int], columns: Sequence[Any]) -> dict[int, tuple[Any, ...]]:
    rows = model.objects.filter(pk__among=frozenset(pks)).order_by()
    return {row[0]: row for row in rows.values_list("pk", *columns)}


def _verified(results: Sequence[int]) -> dict[int, dict[str, Any]]:
    checks: dict[int, dict[str, str]] = defaultdict(dict)
    rows = ValidationCheck.objects.filter(result__among=results).order_by()
    for result, name, outcome in rows.values_list("result_id", "name", "outcome"):
        checks[result][name] = outcome
    found = ValidationResult.objects.filter(pk__among=results).order_by()
    rest = list(found.values_list("pk", "run_id", "figures", "created_at"))
    runs = ValidationRun.objects.filter(pk__among={run for _, run, *_ in rest}).order_by()
    about = {pk: said for pk, *said in runs.values_list("pk", "device", "environment")}
    return {
        pk: {
            "device": device,
            "torch": _text(environment, "torch"),
            "triton": _text(environment, "triton"),
            "python": _text(environment, "python"),
            "checks": dict(sorted(checks[pk].items())),
            "cases": _number(figures, "cases", int),
            "max_abs_error": _number(figures, "max_abs_error", float),
            "max_rel_error": _number(figures, "max_rel_error", float),
            "speedup": _number(figures, "speedup", float),
            "at": _moment(at),
        }
        for pk, run, figures, at in rest
        for device, environment in [about[run]]
    }


def completed(metadata: str, own: tuple[str, ...], checks: tuple[str, ...]) -> str:
    """With a word on each of the checks that any of the records' validations made."""
    if own == checks:
        return metadata
    said = json.loads(metadata)
    if verified := said["verified"]:
        verified["checks"] = {name: verified["checks"].get(name) for name in checks}
    return encode(said)


def _text(document: Mapping[str, Any], key: str) -> str | None:
    value = document.get(key)
    return None if value is None else str(value)


def _number(document: Mapping[str, Any], key: str, kind: type[int] | type[float]) -> Any:
    value = document.get(key)
    return kind(value) if isinstance(value, int | float) else None


def _moment(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def kernel_texts(pks: Collection[int], options: Options) -> dict[int, str]:
    """Of units that are not whole files."""
    rows = _rows(Kernel, pks, _text_columns(options))
    return {pk: _joined(parts) for pk, *parts in rows.values()}


def pair_texts(pks: Collection[int]) -> dict[int, tuple[str, ...]]:
    return {pk: tuple(texts) for pk, *texts in _rows(Pair, pks, PAIR_TEXTS).values()}


def _text_columns(options: Options) -> tuple[str, ...]:
    """What a kernel's text is joined of; nothing where it is its file's."""
    if options.unit == "file":
        return ()
    unit = "function_source" if options.unit == "function" else "standalone_source"
    return (unit, "launcher_source") if options.with_launcher else (unit,)


def _joined(parts: Sequence[str]) -> str:
    """A unit and, where there is one, its launcher below it."""
    return "\n\n".join(part if part.endswith("\n") else f"{part}\n" for part in parts if part)
