"""Read-only admin of kernels and pairs. Their status changes by decisions of reviewers."""

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from curation.admin.lean import Row
from curation.admin.links import list_link
from curation.admin.read_only import ReadOnlyAdmin
from curation.decisions import second_reviews as second
from curation.models import (
    Claim,
    ContaminationMatch,
    CopyFlag,
    Decision,
    Draft,
    DuplicateLink,
    Fingerprint,
    Kernel,
    Pair,
    Provenance,
    QualityFinding,
    ReleaseMember,
    ValidationResult,
)
from curation.web.access import person

_ABOUT_BOTH = (
    Decision, Claim, DuplicateLink, ContaminationMatch, Fingerprint, ValidationResult,
    ReleaseMember,
)  # fmt: skip


class StatusFilter(admin.ChoicesFieldListFilter):
    """Status filter without the items whose second review the person may still give."""

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any] | None:
        rows = queryset.filter(blind=False) if self.used_parameters else queryset
        return super().queryset(request, rows)


class ItemAdmin(ReadOnlyAdmin[Row]):
    readonly_fields = ("review_status", "evidence")
    exclude = ("status",)
    list_select_related = ("license",)
    list_filter: ClassVar[tuple[Any, ...]] = (
        ("status", StatusFilter),
        "license_verdict",
        "operation_type",
        "difficulty",
        "hardware",
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        model: Any = self.model
        return super().get_queryset(request).annotate(blind=second.blind(model, person(request)))

    @admin.display(description="status")
    def review_status(self, item: Any) -> str:
        return "Second review" if item.blind else item.get_status_display()

    @admin.display(description="see also")
    def evidence(self, item: Kernel | Pair) -> SafeString:
        kernel = isinstance(item, Kernel)
        about = {"kernel__id__exact" if kernel else "pair__id__exact": item.pk}
        models = (Provenance, QualityFinding, CopyFlag, *_ABOUT_BOTH) if kernel else _ABOUT_BOTH
        return format_html_join(" · ", "{}", ((list_link(model, **about),) for model in models))


@admin.register(Kernel)
class KernelAdmin(ItemAdmin[Kernel]):
    list_display = (
        "name", "review_status", "kind", "language", "hardware", "operation_type", "license",
        "license_verdict", "lines", "tokens", "created_at",
    )  # fmt: skip
    list_filter = (*ItemAdmin.list_filter, "kind", "language", "standalone")
    search_fields = ("name", "content_hash__startswith")


@admin.register(Pair)
class PairAdmin(ItemAdmin[Pair]):
    list_display = (
        "__str__", "review_status", "origin", "hardware", "operation_type", "difficulty", "license",
        "license_verdict", "tokens", "created_at",
    )  # fmt: skip
    list_filter = (*ItemAdmin.list_filter, "origin", "differentiable")
    search_fields = ("slug", "entry_point", "recipe", "content_hash__startswith")


@admin.register(Draft)
class DraftAdmin(ReadOnlyAdmin[Draft]):
    list_display = ("operation", "repository", "reason", "state", "edited_by", "changed_at")
    list_filter = ("state", "reason", "repository")
    list_select_related = ("repository", "edited_by")
    search_fields = ("operation", "path")
