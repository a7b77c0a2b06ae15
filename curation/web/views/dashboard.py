"""Dashboard: charts of the progress, with their tables."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from curation.decisions.second_reviews import SETTLE
from curation.models import Agreement, Category, Verdict
from curation.text import pluralize
from curation.web import plot
from curation.web.access import may_review, person
from curation.web.dashboard import figures

# Minimum number of items for a percentage. Below it, a percentage would seem too precise.
FEWEST = 10
_STATES = {
    Agreement.WAITING: "waiting",
    Agreement.AGREED: "agreed with the first",
    Agreement.DISPUTED: "disputed, to be settled",
    Agreement.SETTLED: "disputed and settled",
    Agreement.VOID: "void: the first decision was undone or changed",
}


@require_safe
@may_review
def dashboard(request: HttpRequest) -> HttpResponse:
    cached = figures()
    value = cached.value
    disputed = value.get("disputed", {})
    user = person(request)
    shown = {
        "at": cached.gathered_at,
        "every": settings.DASHBOARD_SECONDS,
        "figures": value,
        "kernel_funnel": plot.bars(value.get("kernel_funnel", ())),
        "pair_funnel": plot.bars(value.get("pair_funnel", ())),
        "kernel_operations": plot.shares(value.get("kernel_operations", ()), "operation={name}"),
        "pair_operations": plot.shares(
            value.get("pair_operations", ()), "items=pairs&operation={name}"
        ),
        "categories": [
            replace(bar, label=Category(bar.label).label if bar.label in Category else bar.label)
            for bar in plot.shares(value["categories"], "category={name}")
        ],
        "verdicts": plot.bars((name, n, f"verdict={name}") for name, n in value["verdicts"]),
        "validations": plot.bars(
            (Verdict(name).label if name in Verdict.values else name, n, _validated(name))
            for name, n in value["validations"]
        ),
        "reviewers": [
            row
            for row in value.get("reviewers", ())
            if user.has_perm(SETTLE) or row["name"] == user.username
        ],
        "fewest": FEWEST,
        "second": [(_STATES.get(state, state), n) for state, n in value["second"]],
        "disputed": {
            "total": sum(disputed.values()),
            "links": [
                (f"items={kind}&disputed=yes", pluralize(n, kind.removesuffix("s")))
                for kind, n in disputed.items()
                if n
            ],
        },
        "days": _days(value["days"], cached.gathered_at.date()),
    }
    return render(request, "curation/dashboard.html", shown)


def _validated(verdict: str) -> str:
    return f"items=pairs&validation={verdict}"


def _days(counts: Sequence[int], today: date) -> list[plot.ChartBar]:
    """Return a bar for each of the last days with a decision, the newest first."""
    dates = [(today - timedelta(days=ago)) for ago in range(len(counts))]
    return plot.bars(
        (f"{day:%a %d %b}", n, f"decided={day.isoformat()}")
        for day, n in zip(dates, reversed(counts), strict=True)
        if n
    )
