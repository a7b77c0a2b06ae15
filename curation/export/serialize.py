"""Serialization of records into JSON, before the splits are known.

Metadata is serialized once, in its final form. Parts that many records share are cached.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from curation.evidence.notices import texts_named
from curation.evidence.places import KernelPlace
from curation.evidence.sources import ExportSource
from curation.export.export_item import ExportItem
from curation.export.ledger import NOWHERE, located, record_id
from curation.export.lines import encode, encode_text
from curation.export.notices import Notices, SharedNotice
from curation.export.options import ExportOptions
from curation.export.records import PAIR_TEXTS, joined
from curation.export.statistics import NONE, RecordProfile
from curation.export.verified import UNVERIFIED, verified
from curation.models import PairOrigin
from curation.pairs.descriptions import public_name
from curation.pairs.min_triton import min_triton

Draft: TypeAlias = tuple[str, str, str, tuple[str, ...]]
"""Id, content hash, metadata and texts, the latter two as JSON; spooled in this form."""

Drafted: TypeAlias = tuple[Draft, tuple[int, int, int]]
"""A draft with its counts: profile number, lines and bytes of its texts."""


@dataclass(frozen=True, slots=True)
class _Mould:
    """JSON parts that many records share: a million records have some thousands."""

    profile: int
    kind: str
    category: str
    terms: str
    rights: str
    end: str


class RecordSerializer:
    """Serializer of records, each with its counts."""

    def __init__(
        self,
        options: ExportOptions,
        sources: Mapping[int, ExportSource],
        notices: Notices,
        profiles: dict[RecordProfile, int],
    ) -> None:
        self._options = options
        self._sources = sources
        self._notices = notices
        self._profiles = profiles
        self._mould = lru_cache(maxsize=512)(self._moulded)

    def kernels(self, batch: Sequence[ExportItem]) -> Iterator[Drafted]:
        """Yield drafts of kernels in the order of the batch."""
        of_files = texts_named([item.content_hash for item in batch if item.file])
        for item in batch:
            tags, operation, difficulty, kind, language, lines, hardware, lowest = (
                item.extra_columns
            )
            hardwares = [hardware]
            if item.file:
                lines = item.file.lines
                hardwares = sorted({known.facts.hardware for known in item.file.kernels})
            text = of_files[item.content_hash] if item.file else joined(item.texts)
            if not lowest or item.file or self._options.with_launcher:
                lowest = min_triton(text)
            license, place = item.license, _first(item)
            mould = self._mould(
                tags, operation or "other", difficulty or None, license, item.origin, item.weight,
                place and place.source, item.reviewed, self._notices.of_kernel(place, license),
                repository=self._sources[place.source].name if place else "",
                language=language,
            )  # fmt: skip
            identity = record_id("kernel", item.name, item.content_hash)
            metadata = (
                f'{{"id":"{identity}","name":{encode_text(item.name)},{mould.kind},'
                f"{_form(kind, language, self._options.unit)},"
                f"{_runs_on(*hardwares, lowest=lowest)},"
                f'"origin":"{item.origin}","category":{mould.category},'
                f'"seen":{len([one for one in item.places if one.live])},"lines":{lines},'
                f'"provenance":{{{self._where(place)},{mould.terms}}},'
                f"{mould.rights},"
                f'"tokens":{item.tokens},{mould.end}}}'
            )
            yield (
                (identity, item.content_hash, metadata, (encode_text(text),)),
                (mould.profile, text.count("\n"), _size(text)),
            )  # fmt: skip

    def pairs(self, batch: Sequence[ExportItem]) -> Iterator[Drafted]:
        """Yield drafts of pairs in the order of the batch.

        Each has only its own checks; `completed` adds the others.
        """
        by_result = verified({item.validation.pk for item in batch if item.validation})
        for item in batch:
            (
                tags, operation, difficulty, kernel, entry_point, differentiable, recipe, stored,
                hardware, lowest, description,
            ) = item.extra_columns  # fmt: skip
            lowest = lowest or min_triton(item.texts[PAIR_TEXTS.index("triton_code")])
            license, place = item.license, _first(item)
            own = _recorded(stored)
            # A pair drafted from a kernel is distributed on the kernel's terms.
            notice = (
                self._notices.of_kernel(place, license)
                if kernel
                else self._notices.of_pair(license, own.copyright)
            )
            validation = by_result[item.validation.pk] if item.validation else UNVERIFIED
            mould = self._mould(
                tags, operation, difficulty, license, item.origin, item.weight,
                place and place.source, item.reviewed, notice, validation.device, validation.checks,
                recipe, self._repository(item, place, own),
            )  # fmt: skip
            metadata = (
                f'{{"description":{encode_text(description)},{mould.kind},'
                f'"entry_point":{encode_text(entry_point)},'
                f'"origin":"{item.origin}",{_runs_on(hardware, lowest=lowest)},'
                f'"differentiable":{"true" if differentiable else "false"},'
                f'{validation.computed_by},"mutates":{own.mutates},'
                f'"provenance":{{{self._where(place) if place else own.members},{mould.terms}}},'
                f'"verified":{validation.json_text},'
                f'"recipe":{encode_text(recipe or None)},"category":{mould.category},'
                f'{mould.rights},"tokens":{item.tokens},{mould.end}}}'
            )
            identity = record_id("pair", item.name, item.content_hash)
            yield (
                (identity, item.content_hash, metadata, tuple(map(encode_text, item.texts))),
                (mould.profile, "".join(item.texts).count("\n"), sum(map(_size, item.texts))),
            )  # fmt: skip

    def _repository(self, item: ExportItem, place: KernelPlace | None, own: "_Recorded") -> str:
        """Return the repository of a pair's code; "" if it was written for the dataset."""
        if place:
            return self._sources[place.source].name
        return own.repository if item.origin == PairOrigin.REAL_WORLD else ""

    def _where(self, place: KernelPlace | None) -> str:
        # Every key, also without a value: see `columns`.
        return located(place, self._sources) if place else NOWHERE

    def _moulded(
        self,
        tags: str,
        operation: str,
        difficulty: str | None,
        license: str | None,
        origin: str,
        weight: float,
        place: int | None,
        reviewed: bool,
        notice: SharedNotice,
        device: str = NONE,
        checks: tuple[str, ...] = (),
        recipe: str = "",
        repository: str = "",
        language: str = "",
    ) -> _Mould:
        source = self._sources[place] if place else None
        category = source.category if source else None
        profile = RecordProfile(
            operation, difficulty, license, origin, category, reviewed, notice.key, device, checks,
            recipe, repository,
            language,
        )  # fmt: skip
        stars = source.stars if source else None
        return _Mould(
            self._profiles.setdefault(profile, len(self._profiles)),
            f'"operation_type":{encode_text(operation)},"difficulty":{encode_text(difficulty)},'
            f'"tags":{encode(json.loads(tags))}',
            encode_text(category),
            f'"license":{encode_text(license)},"copyright":{encode_text(notice.copyright or None)}',
            f'"license":{encode_text(license)},"notice":"{notice.key}",'
            f'"reviewed":{"true" if reviewed else "false"}',
            f'"stars":{"null" if stars is None else stars},"weight":{weight!r}',
        )


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


def _first(item: ExportItem) -> KernelPlace | None:
    return item.places[0] if item.places else None


class _Recorded(NamedTuple):
    """Stored provenance of a pair without a kernel, as JSON."""

    members: str
    """Members of a JSON object."""
    copyright: str
    repository: str
    mutates: str
    """Arguments that the function writes to, as a JSON list."""


# All pairs by recipe have the same metadata.
@lru_cache(maxsize=512)
def _recorded(metadata: str) -> _Recorded:
    """Parse the JSON that a pair was stored with."""
    stored = json.loads(metadata)
    provenance = stored.get("provenance") or {}
    ends = re.fullmatch(r"(\d+)-(\d+)", str(provenance.get("lines", "")))
    repository = public_name(str(provenance.get("repository") or ""))
    members = {
        "repository": repository or None,
        "commit": provenance.get("commit") or None,
        "path": provenance.get("path") or None,
        "lines": [int(end) for end in ends.groups()] if ends else None,
        "cell": None,
        "url": provenance.get("url") or None,
    }
    return _Recorded(
        encode(members)[1:-1],
        str(provenance.get("copyright") or ""),
        repository,
        encode([str(name) for name in stored.get("mutates") or ()]),
    )


@lru_cache(maxsize=256)
def _runs_on(*hardware: str, lowest: str) -> str:
    return f'"hardware":{encode(list(hardware))},"min_triton":"{lowest}","max_triton":null'


@lru_cache(maxsize=256)
def _form(kind: str, language: str, unit: str) -> str:
    return f'"kind":{encode_text(kind)},"language":{encode_text(language)},"unit":"{unit}"'
