"""Runs of all kinds as one list, and the items of each, for pages and commands."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet

from curation.errors import CurationError
from curation.models import (
    Device,
    ExportRun,
    IngestRun,
    Kernel,
    Pair,
    Run,
    RunState,
    TriedCase,
    ValidationResult,
    ValidationRun,
    Verdict,
)
from curation.web.access import parse_time

PAGE = 50
ITEMS = 50


@dataclass(frozen=True, slots=True)
class RunKind:
    model: type[Any]
    rows: Callable[[], QuerySet[Any]]


def _ingests() -> QuerySet[IngestRun]:
    return IngestRun.objects.select_related("requested_by", "repository").defer("log")


def _validations() -> QuerySet[ValidationRun]:
    rows = ValidationRun.objects.select_related("requested_by")
    return rows.defer("log", "batch", "environment", "options")


def _exports() -> QuerySet[ExportRun]:
    return ExportRun.objects.select_related("requested_by").defer("log", "funnel", "options")


def _tried() -> QuerySet[TriedCase]:
    return TriedCase.objects.select_related("requested_by", "pair").defer(
        "log", "report", *(f"pair__{name}" for name in Pair.SOURCES)
    )


KINDS: Mapping[str, RunKind] = {
    "ingest": RunKind(IngestRun, _ingests),
    "validation": RunKind(ValidationRun, lambda: _validations().exclude(device=Device.COMPILER)),
    "compile": RunKind(ValidationRun, lambda: _validations().filter(device=Device.COMPILER)),
    "export": RunKind(ExportRun, _exports),
    "try": RunKind(TriedCase, _tried),
}
STATES = tuple(RunState.values)
# Queries of all kinds. Runs with the same time are listed in this order.
_ALL = (_ingests, _validations, _exports, _tried)


class NoSuchRun(CurationError):
    """There is no run with this label."""


def find_run(label: str) -> Run:
    """Return the run that `label` names, such as `validation:12`."""
    kind, _, number = label.strip().partition(":")
    if kind not in KINDS or not number.isdecimal() or len(number) > 18:
        raise NoSuchRun(
            f"{label!r} is not a run. Write it as {', '.join(KINDS)}, “:” and a number, "
            "such as validation:12."
        )
    run: Run | None = KINDS[kind].model._default_manager.filter(pk=int(number)).first()
    if run is None:
        raise NoSuchRun(f"There is no run {label}.")
    return run


@dataclass(frozen=True, slots=True)
class RunPage:
    runs: list[Run]
    following: str
    """Cursor of the next page; empty on the last page."""


def newest(kind: str = "", state: str = "", after: str = "", size: int = PAGE) -> RunPage:
    """List runs, newest first. Without a state, omit running runs (see `running`)."""
    listed: list[Run] = []
    for rows in _rows(kind):
        rows = rows.filter(state=state) if state else rows.exclude(state=RunState.RUNNING)
        if (before := parse_time(after)) is not None:
            rows = rows.filter(created_at__lt=before)
        listed += rows.order_by("-created_at", "-pk")[: size + 1]
    listed.sort(key=lambda run: run.created_at, reverse=True)
    end = size
    # The cursor is a time, so that runs of one time are on one page.
    while end < len(listed) and listed[end].created_at == listed[end - 1].created_at:
        end += 1
    following = listed[end - 1].created_at.isoformat() if len(listed) > size else ""
    return RunPage(listed[:end], following)


def running(kind: str = "") -> list[Run]:
    """List runs that a worker is running, oldest first."""
    runs = [run for rows in _rows(kind) for run in rows.filter(state=RunState.RUNNING)[:PAGE]]
    return sorted(runs, key=lambda run: (run.started_at or run.created_at, run.label))


def _rows(kind: str) -> list[QuerySet[Any]]:
    return [KINDS[kind].rows()] if kind else [rows() for rows in _ALL]


# --- The items of a run ---------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class RunItem:
    """A kernel or pair of a validation, with its result. Before the check the result is None."""

    item: Kernel | Pair
    result: ValidationResult | None


@dataclass(frozen=True, slots=True)
class RunItems:
    rows: list[RunItem]
    counts: list[tuple[str, int]]
    """Number of items by verdict, failures first, including `no result`."""
    following: str


NO_RESULT = "no result"


def items_of(run: ValidationRun, page: str = "", size: int = ITEMS) -> RunItems:
    """List the items of a validation: failures, no result, then passed items."""
    model: type[Kernel] | type[Pair] = Kernel if run.device == Device.COMPILER else Pair
    column = f"{model._meta.model_name}_id"
    verdicts = dict(run.results.order_by().values_list(column, "verdict"))
    batch_keys = [int(key) for _, key, _ in run.batch]
    ordered = sorted((_rank(verdicts.get(key)), key) for key in batch_keys)
    part = Paginator(ordered, size).get_page(page)
    shown = [key for _, key in part]
    results = {
        getattr(result, column): result
        for result in run.results.filter(**{f"{column}__in": shown}).defer("figures")
    }
    named = ("name",) if model is Kernel else ("slug", "content_hash")
    items = model._default_manager.only("pk", *named).in_bulk(shown)
    rows = [RunItem(items[key], results.get(key)) for key in shown if key in items]
    return RunItems(rows, _counts(batch_keys, verdicts), following(part))


def following(part: Page[Any]) -> str:
    """Return the number of the next page, or ""."""
    return str(part.next_page_number()) if part.has_next() else ""


def _rank(verdict: str | None) -> int:
    return 1 if verdict is None else 2 if verdict == Verdict.PASSED else 0


def _counts(batch_keys: list[int], verdicts: Mapping[int, str]) -> list[tuple[str, int]]:
    counts: dict[str, int] = {}
    for key in batch_keys:
        verdict = verdicts.get(key, NO_RESULT)
        counts[verdict] = counts.get(verdict, 0) + 1
    order = (*(v for v in Verdict.values if v != Verdict.PASSED), NO_RESULT, Verdict.PASSED)
    return [(str(verdict), counts[verdict]) for verdict in order if verdict in counts]
