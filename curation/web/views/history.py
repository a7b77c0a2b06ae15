"""History page: the log of decisions and admin actions, with filters and downloads."""

import csv
import json
from collections.abc import Iterator

from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from curation.web.access import may_review, parse_time, person
from curation.web.log import KINDS, LogQuery, entries

PAGE = 50
COLUMNS = ("at", "kind", "who", "what", "about", "url", "said")


@require_safe
@may_review
def history(request: HttpRequest) -> HttpResponse:
    query = _asked(request)
    log_entries = list(entries(query, PAGE + 1))
    shown = log_entries[:PAGE]
    narrowed = {"kind": query.kind, "who": query.who}
    older = {**narrowed, "before": shown[-1].at.isoformat()} if len(log_entries) > PAGE else None
    return render(
        request,
        "curation/history.html",
        {
            "entries": shown,
            "query": query,
            "kinds": KINDS,
            "older": urlencode(older) if older else "",
            "narrowed": urlencode({key: value for key, value in narrowed.items() if value}),
        },
    )


@require_safe
@may_review
def export(request: HttpRequest, shape: str) -> HttpResponseBase:
    query = _asked(request)
    lines = _csv(query) if shape == "csv" else _jsonl(query)
    kind = "text/csv; charset=utf-8" if shape == "csv" else "application/jsonl"
    name = f'attachment; filename="history.{shape}"'
    return StreamingHttpResponse(lines, content_type=kind, headers={"Content-Disposition": name})


class _Echo:
    def write(self, text: str) -> str:
        return text


def _csv(query: LogQuery) -> Iterator[str]:
    writer = csv.writer(_Echo())
    yield writer.writerow(COLUMNS)
    for entry in entries(query):
        # Attack: a spreadsheet executes cells that start like a formula.
        yield writer.writerow([_harmless(str(cell)) for cell in entry.as_row().values()])


def _harmless(cell: str) -> str:
    return f"'{cell}" if cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell


def _jsonl(query: LogQuery) -> Iterator[str]:
    for entry in entries(query):
        yield json.dumps(entry.as_row(), ensure_ascii=False) + "\n"


def _asked(request: HttpRequest) -> LogQuery:
    kind = request.GET.get("kind", "")
    return LogQuery(
        person(request),
        kind if kind in KINDS else "",
        request.GET.get("who", "").strip()[:150],
        parse_time(request.GET.get("before", "")),
    )
