"""Dashboard: charts of the progress, with their tables."""

from collections.abc import Sequence
from datetime import date, timedelta

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from curation.models import Agreement, Verdict
from curation.text import pluralize
from curation.web import plot
from curation.web.access import may_review
from curation.web.dashboard import figures

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
        "categories": plot.shares(value["categories"], "category={name}"),
        "verdicts": plot.bars((name, n, f"verdict={name}") for name, n in value["verdicts"]),
        "validations": plot.bars(
            (Verdict(name).label if name in Verdict.values else name, n, _validated(name))
            for name, n in value["validations"]
        ),
        "reviewers": value.get("reviewers", ()),
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
    """Return a bar for each of the last days, the newest first, with a link to its decisions.

    Without any decision there is no bar: a long list without links can't be scrolled by keys.
    """
    if not any(counts):
        return []
    dates = [(today - timedelta(days=ago)) for ago in range(len(counts))]
    return plot.bars(
        (f"{day:%a %d %b}", n, f"decided={day.isoformat()}" if n else "")
        for day, n in zip(dates, reversed(counts), strict=True)
    )
