"""The log of everything that was decided or administered: to read, to narrow, to take along."""

import csv
import json
from collections.abc import Iterator
from datetime import UTC, datetime

from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from curation.review.access import may_review, person
from curation.review.log import KINDS, Asked, entries

PAGE = 50
COLUMNS = ("at", "kind", "who", "what", "about", "url", "said")


@require_safe
@may_review
def history(request: HttpRequest) -> HttpResponse:
    asked = _asked(request)
    found = list(entries(asked, PAGE + 1))
    shown = found[:PAGE]
    narrowed = {"kind": asked.kind, "who": asked.who}
    older = {**narrowed, "before": shown[-1].at.isoformat()} if len(found) > PAGE else None
    return render(
        request,
        "curation/history.html",
        {
            "entries": shown,
            "asked": asked,
            "kinds": KINDS,
            "older": urlencode(older) if older else "",
            "narrowed": urlencode({key: value for key, value in narrowed.items() if value}),
        },
    )


@require_safe
@may_review
def export(request: HttpRequest, shape: str) -> HttpResponseBase:
    asked = _asked(request)
    lines = _csv(asked) if shape == "csv" else _jsonl(asked)
    kind = "text/csv; charset=utf-8" if shape == "csv" else "application/jsonl"
    name = f'attachment; filename="history.{shape}"'
    return StreamingHttpResponse(lines, content_type=kind, headers={"Content-Disposition": name})


class _Echo:
    def write(self, text: str) -> str:
        return text


def _csv(asked: Asked) -> Iterator[str]:
    writer = csv.writer(_Echo())
    yield writer.writerow(COLUMNS)
    for entry in entries(asked):
        # A spreadsheet would calculate what begins like a formula.
        yield writer.writerow([_harmless(str(cell)) for cell in entry.as_row().values()])


def _harmless(cell: str) -> str:
    return f"'{cell}" if cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell


def _jsonl(asked: Asked) -> Iterator[str]:
    for entry in entries(asked):
        yield json.dumps(entry.as_row(), ensure_ascii=False) + "\n"


def _asked(request: HttpRequest) -> Asked:
    kind = request.GET.get("kind", "")
    return Asked(
        person(request),
        kind if kind in KINDS else "",
        request.GET.get("who", "").strip()[:150],
        _moment(request.GET.get("before", "")),
    )


def _moment(text: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
        # In UTC, as in the database: the first or the last day of all may lie outside there.
        return moment.astimezone(UTC) if moment.tzinfo else None
    except (ValueError, OverflowError):
        return None
