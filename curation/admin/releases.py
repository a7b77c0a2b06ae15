"""Admin of releases, withdrawals and export runs."""

from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from curation.admin.links import list_link, run_link
from curation.admin.read_only import AboutItemAdmin, ReadOnlyAdmin
from curation.export.requests import request_export
from curation.models import (
    ExportRun,
    Release,
    ReleaseFile,
    ReleaseMember,
    SplitAssignment,
    Withdrawal,
)


@admin.register(Release)
class ReleaseAdmin(ReadOnlyAdmin[Release]):
    list_display = ("name", "seed", "code_version", "created_by", "created_at", "withdrawn")
    list_select_related = ("created_by",)
    search_fields = ("name", "code_version")
    readonly_fields = ("members", "withdrawn")
    actions = ("write_again",)

    @admin.display
    def members(self, release: Release) -> SafeString:
        return list_link(ReleaseMember, release__id__exact=release.pk)

    @admin.display
    def withdrawn(self, release: Release) -> SafeString | str:
        some = getattr(release, "some_withdrawn", False)
        return list_link(Withdrawal, "some records", q=release.name) if some else "nothing"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Release]:
        of_release = Withdrawal.objects.filter(member__release=OuterRef("pk"))
        return super().get_queryset(request).annotate(some_withdrawn=Exists(of_release))

    @admin.action(description="Rebuild for download", permissions=["export"])
    def write_again(self, request: HttpRequest, queryset: QuerySet[Release]) -> None:
        assert isinstance(request.user, User)  # noqa: S101 - the admin is for people logged in
        for release in queryset:
            request_export(release.options, name=release.name, user=request.user)
        messages.success(request, "Export queued. The list of exports will have the download.")

    def has_export_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("curation.add_exportrun")


@admin.register(ReleaseMember)
class ReleaseMemberAdmin(AboutItemAdmin[ReleaseMember]):
    list_display = ("record_id", "release", "about", "split", "weight")
    # No filter by release: its choices would read every manifest. A release links to its members.
    list_filter = ("split",)
    list_select_related = ("kernel", "pair", "release")
    search_fields = ("record_id", "content_hash__startswith")


@admin.register(ReleaseFile)
class ReleaseFileAdmin(ReadOnlyAdmin[ReleaseFile]):
    list_display = ("path", "number", "release")
    list_select_related = ("release",)


@admin.register(Withdrawal)
class WithdrawalAdmin(ReadOnlyAdmin[Withdrawal]):
    list_display = ("member", "reason", "message", "created_at")
    list_filter = ("reason",)
    list_select_related = ("member__release",)
    list_texts = ("message",)
    search_fields = ("member__record_id", "member__release__name")


@admin.register(SplitAssignment)
class SplitAssignmentAdmin(AboutItemAdmin[SplitAssignment]):
    list_display = ("about", "plan", "split")
    list_filter = ("split",)
    list_select_related = ("kernel", "pair")
    search_fields = ("plan",)


@admin.register(ExportRun)
class ExportRunAdmin(ReadOnlyAdmin[ExportRun]):
    list_display = (
        "__str__",
        "on_site",
        "state",
        "stage",
        "done",
        "requested_by",
        "created_at",
        "download",
    )
    list_filter = ("state",)
    list_select_related = ("requested_by", "release")
    list_texts = ("message",)
    search_fields = ("name", "requested_by__username")
    readonly_fields = (
        "on_site",
        "download",
    )

    @admin.display(description="run")
    def on_site(self, run: ExportRun) -> SafeString:
        return run_link(run)

    @admin.display
    def download(self, run: ExportRun) -> SafeString | str:
        if not run.archive or run.archive_removed_at:
            return ""
        return format_html('<a href="{}">Download</a>', reverse("download-export", args=[run.pk]))
