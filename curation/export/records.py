"""Records in the dataset's form, made from batches of selected items."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from curation.evidence.pass_rates import rates_of
from curation.evidence.places import LINES, KernelPlace
from curation.evidence.sources import ExportSource
from curation.evidence.subjects import KERNEL, PAIR
from curation.export.facts import PAIR_TEXTS, ExportItem
from curation.export.notices import Notices
from curation.export.options import ExportOptions, weigher
from curation.export.schema import (
    NO_CHECKS,
    NONE,
    PALLAS,
    ClaimColumn,
    KernelRecord,
    PairRecord,
    PassAtK,
    Place,
    VerifiedColumn,
)
from curation.export.splits import FREE
from curation.export.verified import verified
from curation.export.why import claim_columns, reasons_given
from curation.models import PairOrigin, PassRate
from curation.pairs.descriptions import public_name
from curation.pairs.min_triton import min_triton

NO_WORD = re.compile(r"[^a-z0-9]+")
NOWHERE: Place = {
    "repository": None, "commit": None, "path": None, "lines": None, "cell": None, "url": None,
}  # fmt: skip


@dataclass(slots=True)
class Record:
    """A record to export, and values that only splits and statistics use."""

    kind: str
    pk: int
    name: str
    content_hash: str
    document: dict[str, Any]
    # Name of the record's repository, or "".
    repository: str
    # The repository or origin under which the mixing table counts the record.
    mixed_as: str
    # Kind of the actor that approved it, or NONE.
    approved_by: str
    # The device of the validation that admitted the pair, or NONE.
    device: str = NONE
    # The split in earlier exports, and the split in this export.
    known: int = FREE
    split: int = FREE

    @property
    def metadata(self) -> dict[str, Any]:
        metadata: dict[str, Any] = self.document["metadata"]
        return metadata

    @property
    def id(self) -> str:
        name: str = self.document["id"] if self.kind == "pair" else self.metadata["id"]
        return name

    @property
    def texts(self) -> tuple[str, ...]:
        columns = PAIR_TEXTS if self.kind == "pair" else ("input",)
        return tuple(self.document[column] for column in columns)

    @property
    def is_pallas(self) -> bool:
        """Return whether the kernel is in Pallas instead of Triton. Pallas has separate files."""
        return self.metadata.get("language") == PALLAS

    @property
    def source(self) -> str:
        """Return the record's source. It may fill at most a fifth of validation and of test."""
        return self.metadata.get("recipe") or self.repository or self.metadata["origin"]

    @property
    def checks(self) -> dict[str, str | None]:
        """Return the outcome of each check of the validation that admitted the pair."""
        verified = self.metadata.get("verified")
        return verified["checks"] if verified else {}


class RecordBuilder:
    """Builder of records from batches of items. The records keep the order of the items.

    brief: True to omit claims and reasons, which splits and counts do not use.
    """

    def __init__(
        self, options: ExportOptions, sources: Mapping[int, ExportSource], notices: Notices,
        *, brief: bool,
    ) -> None:  # fmt: skip
        self._options = options
        self._brief = brief
        self._sources = sources
        self._notices = notices
        self._weight = weigher(options.upsample, sources)

    def records(self, kind: str, batch: Sequence[ExportItem]) -> Iterator[Record]:
        subject = KERNEL if kind == "kernel" else PAIR
        pks = [item.pk for item in batch]
        claims = {} if self._brief else claim_columns(subject, pks)
        with_reasons = self._options.with_reasons and not self._brief
        why = reasons_given(kind, batch) if with_reasons else {}
        rates = rates_of(set(pks)) if kind == "pair" else {}
        columns = verified({item.validation.pk for item in batch if item.validation})
        for item in batch:
            source, validation = self._sources.get(item.source), item.validation
            about = _About(item, source, claims.get(item.pk, []), why.get(item.pk, []))
            if kind == "kernel":
                document: KernelRecord | PairRecord = self._kernel(about)
            else:
                passed = [_pass_at_k(rate) for rate in rates.get(item.pk, ())]
                document = self._pair(
                    about, columns.get(validation.pk) if validation else None, passed
                )
            # A pair that was written for the dataset comes from no repository.
            named = item.origin == PairOrigin.REAL_WORLD
            repository = document["metadata"]["provenance"]["repository"] if named else None
            yield Record(
                kind, item.pk, item.name, item.content_hash, cast(dict[str, Any], document),
                source.name if source else repository or "", source.name if source else item.origin,
                item.approved_by or NONE, validation.device if validation else NONE,
            )  # fmt: skip

    def _kernel(self, about: "_About") -> KernelRecord:
        item, source = about.item, about.source
        row, (text,) = item.row, item.texts
        place = item.places[0] if item.places else None
        notice = self._notices.of_kernel(place, item.license)
        return {
            "input": text,
            "metadata": {
                "id": record_id("kernel", item.name, item.content_hash),
                "name": item.name,
                "operation_type": row["operation_type"] or "other",
                "difficulty": row["difficulty"] or None,
                "tags": row["tags"],
                "kind": row["kind"],
                "language": row["language"],
                "unit": self._options.unit,
                "hardware": item.hardware,
                "min_triton": self._min_triton(item),
                "max_triton": None,
                "origin": item.origin,
                "category": source.category if source else None,
                "seen": len([one for one in item.places if one.live]),
                "lines": item.lines,
                "provenance": {
                    **(located(place, self._sources) if place else NOWHERE),
                    "license": item.license,
                    "copyright": notice.copyright or None,
                },
                "license": item.license,
                "notice": notice.key,
                "reviewed": item.reviewed,
                "claims": about.claims,
                "why": about.why,
                "tokens": item.tokens,
                "stars": source.stars if source else None,
                "weight": self._weight(item.source, item.origin),
            },
        }

    def _min_triton(self, item: ExportItem) -> str:
        """Return the minimum Triton release. Compute it unless the stored one is for this text."""
        is_unit = not item.parts and not self._options.with_launcher
        stored: str = item.row["min_triton"]
        return stored if is_unit and stored else min_triton(item.texts[0])

    def _pair(
        self, about: "_About", column: VerifiedColumn | None, passed: list[PassAtK]
    ) -> PairRecord:
        """Return a pair's record with the checks of its own validation. See also `fill_checks`."""
        item, source = about.item, about.source
        row, texts = item.row, item.texts
        place = item.places[0] if item.places else None
        provenance = row["metadata"].get("provenance") or {}
        grades = item.validation.grades if item.validation else {}
        # A pair drafted from a kernel is distributed under the kernel's license terms.
        notice = (
            self._notices.of_kernel(place, item.license)
            if row["kernel_id"]
            else self._notices.of_pair(item.license, str(provenance.get("copyright") or ""))
        )
        return {
            "id": record_id("pair", item.name, item.content_hash),
            "python_code": texts[0],
            "triton_code": texts[1],
            "test_code": texts[2],
            "metadata": {
                "description": row["description"],
                "operation_type": row["operation_type"],
                "difficulty": row["difficulty"],
                "tags": row["tags"],
                "entry_point": row["entry_point"],
                "origin": item.origin,
                "hardware": item.hardware,
                "min_triton": row["min_triton"],
                "max_triton": None,
                "differentiable": row["differentiable"],
                "computed_by": grades.get("computed_by"),
                "torch_operations": list(grades.get("torch_operations") or ()),
                "mutates": [str(name) for name in row["metadata"].get("mutates") or ()],
                "provenance": {
                    **(located(place, self._sources) if place else _recorded(provenance)),
                    "license": item.license,
                    "copyright": notice.copyright or None,
                },
                "verified": column,
                "pass_at_k": passed,
                "recipe": row["recipe"] or None,
                "ladder": row["ladder"] or None,
                "rung": row["rung"] or None,
                "category": source.category if source else None,
                "license": item.license,
                "notice": notice.key,
                "reviewed": item.reviewed,
                "claims": about.claims,
                "why": about.why,
                "tokens": item.tokens,
                "stars": source.stars if source else None,
                "weight": self._weight(item.source, item.origin),
            },
        }


@dataclass(frozen=True, slots=True)
class _About:
    """An item with its source, claims and reasons."""

    item: ExportItem
    source: ExportSource | None
    claims: list[ClaimColumn]
    why: list[str]


def fill_checks(pairs: Sequence[Record]) -> tuple[str, ...]:
    """Add a null to each validated pair for each check that only other pairs' validations made.

    Return the names of all checks.
    """
    names = tuple(sorted({name for pair in pairs for name in pair.checks}))
    for pair in pairs:
        if verified := pair.metadata["verified"]:
            verified["checks"] = {name: verified["checks"].get(name) for name in names or NO_CHECKS}
    return names


def _pass_at_k(row: PassRate) -> PassAtK:
    return {
        "model": row.model,
        "k": row.k,
        "n": row.n,
        "passed": row.passed,
        "rate": round(row.rate, 6),
    }


def record_id(kind: str, name: str, content_hash: str) -> str:
    """Return a readable id. The same content always has the same id.

    Thousands of kernels share a name, so their ids contain more of the hash than a pair's.
    """
    slug = NO_WORD.sub("-", name.lower()).strip("-")[:80].rstrip("-")
    return f"{slug or kind}-{content_hash[: 8 if kind == 'pair' else 12]}"


def located(place: KernelPlace, sources: Mapping[int, ExportSource]) -> Place:
    source = sources[place.source]
    page = source.row.page_url(place.commit, place.path) if place.commit and place.path else ""
    first, last = place.lines
    # GitHub has no URL for lines in a cell of a notebook.
    part = "" if place.cell or not last else f"#L{first}-L{last}"
    commit = source.row.stated.get("commit", "") if source.row.stated else place.commit
    return {
        "repository": source.name,
        "commit": commit or None,
        "path": place.path or None,
        "lines": [first, last] if last else None,
        "cell": place.cell or None,
        "url": f"{page}{part}" if page else None,
    }


def _recorded(provenance: Mapping[str, Any]) -> Place:
    """Return the place that a pair's stored provenance names, for a pair without a kernel."""
    ends = LINES.fullmatch(str(provenance.get("lines", "")))
    return {
        "repository": public_name(str(provenance.get("repository") or "")) or None,
        "commit": provenance.get("commit") or None,
        "path": provenance.get("path") or None,
        "lines": [int(end) for end in ends.groups()] if ends else None,
        "cell": None,
        "url": provenance.get("url") or None,
    }
