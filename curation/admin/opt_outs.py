"""Admin of opt-outs of paths and authors: append-only, lifted instead of deleted."""

from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from curation.admin.lean import LeanAdmin
from curation.evidence.opt_outs import mark_opted_out
from curation.models import OptOut, Provenance


@admin.register(OptOut)
class OptOutAdmin(LeanAdmin[OptOut]):
    fields = ("repository", "path", "author", "reason", "lifted_at", "created_by", "created_at")
    readonly_fields = ("lifted_at", "created_by", "created_at")
    autocomplete_fields = ("repository",)
    list_display = ("__str__", "reason", "lifted_at", "created_by", "created_at")
    list_filter = (("lifted_at", admin.EmptyFieldListFilter),)
    list_select_related = ("repository", "created_by")
    search_fields = ("author", "path", "repository__name")
    actions = ("lift",)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """Make an existing opt-out read-only except for its reason."""
        if obj is not None:
            return (*self.readonly_fields, "repository", "path", "author")
        return self.readonly_fields

    def save_model(self, request: HttpRequest, obj: OptOut, form: Any, change: bool) -> None:
        if not change and isinstance(request.user, User):
            obj.created_by = request.user
        super().save_model(request, obj, form, change)
        if not change:
            marked = mark_opted_out(Provenance.objects.all())
            messages.info(request, f"{marked} places of kernels are excluded by it.")

    @admin.action(description="Lift", permissions=["change"])
    def lift(self, request: HttpRequest, queryset: QuerySet[OptOut]) -> None:
        lifted = 0
        for row in queryset.filter(lifted_at=None):
            OptOut.objects.filter(pk=row.pk, lifted_at=None).update(lifted_at=timezone.now())
            self.log_change(request, row, "Lifted.")
            lifted += 1
        marked = mark_opted_out(Provenance.objects.all())
        messages.success(
            request, f"{lifted} lifted; {marked} places of kernels are included again."
        )
