"""Tabs “Try it” and “Values” of a pair: a form for one case, and the results of the last runs."""

import re
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import mark_safe

from curation.models import Pair, TriedCase
from curation.web.cases import fields_of, read_cases
from curation.web.highlight import lines

# Labels of the changes of inputs, by their names in the harness.
CHANGES = {
    "": "as the test makes them",
    "large": "30 times as large",
    "small": "a thousandth as large",
    "zeros": "all zero",
    "nan": "with a NaN among them",
    "inf": "with an infinity among them",
}
LEVELS = (
    "no error", "up to 1 step", "up to 8", "up to 64", "up to 4,096", "more, or not finite",
)  # fmt: skip
EARLIER = 8
# Index of the Triton program whose values to show. Empty: the first with a wrong element.
PROGRAM = re.compile(r"(\d{1,9}(\s*,\s*\d{1,9}){0,2})?")
FIRST_WRONG = "first wrong"


@dataclass(frozen=True, slots=True)
class ErrorMap:
    """A map of errors: an SVG path of cells for each level above 0."""

    columns: int
    rows: int
    paths: list[tuple[int, str]]


def context(pair: Pair, query: dict[str, str], *, values: bool) -> dict[str, Any]:
    """Return the context of the tab “Values” if `values` is true, else of “Try it”."""
    cases = read_cases(pair.test_code)
    rows = TriedCase.objects.filter(pair=pair, content_hash=pair.content_hash)
    rows = rows.exclude(program="") if values else rows.filter(program="")
    tried = list(rows.select_related("requested_by").defer("log").order_by("-pk")[:EARLIER])
    wanted = query.get("run", "")
    shown = next((one for one in tried if str(one.pk) == wanted), tried[0] if tried else None)
    place = _place(query.get("case", ""), len(cases), shown.place if shown else 0)
    instead = shown.instead if shown and shown.place == place else {}
    fields = fields_of(cases, place, instead) if cases else []
    return {
        "cases": [{"place": number, "text": str(case)} for number, case in enumerate(cases)],
        "place": place,
        "case_fields": fields,
        "changes": CHANGES.items(),
        "tried": [(run, _title(run)) for run in tried],
        "shown": shown,
        "ahead": TriedCase.objects.live().exclude(pk=shown.pk).count() if shown else 0,
        "title": shown and _title(shown),
        "outputs": [
            {**output, "map": error_map(output["levels"]) if output.get("levels") else None}
            for output in (shown.report.get("outputs", ()) if shown else ())
        ],
        "levels": list(enumerate(LEVELS)),
        "program": shown.program if shown and shown.program != FIRST_WRONG else "",
        "code": _code(pair.triton_code, shown.report) if values and shown else [],
    }


def _code(text: str, report: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the lines of the functions that ran, with the values that the report has for each."""
    noted = {row["line"]: row for row in report.get("lines", ())}
    parts = report.get("parts", ())
    return [
        {
            "number": number, "html": mark_safe(html),  # noqa: S308 - escaped by the highlighter
            "marked": number == report["marked"], **noted.get(number, {}),
        }
        for number, html in enumerate(lines(text), 1)
        if number == report.get("marked") or any(first <= number <= last for first, last in parts)
    ]  # fmt: skip


def _title(run: TriedCase) -> str:
    values = (f"{key} {value}" for key, value in run.instead.items())
    change = [f"values {CHANGES.get(run.change, run.change)}"] if run.change else []
    program = [f"program {run.program}"] if run.program not in ("", FIRST_WRONG) else []
    return ", ".join([f"Case {run.place}", *values, *change, *program])


def _place(text: str, count: int, otherwise: int) -> int:
    place = int(text) if text.isdecimal() and len(text) < 6 else otherwise
    return min(place, max(0, count - 1)) if count else place


def error_map(levels: list[list[int]]) -> ErrorMap:
    """Return the map of the cells' levels. Equal neighbors in a row are one rectangle."""
    drawn: dict[int, list[str]] = {}
    for y, row in enumerate(levels):
        x = 0
        while x < len(row):
            end = x + 1
            while end < len(row) and row[end] == row[x]:
                end += 1
            if row[x]:
                drawn.setdefault(row[x], []).append(f"M{x} {y}h{end - x}v1h-{end - x}z")
            x = end
    paths = [(level, "".join(parts)) for level, parts in sorted(drawn.items())]
    return ErrorMap(len(levels[0]), len(levels), paths)
