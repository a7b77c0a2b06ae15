"""Records in the dataset's form, made from batches of selected items.

A release stores the metadata of its records, and is rebuilt from them and from the sources, which
never change.
"""

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, cast

from curation.evidence.pass_rates import rates_of
from curation.evidence.places import LINES, KernelPlace
from curation.evidence.sources import ExportSource
from curation.evidence.subjects import KERNEL, PAIR
from curation.export.facts import PAIR_TEXTS, ExportItem
from curation.export.notices import Notices
from curation.export.options import ExportOptions
from curation.export.schema import (
    NO_CHECKS,
    NONE,
    KernelRecord,
    PairRecord,
    PassAtK,
    Place,
    RecordProfile,
    VerifiedColumn,
)
from curation.export.why import claim_columns, open_claims, reasons_given
from curation.models import PairOrigin, PassRate, ValidationCheck, ValidationResult, ValidationRun
from curation.pairs.descriptions import public_name
from curation.pairs.min_triton import min_triton

NO_WORD = re.compile(r"[^a-z0-9]+")
NOWHERE: Place = {
    "repository": None, "commit": None, "path": None, "lines": None, "cell": None, "url": None,
}  # fmt: skip


@dataclass(slots=True)
class Draft:
    """A record whose split is not known yet, with its counts."""

    record: KernelRecord | PairRecord
    profile: RecordProfile
    lines: int
    size: int


class RecordBuilder:
    """Builder of records from batches of items, in their order."""

    def __init__(
        self, options: ExportOptions, sources: Mapping[int, ExportSource], notices: Notices
    ) -> None:
        self._options = options
        self._sources = sources
        self._notices = notices

    def drafts(self, kind: str, batch: Sequence[ExportItem]) -> Iterator[Draft]:
        return self._kernels(batch) if kind == "kernel" else self._pairs(batch)

    def _why(self, kind: str, batch: Sequence[ExportItem]) -> Mapping[int, list[str]]:
        if not self._options.with_reasons:
            return {}
        return reasons_given(kind, {item.pk: item.content_hash for item in batch})

    def _kernels(self, batch: Sequence[ExportItem]) -> Iterator[Draft]:
        why = self._why("kernel", batch)
        claims = claim_columns(KERNEL, [item.pk for item in batch])
        for item in batch:
            row, (text,) = item.row, item.texts
            place = item.places[0] if item.places else None
            source = self._sources[place.source] if place else None
            notice = self._notices.of_kernel(place, item.license)
            profile = RecordProfile(
                row["operation_type"] or "other", row["difficulty"] or None, item.license,
                item.origin, source.category if source else None, item.reviewed, notice.key,
                repository=source.name if source else "", language=row["language"],
                approved_by=item.approved_by or NONE,
                open_claims=open_claims(claims[item.pk]),
            )  # fmt: skip
            record: KernelRecord = {
                "input": text,
                "metadata": {
                    "id": record_id("kernel", item.name, item.content_hash),
                    "name": item.name,
                    "operation_type": profile.operation_type,
                    "difficulty": profile.difficulty,
                    "tags": _parsed(row["tags"]),
                    "kind": row["kind"],
                    "language": row["language"],
                    "unit": self._options.unit,
                    "hardware": item.hardware,
                    "min_triton": item.min_triton or min_triton(text),
                    "max_triton": None,
                    "origin": item.origin,
                    "category": profile.category,
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
                    "claims": claims[item.pk],
                    "why": why.get(item.pk, []),
                    "tokens": item.tokens,
                    "stars": source.stars if source else None,
                    "weight": item.weight,
                },
            }
            yield Draft(record, profile, text.count("\n"), _size(text))

    def _pairs(self, batch: Sequence[ExportItem]) -> Iterator[Draft]:
        """Yield drafts of pairs. Each has only its own checks: see `Record.add_checks`."""
        why = self._why("pair", batch)
        claims = claim_columns(PAIR, [item.pk for item in batch])
        rates = rates_of({item.pk for item in batch})
        validations = verified({item.validation.pk for item in batch if item.validation})
        for item in batch:
            row, texts = item.row, dict(zip(PAIR_TEXTS, item.texts, strict=True))
            place = item.places[0] if item.places else None
            source = self._sources[place.source] if place else None
            own = _recorded(row["metadata"])
            # A pair drafted from a kernel is distributed on the kernel's terms.
            notice = (
                self._notices.of_kernel(place, item.license)
                if row["kernel_id"]
                else self._notices.of_pair(item.license, own.copyright)
            )
            validation = validations[item.validation.pk] if item.validation else UNVERIFIED
            # A pair that was written for the dataset has no repository of its own.
            repository = own.repository if item.origin == PairOrigin.REAL_WORLD else ""
            profile = RecordProfile(
                row["operation_type"], row["difficulty"], item.license, item.origin,
                source.category if source else None, item.reviewed, notice.key, validation.device,
                validation.checks, row["recipe"], source.name if source else repository,
                approved_by=item.approved_by or NONE,
                open_claims=open_claims(claims[item.pk]),
            )  # fmt: skip
            record: PairRecord = {
                "id": record_id("pair", item.name, item.content_hash),
                "python_code": texts["python_code"],
                "triton_code": texts["triton_code"],
                "test_code": texts["test_code"],
                "metadata": {
                    "description": row["description"],
                    "operation_type": profile.operation_type,
                    "difficulty": row["difficulty"],
                    "tags": _parsed(row["tags"]),
                    "entry_point": row["entry_point"],
                    "origin": item.origin,
                    "hardware": item.hardware,
                    "min_triton": item.min_triton,
                    "max_triton": None,
                    "differentiable": bool(row["differentiable"]),
                    "computed_by": validation.computed_by,
                    "torch_operations": validation.torch_operations,
                    "mutates": own.mutates,
                    "provenance": {
                        **(located(place, self._sources) if place else own.place),
                        "license": item.license,
                        "copyright": notice.copyright or None,
                    },
                    "verified": validation.column,
                    "pass_at_k": [_pass_at_k(rate) for rate in rates.get(item.pk, ())],
                    "recipe": row["recipe"] or None,
                    "category": profile.category,
                    "license": item.license,
                    "notice": notice.key,
                    "reviewed": item.reviewed,
                    "claims": claims[item.pk],
                    "why": why.get(item.pk, []),
                    "tokens": item.tokens,
                    "stars": source.stars if source else None,
                    "weight": item.weight,
                },
            }
            text = "".join(item.texts)
            yield Draft(record, profile, text.count("\n"), _size(text))


def _pass_at_k(row: PassRate) -> PassAtK:
    return {
        "model": row.model,
        "k": row.k,
        "n": row.n,
        "passed": row.passed,
        "rate": round(row.rate, 6),
    }


def record_id(kind: str, name: str, content_hash: str) -> str:
    """Return a readable id, stable for the same content.

    Thousands of kernels share a name, so their ids contain more of the hash than a pair's.
    """
    slug = NO_WORD.sub("-", name.lower()).strip("-")[:80].rstrip("-")
    return f"{slug or kind}-{content_hash[: 8 if kind == 'pair' else 12]}"


def located(place: KernelPlace, sources: Mapping[int, ExportSource]) -> Place:
    source = sources[place.source]
    page = _page(source, place.commit, place.path)
    first, last = place.lines
    return {
        "repository": source.name,
        "commit": place.commit,
        "path": place.path,
        "lines": [first, last],
        "cell": place.cell or None,
        # GitHub has no URL for the lines of a notebook's cell.
        "url": f"{page}#L{first}-L{last}" if page and not place.cell else page or None,
    }


# The kernels of a file mostly follow each other.
@lru_cache(maxsize=512)
def _page(source: ExportSource, commit: str, path: str) -> str:
    return source.page(commit, path)


@lru_cache(maxsize=512)
def _parsed(tags: str) -> list[str]:
    parsed: list[str] = json.loads(tags)
    return parsed


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


@dataclass(frozen=True, slots=True)
class _Recorded:
    """Stored provenance of a pair without a kernel."""

    place: Place
    copyright: str
    repository: str
    mutates: list[str]
    """Arguments that the function writes to."""


# All pairs by recipe have the same metadata.
@lru_cache(maxsize=512)
def _recorded(metadata: str) -> _Recorded:
    """Parse the JSON that a pair was stored with."""
    stored = json.loads(metadata)
    provenance = stored.get("provenance") or {}
    ends = LINES.fullmatch(str(provenance.get("lines", "")))
    repository = public_name(str(provenance.get("repository") or ""))
    return _Recorded(
        {
            "repository": repository or None,
            "commit": provenance.get("commit") or None,
            "path": provenance.get("path") or None,
            "lines": [int(end) for end in ends.groups()] if ends else None,
            "cell": None,
            "url": provenance.get("url") or None,
        },
        str(provenance.get("copyright") or ""),
        repository,
        [str(name) for name in stored.get("mutates") or ()],
    )


# --- Validations -----------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Verified:
    """The validation that admitted a pair."""

    device: str = NONE
    checks: tuple[str, ...] = ()
    column: VerifiedColumn | None = None
    # The parts that compute: Triton, torch.
    computed_by: str | None = None
    torch_operations: list[str] = field(default_factory=list)


UNVERIFIED = Verified()


def verified(results: Collection[int]) -> dict[int, Verified]:
    """Return the validations by result."""
    checks: dict[int, dict[str, str | None]] = defaultdict(dict)
    rows = ValidationCheck.objects.filter(result__among=results).order_by()
    for result, name, outcome in rows.values_list("result_id", "name", "outcome"):
        checks[result][name] = outcome
    rows_of_results = ValidationResult.objects.filter(pk__among=results).order_by()
    rest = list(rows_of_results.values_list("pk", "run_id", "figures", "created_at"))
    runs = ValidationRun.objects.filter(pk__among={run for _, run, *_ in rest}).order_by()
    by_run = {
        pk: (device, environment)
        for pk, device, environment in runs.values_list("pk", "device", "environment")
    }
    return {pk: _verified(*by_run[run], checks[pk], figures, at) for pk, run, figures, at in rest}


def _verified(
    device: str,
    environment: Mapping[str, Any],
    checks: Mapping[str, str | None],
    figures: Mapping[str, Any],
    at: datetime,
) -> Verified:
    def version(name: str) -> str | None:
        value = environment.get(name)
        return None if value is None else str(value)

    def number(name: str, kind: type[int] | type[float]) -> Any:
        value = figures.get(name)
        return kind(value) if isinstance(value, int | float) else None

    grades = figures.get("grades") or {}
    own_error = grades.get("own_error")
    checks = dict(sorted(checks.items()))
    column: VerifiedColumn = {
        "device": device,
        "torch": version("torch"),
        "triton": version("triton"),
        "python": version("python"),
        "checks": checks or cast(dict[str, str | None], NO_CHECKS),
        "cases": number("cases", int),
        "max_abs_error": number("max_abs_error", float),
        "max_rel_error": number("max_rel_error", float),
        "accuracy": grades.get("accuracy"),
        "own_error": None if own_error is None else float(own_error),
        "sizes": grades.get("sizes"),
        "values": grades.get("values"),
        "special_values": grades.get("special_values"),
        "unvaried": grades.get("unvaried"),
        "launched": grades.get("launched"),
        "test_strength": grades.get("test_strength"),
        "speedup": number("speedup", float),
        "at": at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
    operations = list(grades.get("torch_operations") or ())
    return Verified(device, tuple(checks), column, grades.get("computed_by"), operations)
