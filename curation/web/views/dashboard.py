"""Dashboard: charts of the progress, with their tables."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from curation.models import Agreement
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
        "funnel": plot.bars((name, n, "") for name, n in value["funnel"]),
        "operations": plot.shares(value["operations"], "operation"),
        "categories": plot.shares(value["categories"], "category"),
        "verdicts": plot.bars((name, n, f"verdict={name}") for name, n in value["verdicts"]),
        "validations": plot.bars((name, n, "") for name, n in value["validations"]),
        "second": [(_STATES.get(state, state), n) for state, n in value["second"]],
        "disputed": {
            "total": sum(disputed.values()),
            "links": [
                (f"items={kind}&disputed=yes", pluralize(n, kind.removesuffix("s")))
                for kind, n in disputed.items()
                if n
            ],
        },
        "days": plot.bars((str(n), n, "") for n in value["days"]),
    }
    return render(request, "curation/dashboard.html", shown)
