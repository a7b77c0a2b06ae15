"""Queries of an item's page, one statement for each kind of row."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from curation.compiled_queries import compiled_query
from curation.decisions import second_reviews as second
from curation.evidence.ladders import rungs_beside, timed_rungs
from curation.evidence.opt_outs import opted_out
from curation.models import (
    Agreement,
    Claim,
    ContaminationMatch,
    CopyFlag,
    Decision,
    Device,
    DuplicateLink,
    Fingerprint,
    Kernel,
    LicenseEvidence,
    LineComment,
    OperationOverlap,
    Pair,
    PassRate,
    Provenance,
    QualityFinding,
    Question,
    SecondReview,
    SourceFile,
    ValidationResult,
)
from curation.search.matching import Model, about
from curation.web.evidence import SHOWN

Item = Kernel | Pair
# Maximum number of near-duplicates shown.
MOST_LINKS = 50
WORST = ("blocked", "conflict", "unknown", "permissive")
NAMED: dict[Model, tuple[str, ...]] = {Kernel: ("name",), Pair: ("slug", "content_hash")}


def links(item: Item) -> list[DuplicateLink]:
    """Return the links of the item's cluster, each from a member to the representative."""
    name = about(type(item))
    # Compare with a single value. With `IN` after an OR, PostgreSQL would scan all links.
    stands = Subquery(DuplicateLink.objects.filter(**{name: item}).values(f"of_{name}")[:1])
    rows = DuplicateLink.objects.filter(Q(**{f"of_{name}": item}) | Q(**{f"of_{name}": stands}))
    # Columns that name a near-duplicate.
    named = [f"{path}__{column}" for path in (name, f"of_{name}") for column in NAMED[type(item)]]
    keys = ("kernel", "pair", "of_kernel", "of_pair")
    joined = rows.select_related(name, f"of_{name}").only(*keys, "likeness", "similarity", *named)
    return list(joined.order_by("-similarity")[:MOST_LINKS])


@compiled_query
def places(kernel: int) -> QuerySet[Provenance]:
    seen = Provenance.objects.filter(kernel=kernel, retired_at=None)
    return seen.select_related("source_file__repository").order_by("pk")[:50]


def license_texts(kernel: int, places: Sequence[Provenance]) -> list[LicenseEvidence]:
    """Return the license texts of a kernel's file and of its helpers' files, the worst first."""
    texts = _license_texts(kernel)
    helpers = Q()
    for place in places:
        if others := {*place.drawn_from} - {place.source_file.path}:
            helpers |= Q(repository=place.source_file.repository_id, path__among=others)
    if helpers:
        files = SourceFile.objects.filter(helpers, retired_at=None)
        rows = LicenseEvidence.objects.filter(source_file__in=files).select_related("license")
        texts = [*texts, *rows]
    return sorted(texts, key=lambda text: (not text.counts, WORST.index(text.verdict), text.pk))


@compiled_query
def _license_texts(kernel: int) -> QuerySet[LicenseEvidence]:
    files = Provenance.objects.filter(kernel=kernel, retired_at=None).values("source_file")
    texts = LicenseEvidence.objects.filter(source_file__in=files).select_related("license")
    return texts.order_by("-counts", "pk")[:SHOWN]


@compiled_query
def findings(kernel: Kernel) -> QuerySet[QualityFinding]:
    return QualityFinding.objects.filter(kernel=kernel).order_by("passed", "gate")


def compile_verdict(kernel: Kernel) -> ValidationResult | None:
    """Return the newest compile result with its run, which names the Triton version and target."""
    return _compiled.first(kernel, kernel.content_hash)


@compiled_query
def _compiled(kernel: Kernel, content_hash: str) -> QuerySet[ValidationResult]:
    results = ValidationResult.objects.filter(
        kernel=kernel, content_hash=content_hash, run__device=Device.COMPILER
    )
    return results.select_related("run").order_by("-pk")[:1]


def results(pair: Pair, content_hash: str) -> list[ValidationResult]:
    rows = ValidationResult.objects.filter(pair=pair, content_hash=content_hash)
    return list(rows.select_related("run").prefetch_related("checks").order_by("-pk")[:10])


def pass_rates(item: Item) -> list[PassRate]:
    """Return the pass rates of models on a pair. An item without a rate costs no query."""
    if isinstance(item, Kernel) or item.pass_rate is None:
        return []
    return list(PassRate.objects.filter(pair=item).order_by("model", "k")[:SHOWN])


def undone(item: Item, user: User) -> Decision | None:
    """Return the decision that `user` undid last, or None if a later decision exists.

    Bulk decisions are ignored, because their reasons are not about one item.
    """
    if item.version == 1:
        return None
    own = Decision.objects.filter(
        **{about(type(item)): item}, version=item.version - 1, user=user, bulk=None
    )
    undoing = own.exclude(undoes=None).select_related("undoes__correction").first()
    return undoing and undoing.undoes


@compiled_query
def undecided(kind: Model, /, pk: int, user: User, request: uuid.UUID) -> QuerySet[Any]:
    """Select the item with the columns that a decision needs, without its texts."""
    given = SecondReview.objects.filter(request=request, user=user)
    disputes = SecondReview.objects.filter(
        state=Agreement.DISPUTED, **{about(kind): OuterRef("pk")}
    )
    rows = kind._default_manager.filter(pk=pk).without_sources()
    return rows.annotate(
        second_look=second.blind(kind, user) | Exists(given), disputed=Exists(disputes)
    )


@compiled_query
def whole(kind: Model, /, pk: int, user: User, now: datetime) -> QuerySet[Any]:
    """Select the item with all related facts that its page shows."""
    me = {about(kind): OuterRef("pk")}
    given = SecondReview.objects.filter(**me, given_at__isnull=False)
    # Use two subqueries. With one OR, SQLite would scan all links.
    stood_for = DuplicateLink.objects.filter(**me)
    stands_for = DuplicateLink.objects.filter(**{f"of_{about(kind)}": OuterRef("pk")})
    question = Question.objects.filter(**me, answered_at=None)
    decided = Decision.objects.filter(**me)
    newest = decided.filter(version=OuterRef("version") - 1, undoes=None)
    decisions = decided.order_by().values(about(kind))
    matches = ContaminationMatch.objects.filter(**me).order_by("-similarity", "pk")
    overlaps = OperationOverlap.objects.filter(**me).order_by("pk")
    looks = Fingerprint.objects.filter(**me)
    kernel = OuterRef("pk" if kind is Kernel else "kernel")
    copies = CopyFlag.objects.filter(kernel=kernel)
    claims = Claim.objects.filter(**me, expires_at__gt=now)
    newer = kind._default_manager.filter(previous=OuterRef("pk")).order_by("-pk")
    related = ["license", "previous"] + (["author"] if kind is Pair else [])
    rows = kind._default_manager.filter(pk=pk).select_related(*related)
    return rows.defer(*(f"previous__{name}" for name in kind.SOURCES)).annotate(
        blind=second.blind(kind, user),
        reviewed_twice=Exists(given),
        is_representative=Exists(stands_for),
        has_near_duplicates=Exists(stood_for) | Exists(stands_for),
        has_comments=Exists(LineComment.objects.filter(**me)),
        has_pairs=Exists(Pair.objects.filter(kernel=kernel)),
        benchmark=Subquery(matches.values("benchmark__name")[:1]),
        benchmark_problem=Subquery(matches.values("problem")[:1]),
        benchmark_method=Subquery(matches.values("method")[:1]),
        benchmark_similarity=Subquery(matches.values("similarity")[:1]),
        constants_differ=Subquery(matches.values("constants_differ")[:1]),
        same_operation=Subquery(overlaps.values("problem")[:1]),
        same_operation_in=Subquery(overlaps.values("benchmark__name")[:1]),
        blocked_copy=Subquery(copies.values("blocked")[:1]),
        blocked_name=Subquery(copies.values("blocked__name")[:1]),
        blocked_license=Subquery(copies.values("blocked__license__expression")[:1]),
        blocked_similarity=Subquery(copies.values("similarity")[:1]),
        held_by=Subquery(claims.exclude(user=user).values("user__username")[:1]),
        own_claim=Subquery(claims.filter(user=user).values("token")[:1]),
        left_out=Exists(Kernel.objects.filter(opted_out(), pk=kernel)),
        placed=Subquery(looks.values("placed")[:1]),
        compared_with=Subquery(looks.values("compared_with")[:1]),
        asked_by=Subquery(question.values("asker__username")[:1]),
        asked_of=Subquery(question.values("asked__username")[:1]),
        asked_what=Subquery(question.values("text")[:1]),
        decided_by=Subquery(newest.values(by=Coalesce("user__username", "rules"))[:1]),
        decided_at=Subquery(newest.values("created_at")[:1]),
        decided_times=Subquery(decisions.annotate(n=Count("pk")).values("n")),
        newer=Subquery(newer.values("pk")[:1]),
    )


@dataclass(frozen=True, slots=True)
class Rung:
    """A pair of a ladder, with its run time. `place`: the GPU and the test case of the time."""

    pair: Pair
    current: bool
    median_us: float | None
    place: str


def rungs(item: Item) -> list[Rung]:
    """Return the ladder of a pair with times of one GPU and case; empty for other items."""
    if not isinstance(item, Pair) or not item.ladder:
        return []
    pairs = list(rungs_beside(item))
    place, timed = timed_rungs(pairs) or (None, [])
    times = {rung.pair.pk: rung.median_us for rung in timed}
    words = f"{place.gpu}, {place.case}" if place else ""
    return [Rung(pair, pair.pk == item.pk, times.get(pair.pk), words) for pair in pairs]
