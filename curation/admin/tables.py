"""Admin of licenses, opt-outs, decision reasons, releases and notices."""

from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.db.models import Exists, Field, Model, OuterRef, QuerySet
from django.forms import Field as FormField
from django.http import HttpRequest
from django.utils import timezone

from curation.evidence.opt_outs import mark_opted_out
from curation.export.requests import request_export
from curation.models import (
    DecisionReason,
    License,
    Notice,
    OptOut,
    Provenance,
    Release,
    Withdrawal,
)


class UndeletableAdmin(admin.ModelAdmin):
    """Admin of rows that cannot be deleted, because other rows refer to them."""

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class ReadOnlyAdmin(UndeletableAdmin):
    """Read-only admin of every column, then of the `readonly_fields`. Newest rows are first.

    Superusers can't edit either: an edited release or notice would no longer be a record.
    """

    ordering = ("-pk",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return (*(field.name for field in self.opts.fields), *self.readonly_fields)


@admin.register(License)
class LicenseAdmin(UndeletableAdmin):
    """Admin of licenses. Ingests add licenses. Only the verdict is editable."""

    fields = ("expression", "name", "verdict", "text")
    readonly_fields = ("expression", "text")
    list_display = ("expression", "name", "verdict")
    list_filter = ("verdict",)
    search_fields = ("expression", "name")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False


@admin.register(OptOut)
class OptOutAdmin(UndeletableAdmin):
    fields = ("repository", "path", "author", "reason", "lifted_at", "created_by", "created_at")
    readonly_fields = ("lifted_at", "created_by", "created_at")
    autocomplete_fields = ("repository",)
    list_display = ("__str__", "reason", "lifted_at", "created_by", "created_at")
    list_filter = (("lifted_at", admin.EmptyFieldListFilter),)
    list_select_related = ("repository", "created_by")
    search_fields = ("author", "path", "repository__name")
    actions = ("lift",)

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


@admin.register(DecisionReason)
class DecisionReasonAdmin(UndeletableAdmin):
    """Admin of decision reasons, which decisions copy. Clear `offered` to retire a reason."""

    list_display = ("text", "status", "position", "offered")
    list_editable = ("position", "offered")
    list_filter = ("status", "offered")

    def formfield_for_dbfield(
        self, db_field: "Field[Any, Any]", request: HttpRequest, **kwargs: Any
    ) -> FormField | None:
        """Label the fields in the list for screen readers, because no visible label exists."""
        field: FormField | None = super().formfield_for_dbfield(db_field, request, **kwargs)
        if field is not None and db_field.name in self.list_editable:
            field.widget.attrs["aria-label"] = db_field.verbose_name
        return field


@admin.register(Release)
class ReleaseAdmin(ReadOnlyAdmin):
    list_display = ("name", "seed", "code_version", "created_by", "created_at", "withdrawn")
    list_select_related = ("created_by",)
    search_fields = ("name", "code_version")
    readonly_fields = ("withdrawn",)
    actions = ("write_again",)

    @admin.display(description="some records withdrawn", boolean=True)
    def withdrawn(self, release: Release) -> bool:
        return bool(getattr(release, "some_withdrawn", False))

    def get_queryset(self, request: HttpRequest) -> QuerySet[Release]:
        of_release = Withdrawal.objects.filter(member__release=OuterRef("pk"))
        rows: QuerySet[Release] = super().get_queryset(request)
        return rows.annotate(some_withdrawn=Exists(of_release))

    @admin.action(description="Rebuild for download", permissions=["export"])
    def write_again(self, request: HttpRequest, queryset: QuerySet[Release]) -> None:
        assert isinstance(request.user, User)  # noqa: S101 - the admin is for people logged in
        for release in queryset:
            request_export(release.options, name=release.name, user=request.user)
        messages.success(request, "Export queued. The list of exports will have the download.")

    def has_export_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("curation.add_exportrun")


@admin.register(Notice)
class NoticeAdmin(ReadOnlyAdmin):
    """Admin of notices. The column `trouble` says why a notice could not be sent."""

    list_display = ("user", "kind", "text", "created_at", "read_at", "sent_at", "trouble")
    list_filter = ("kind", "created_at")
    list_select_related = ("user",)
    search_fields = ("user__username", "text")
