"""All that the page of one item shows, gathered in a bounded number of queries."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.core.cache import cache
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone

from curation.evidence.compiling import compile_verdict
from curation.evidence.opt_outs import opted_out
from curation.filters import Filter
from curation.matching import about
from curation.models import (
    Agreement,
    Claim,
    ContaminationMatch,
    CopyFlag,
    Decision,
    DecisionReason,
    DuplicateLink,
    Fingerprint,
    Kernel,
    LicenseEvidence,
    Pair,
    Provenance,
    QualityFinding,
    Question,
    SecondReview,
    Status,
    ValidationResult,
)
from curation.review import evidence, plot
from curation.review.access import number
from curation.review.diff import Diff, compare
from curation.review.highlight import Address, Section, lines, nowhere, place_of, sections, table

REASONS_SECONDS = 30
Item = Kernel | Pair
TABS = {
    Kernel: {
        "standalone": "Standalone",
        "file": "In its file",
        "launcher": "Launcher",
        "diff": "Diff",
        "alike": "Alike",
        "history": "History",
    },
    Pair: {
        "code": "Code",
        "results": "Results",
        "diff": "Diff",
        "alike": "Alike",
        "history": "History",
    },
}


@dataclass(frozen=True, slots=True)
class Tab:
    name: str
    label: str
    current: bool


def fetch(kind: type[Kernel] | type[Pair], user: User) -> QuerySet[Any]:
    """The item with all that one row can tell of what surrounds it."""
    me = {about(kind): OuterRef("pk")}
    waiting = SecondReview.objects.filter(**me, state=Agreement.WAITING).exclude(first__user=user)
    disputed = SecondReview.objects.filter(**me, state=Agreement.DISPUTED)
    links = Q(**me) | Q(**{f"of_{about(kind)}": OuterRef("pk")})
    question = Question.objects.filter(**me, answered_at=None)
    decisions = Decision.objects.filter(**me).order_by().values(about(kind))
    matches = ContaminationMatch.objects.filter(**me).order_by("-similarity", "pk")
    looks = Fingerprint.objects.filter(**me)
    kernel = OuterRef("pk" if kind is Kernel else "kernel")
    copies = CopyFlag.objects.filter(kernel=kernel)
    claims = Claim.objects.filter(**me, expires_at__gt=timezone.now()).exclude(user=user)
    newer = kind._default_manager.filter(previous=OuterRef("pk")).order_by("-pk")
    related = ["license", "previous"] + (["author"] if kind is Pair else [])
    rows = kind._default_manager.select_related(*related)
    return rows.defer(*(f"previous__{name}" for name in kind.SOURCES)).annotate(
        second_review_pk=Subquery(waiting.values("pk")[:1]),
        disputed=Exists(disputed),
        has_twins=Exists(DuplicateLink.objects.filter(links)),
        benchmark=Subquery(matches.values("benchmark__name")[:1]),
        benchmark_problem=Subquery(matches.values("problem")[:1]),
        benchmark_method=Subquery(matches.values("method")[:1]),
        benchmark_similarity=Subquery(matches.values("similarity")[:1]),
        constants_differ=Subquery(matches.values("constants_differ")[:1]),
        blocked_twin=Subquery(copies.values("blocked")[:1]),
        blocked_name=Subquery(copies.values("blocked__name")[:1]),
        blocked_license=Subquery(copies.values("blocked__license__expression")[:1]),
        blocked_similarity=Subquery(copies.values("similarity")[:1]),
        held_by=Subquery(claims.values("user__username")[:1]),
        left_out=Exists(Kernel.objects.filter(opted_out(), pk=kernel)),
        placed=Subquery(looks.values("placed")[:1]),
        compared_with=Subquery(looks.values("compared_with")[:1]),
        asked_by=Subquery(question.values("asker__username")[:1]),
        asked_of=Subquery(question.values("asked__username")[:1]),
        asked_what=Subquery(question.values("text")[:1]),
        decided_times=Subquery(decisions.annotate(n=Count("pk")).values("n")),
        newer=Subquery(newer.values("pk")[:1]),
    )


def context(item: Any, tab: str, wanted: dict[str, str]) -> dict[str, Any]:
    kind = type(item)
    kernel = item if kind is Kernel else item.kernel_id
    places = _places(kernel)
    texts = _license_texts(kernel)
    results = _results_of(item) if kind is Pair else []
    links = _links(item) if item.has_twins else []
    names = TABS[kind]
    tab = tab if tab in names else next(iter(names))
    others = evidence.twins(item, links)
    labels = names | {"diff": f"Diff {len(others)}"} if others else names
    shown = [
        Tab(name, label, name == tab)
        for name, label in labels.items()
        if name != "diff" or others or item.previous_id
        if name != "launcher" or item.launcher_source
    ]
    return {
        "item": item,
        "kind": "kernels" if kind is Kernel else "pairs",
        "item_url": about(kind),
        "places": places,
        "lights": _lights(item, places, texts, results, links),
        "tabs": shown,
        "tab": tab,
        "blind": item.second_review_pk is not None,
        "request_id": uuid.uuid4(),
        "reasons": reasons(),
        "similar": Filter.parse(
            [
                ("status", "approved"),
                *([("operation", item.operation_type)] if item.operation_type else []),
            ]
        ).query(),
        **_body(item, tab, wanted, places, others, results),
    }


def reasons() -> list[DecisionReason]:
    found: list[DecisionReason] | None = cache.get("reasons")
    if found is None:
        found = list(DecisionReason.objects.filter(offered=True))
        cache.set("reasons", found, REASONS_SECONDS)
    return found


def _places(kernel: Any) -> list[Provenance]:
    if not kernel:
        return []
    seen = Provenance.objects.filter(kernel=kernel, retired_at=None)
    return list(seen.select_related("source_file__repository").order_by("pk")[:50])


def _license_texts(kernel: Any) -> list[LicenseEvidence]:
    if not kernel:
        return []
    files = Provenance.objects.filter(kernel=kernel, retired_at=None).values("source_file")
    texts = LicenseEvidence.objects.filter(source_file__in=files).select_related("license")
    return list(texts.order_by("-counts", "pk")[: evidence.SHOWN])


def _results_of(pair: Pair) -> list[ValidationResult]:
    rows = ValidationResult.objects.filter(pair=pair, content_hash=pair.content_hash)
    return list(rows.select_related("run").order_by("-pk")[:10])


def _links(item: Item) -> list[DuplicateLink]:
    name = about(type(item))
    mine = DuplicateLink.objects.filter(**{name: item}).values(f"of_{name}")
    rows = DuplicateLink.objects.filter(
        Q(**{name: item}) | Q(**{f"of_{name}": item}) | Q(**{f"of_{name}__in": mine})
    )
    texts = [
        f"{path}__{column}"
        for path in (name, f"of_{name}")
        for column in (
            ("function_source", "standalone_source", "launcher_source")
            if name == "kernel"
            else ("python_code", "triton_code", "test_code")
        )
    ]
    return list(rows.select_related(name, f"of_{name}").defer(*texts).order_by("-similarity")[:50])


def _lights(
    item: Any,
    places: Sequence[Provenance],
    texts: Sequence[LicenseEvidence],
    results: Sequence[ValidationResult],
    links: Sequence[DuplicateLink],
) -> list[evidence.Light]:
    trail = [*evidence.opt_out_light(item, places), evidence.license_light(item, places, texts)]
    twins = evidence.duplicates_light(item, links)
    benchmarks = evidence.benchmark_light(item)
    if isinstance(item, Pair):
        return [*trail, evidence.validation_light(results), twins, benchmarks]
    findings = list(QualityFinding.objects.filter(kernel=item).order_by("passed", "gate"))
    return [
        *trail,
        evidence.standalone_light(item),
        evidence.compile_light(compile_verdict(item)),
        twins,
        benchmarks,
        evidence.quality_light(findings),
    ]


def _body(
    item: Any,
    tab: str,
    wanted: dict[str, str],
    places: Sequence[Provenance],
    others: Sequence[tuple[DuplicateLink, Item]],
    results: Sequence[ValidationResult],
) -> dict[str, Any]:
    """What the current tab shows."""
    if tab == "standalone":
        return {"sections": sections(item.standalone_source, item.name, _upstream(item, places))}
    if tab == "file":
        first = places[0].start_line if places else 1
        url = _lines_of(places[0]) if places else nowhere
        whole = table(item.function_source, first=first, url=url)
        return {"sections": [Section("", first, first, whole)]}
    if tab == "launcher":
        return {"sections": [Section("", 1, 1, table(item.launcher_source))]}
    if tab == "diff":
        return _diff(item, wanted, others)
    if tab == "history":
        return _history(item)
    if tab == "alike":
        return _alike(item)
    if tab == "results":
        return _results(results)
    return {
        "panes": [
            (title, table(getattr(item, column)))
            for title, column in (
                ("python_code.py", "python_code"),
                ("triton_code.py", "triton_code"),
                ("test_code.py", "test_code"),
            )
        ]
    }


def _lines_of(place: Provenance) -> Address:
    file = place.source_file
    return lambda line: file.repository.blob_url(file.commit, file.path, (line, line))


def _upstream(kernel: Kernel, places: Sequence[Provenance]) -> Address:
    """The lines that the unit took from its file as they are lead there; others have no origin."""
    found = place_of(kernel.function_source, kernel.standalone_source) if places else None
    if found is None:
        return nowhere
    start, end = found
    there, first = _lines_of(places[0]), places[0].start_line
    return lambda line: there(first + line - start) if start <= line <= end else ""


def source_of(item: Item) -> str:
    return item.standalone_source if isinstance(item, Kernel) else item.triton_code


def _diff(
    item: Any, wanted: dict[str, str], others: Sequence[tuple[DuplicateLink, Item]]
) -> dict[str, Any]:
    pks = [other.pk for _, other in others]
    if item.previous_id:
        pks.append(item.previous_id)
    with_ = number(wanted.get("with", ""))
    pk = with_ if with_ in pks else (pks[0] if pks else None)
    if pk is None:
        return {"diff": None}
    other = type(item)._default_manager.get(pk=pk)
    before = pk == item.previous_id
    # A twin is told in the names of this one; from one version to the next a name is a change.
    first, second = (other, item) if before else (item, other)
    diff = compare(source_of(first), source_of(second), align=not before)
    choices = [(one.pk, f"{one} ({link.similarity:.2f})", one.pk == pk) for link, one in others]
    if item.previous_id:
        choices.append((item.previous_id, "the version before", item.previous_id == pk))
    inline = wanted.get("layout") == "inline"
    rows = _inline(diff) if inline else _split(diff)
    return {
        "diff": diff,
        "rows": rows,
        "other": other,
        "before": before,
        "choices": choices,
        "inline": inline,
    }


def _split(diff: Diff) -> list[tuple[str, int | None, str, int | None, str]]:
    left, right = lines(diff.left), lines(diff.right)
    return [
        (row.kind, row.left, _line(left, row.left), row.right, _line(right, row.right))
        for row in diff.rows
    ]


def _inline(diff: Diff) -> list[tuple[str, int | None, int | None, str]]:
    left, right = lines(diff.left), lines(diff.right)
    shown: list[tuple[str, int | None, int | None, str]] = []
    later: list[tuple[str, int | None, int | None, str]] = []
    for row in diff.rows:
        if row.kind == "same":
            shown += [*later, ("same", row.left, row.right, _line(right, row.right))]
            later = []
            continue
        if row.left:
            shown.append(("gone", row.left, None, _line(left, row.left)))
        if row.right:
            later.append(("new", None, row.right, _line(right, row.right)))
    return shown + later


def _line(html: Sequence[str], number: int | None) -> str:
    return html[number - 1] if number and number <= len(html) else ""


def _history(item: Any) -> dict[str, Any]:
    me = {about(type(item)): item}
    decisions = Decision.objects.filter(**me).select_related("user", "correction")
    return {
        "decisions": decisions.order_by("-pk")[:100],
        "questions": Question.objects.filter(**me).select_related("asker", "answered_by"),
    }


def _alike(item: Any) -> dict[str, Any]:
    """What is approved already and does the same, best first."""
    kind = type(item)
    rows = kind._default_manager.filter(
        status=Status.APPROVED, operation_type=item.operation_type
    ).exclude(pk=item.pk)
    return {"alike": rows.without_sources().order_by("-priority", "pk")[:20]}


def _results(results: Sequence[ValidationResult]) -> dict[str, Any]:
    newest = results[0] if results else None
    checks = list(newest.checks.all()) if newest else []
    return {"result": newest, "checks": checks, "errors": plot.errors(checks), "results": results}
