"""Context of an item's page, read with a bounded number of queries."""

import uuid
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from django.contrib.auth.models import User
from django.core.cache import cache

from curation.decisions import second_reviews as second
from curation.decisions import talk
from curation.decisions.guidelines import current
from curation.evidence.claim_sheet.sheet import open_topics
from curation.evidence.claim_sheet.types import ClaimState
from curation.models import (
    Agreement,
    Decision,
    Kernel,
    Pair,
    Question,
    Status,
    ValidationResult,
)
from curation.search.filters import Filter
from curation.search.matching import about
from curation.web import code_tabs, diff_tab, evidence, plot, rows, try_tab
from curation.web.results import check_rows, environment_of, error_dots, figures_of

# Seconds until a change of the guidelines shows on the pages of items.
CACHE_SECONDS = 30
TABS = {
    Kernel: {
        "standalone": "Standalone",
        "file": "In its file",
        "launcher": "Launcher",
        "compiled": "Compiled",
        "diff": "Diff",
        "alike": "Similar",
        "discussion": "Discussion",
        "history": "History",
    },
    Pair: {
        "code": "Code",
        "results": "Results",
        "try": "Try it",
        "values": "Values",
        "diff": "Diff",
        "alike": "Similar",
        "discussion": "Discussion",
        "history": "History",
    },
}


def context(item: Any, tab: str, query: dict[str, str], user: User) -> dict[str, Any]:
    kind = type(item)
    kernel = item.pk if kind is Kernel else item.kernel_id
    places = rows.places(kernel) if kernel else []
    texts = rows.license_texts(kernel, places) if kernel else []
    results = rows.results(item, item.content_hash) if isinstance(item, Pair) else []
    links = rows.links(item) if item.has_near_duplicates else []
    reviews = list(second.given(item)) if item.reviewed_twice else []
    dispute = next((row for row in reviews if row.state == Agreement.DISPUTED), None)
    compiled = rows.compile_verdict(item) if isinstance(item, Kernel) else None
    findings = list(rows.findings(item)) if isinstance(item, Kernel) else []
    evidence_rows = evidence.ItemRows(item, places, texts, results, links, compiled, findings)
    claims = evidence.claims_of(evidence_rows)
    names = TABS[kind]
    tab = tab if tab in names else next(iter(names))
    others = evidence.near_duplicates(item, links)
    commented = not item.blind and (item.has_comments or item.previous_id)
    talked = talk.threads(item) if commented else []
    labels = names | {"diff": f"Diff {len(others)}"} if others else dict(names)
    if still_open := sum(not thread.resolved for thread in talked):
        labels["discussion"] = f"Discussion {still_open}"
    shown = [
        {"name": name, "label": label, "current": name == tab}
        for name, label in labels.items()
        if name != "diff" or others or item.previous_id
        if name != "launcher" or item.launcher_source
        if name != "compiled" or (compiled and "registers" in compiled.figures)
    ]
    bodies: Mapping[str, Callable[[], dict[str, Any]]] = {
        **{
            name: partial(of_tab, item, places, talked) for name, of_tab in code_tabs.KERNEL.items()
        },
        "code": partial(code_tabs.pair, item, query, talked),
        "compiled": partial(code_tabs.compiled, compiled, query),
        "diff": partial(diff_tab.context, item, query, others),
        "history": partial(_history, item),
        "alike": partial(_alike, item, user),
        "discussion": partial(_discussion, item, talked),
        "results": partial(_results, item, results),
        "try": partial(try_tab.context, item, query, values=False),
        "values": partial(try_tab.context, item, query, values=True),
    }
    return {
        "item": item,
        "kind": "kernels" if kind is Kernel else "pairs",
        "item_url": about(kind),
        "places": places,
        "rungs": rows.rungs(item),
        "claims": evidence.proven(claims, evidence_rows, code_is_shown=tab == next(iter(names))),
        "newest": evidence_rows.newest,
        "wrong_claims": sum(claim.state is ClaimState.WRONG for claim in claims),
        "open_claims": open_topics(claims),
        "tabs": shown,
        "tab": tab,
        "blind": item.blind,
        "dispute": dispute,
        "refusal": second.refusal(dispute, user) if dispute else "",
        "second_reviews": [review for review in reviews if review != dispute],
        "request_id": uuid.uuid4(),
        "similar": Filter.parse(
            [
                ("status", "approved"),
                *([("operation", item.operation_type)] if item.operation_type else []),
            ]
        ).query(),
        "commentable": not item.blind,
        "guideline": cache.get_or_set(
            f"guideline-{item.operation_type}", partial(current, item.operation_type), CACHE_SECONDS
        ),
        "open_threads": still_open,
        "pass_rates": rows.pass_rates(item),
        **bodies[tab](),
    }


def _discussion(item: Any, talked: Sequence[talk.Thread]) -> dict[str, Any]:
    return {"threads": talked, "files": [name for name in item.SOURCES if getattr(item, name)]}


def _history(item: Any) -> dict[str, Any]:
    me = {about(type(item)): item}
    decisions = Decision.objects.filter(**me).select_related("user", "correction")
    return {
        "decisions": decisions.order_by("-pk")[:100],
        "questions": Question.objects.filter(**me).select_related("asker", "answered_by"),
    }


def _alike(item: Any, user: User) -> dict[str, Any]:
    """Return approved items of the same operation, newest first."""
    kind = type(item)
    approved = kind._default_manager.filter(
        status=Status.APPROVED, operation_type=item.operation_type
    ).exclude(pk=item.pk)
    approved = approved.exclude(second.blind(kind, user))
    return {"alike": approved.without_sources().order_by("-pk")[:20]}


def _results(pair: Pair, results: Sequence[ValidationResult]) -> dict[str, Any]:
    newest = results[0] if results else None
    if newest is None:
        return {"result": None}
    checks = list(newest.checks.all())
    return {
        "result": newest,
        "checks": check_rows(newest, checks),
        "errors": error_dots(checks),
        "ticks": plot.TICKS,
        "figures": figures_of(newest),
        "environment": environment_of(newest),
        "results": results,
        "repairs": pair.repair_traces.defer("faulty_code").order_by("kind", "pk"),
    }
