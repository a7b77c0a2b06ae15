"""Admin of sources: adding a repository, queuing its ingest, opting it out."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.widgets import AdminTextareaWidget, AdminTextInputWidget
from django.core.exceptions import ValidationError
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.safestring import SafeString

from curation.admin.tables import UndeletableAdmin
from curation.errors import CurationError
from curation.models import IngestRun, Origin, Repository
from curation.web.access import person
from ingest.git import SourceError, parse_source
from ingest.git.refs import check_ref
from ingest.requests import request_ingest

_READ = (
    "ref", "sparse_paths", "include_globs", "exclude_globs", "key_files", "submodules",
    "refresh_days",
)  # fmt: skip


class PathsField(forms.CharField):
    """Paths or globs inside a repository, one per line. Blank lines and repetitions are dropped."""

    widget = AdminTextareaWidget(attrs={"rows": 4})

    def __init__(self, help_text: str) -> None:
        super().__init__(required=False, help_text=help_text)

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(map(str, value)) if isinstance(value, list) else value

    def to_python(self, value: Any) -> Any:
        stripped = (line.strip() for line in str(value or "").splitlines())
        return list(dict.fromkeys(line for line in stripped if line))

    def clean(self, value: Any) -> list[str]:
        paths: list[str] = super().clean(value)
        for path in paths:
            is_outside = path.startswith(("-", "/", "~")) or ".." in path.split("/")
            if is_outside or not path.isprintable():
                raise ValidationError(
                    "Write paths inside the repository, such as python/tutorials: none begins with "
                    "“-”, “/” or “~”, and none holds “..”."
                )
        return paths


class RepositoryForm(forms.ModelForm):
    sparse_paths = PathsField("Folders and files to read, one a line; empty: everything.")
    include_globs = PathsField("One a line; empty: **/*.py, **/*.md and **/*.ipynb")
    exclude_globs = PathsField("One a line.")
    key_files = PathsField("The files that matter most, one a line, the first one first.")
    submodules = PathsField("Paths of submodules, one a line: each is read as its own source.")

    class Meta:
        model = Repository
        fields = ("url",)
        help_texts = {"url": "https://github.com/owner/name, or owner/name."}  # noqa: RUF012
        widgets = {"url": AdminTextInputWidget(attrs={"size": 80})}  # noqa: RUF012

    def clean_url(self) -> str:
        try:
            source = parse_source(self.cleaned_data["url"])
        except SourceError as error:
            raise ValidationError(str(error)) from None
        others = Repository.objects.exclude(pk=self.instance.pk)
        if others.filter(Q(name__iexact=source.name) | Q(url__iexact=source.location)).exists():
            raise ValidationError(f"{source.name} is among the sources already.")
        self.instance.name = source.name
        return source.location

    def clean_ref(self) -> str:
        try:
            return check_ref(self.cleaned_data["ref"])
        except SourceError as error:
            raise ValidationError(str(error)) from None

    def clean(self) -> dict[str, Any]:
        values = self.cleaned_data
        if values.get("tier") not in (None, 1, 2, 3):
            self.add_error("tier", "Write 1, 2 or 3.")
        if (weight := values.get("upsampling_weight")) is not None and weight <= 0:
            self.add_error("upsampling_weight", "Write a number above 0.")
        if values.get("refresh_days") == 0:
            self.add_error("refresh_days", "Write at least 1 day.")
        low, high = values.get("estimated_tokens_low"), values.get("estimated_tokens_high")
        if low is not None and high is not None and high < low:
            self.add_error("estimated_tokens_high", "Write a number no less than the low one.")
        return values


class OptOutForm(forms.Form):
    reason = forms.CharField(
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 4, "cols": 80}),
        help_text="Who asked for it, when and where.",
    )


@admin.register(Repository)
class RepositoryAdmin(UndeletableAdmin):
    # The page of a repository has a link to its kernels instead of a link to the site.
    view_on_site = False
    form = RepositoryForm
    add_fieldsets = (
        (None, {"fields": ("url",)}),
        ("More", {
            "classes": ("collapse",),
            "fields": (
                "role", "category", "tier", "enabled", *_READ, "expected_license",
                "upsampling_weight", "estimated_tokens_low", "estimated_tokens_high", "stars",
                "notes",
            ),
        }),
    )  # fmt: skip
    fieldsets = (
        (None, {"fields": ("name", "url", "origin", "role", "category", "tier", "enabled")}),
        ("What is read", {"fields": _READ}),
        ("What is known", {
            "fields": (
                "expected_license", "upsampling_weight", "estimated_tokens_low",
                "estimated_tokens_high", "stars", "compared_launchers", "comparing_tests",
                "launcher_count", "kernel_count", "notes",
            ),
        }),
        ("What happened", {
            "fields": (
                "kernels", "condition", "condition_note", "last_ingested_at", "last_commit",
                "clone_of", "opted_out_at", "opt_out_reason", "created_by", "created_at",
                "updated_at",
            ),
        }),
    )  # fmt: skip
    readonly_fields = (
        "name", "origin", "kernels", "condition", "condition_note", "last_ingested_at",
        "last_commit", "clone_of", "opted_out_at", "opt_out_reason", "created_by", "created_at",
        "updated_at", "compared_launchers", "comparing_tests", "launcher_count", "kernel_count",
    )  # fmt: skip
    # The maximum of columns that fit beside the filters on a screen of 1,440 pixels.
    list_display = (
        "name", "enabled", "last_run", "last_ingested_at", "stars", "compared_launchers",
        "kernel_count",
    )  # fmt: skip
    list_filter = (
        "role", "category", "tier", "enabled", "condition",
        ("opted_out_at", admin.EmptyFieldListFilter), "origin",
    )  # fmt: skip
    search_fields = ("name", "url", "expected_license")
    actions = ("queue_ingest", "opt_out", "undo_opt_out")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Repository]:
        newest = IngestRun.objects.filter(repository=OuterRef("pk")).order_by("-pk")
        rows: QuerySet[Repository] = super().get_queryset(request)
        return rows.annotate(last_state=Subquery(newest.values("state")[:1]))

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        return self.fieldsets if obj is not None else self.add_fieldsets

    def has_ingest_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("curation.add_ingestrun")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """Return the read-only fields, including the URL of an ingested source or local folder."""
        if obj is not None and (
            obj.origin != Origin.GIT or obj.last_ingested_at or obj.files.exists()
        ):
            return (*self.readonly_fields, "url")
        return self.readonly_fields

    def save_model(self, request: HttpRequest, obj: Repository, form: Any, change: bool) -> None:
        if not change:
            obj.created_by = person(request)
        super().save_model(request, obj, form, change)
        if "_ingest" in request.POST and self.has_ingest_permission(request):
            self.queue_ingest(request, Repository.objects.filter(pk=obj.pk))

    @admin.display(description="last run", ordering="last_state")
    def last_run(self, repository: Repository) -> str:
        if repository.opted_out:
            return "opted out"
        return getattr(repository, "last_state", None) or "never"

    @admin.display
    def kernels(self, repository: Repository) -> SafeString:
        query = urlencode({"repository": repository.name})
        return format_html('<a href="{}?{}">Kernels on the site</a>', reverse("find"), query)

    @admin.action(description="Queue ingest", permissions=["ingest"])
    def queue_ingest(self, request: HttpRequest, queryset: QuerySet[Repository]) -> None:
        queued: list[IngestRun] = []
        for repository in queryset:
            try:
                queued.append(request_ingest(repository, requested_by=person(request)))
            except CurationError as error:
                messages.warning(request, f"Not queued: {error}")
        if queued:
            words = "1 ingest is" if len(queued) == 1 else f"{len(queued)} ingests are"
            runs = f"{reverse('runs')}?kind=ingest"
            page = queued[0].get_absolute_url() if len(queued) == 1 else runs
            messages.success(request, format_html('<a href="{}">{} queued.</a>', page, words))

    @admin.action(description="Opt out", permissions=["change"])
    def opt_out(self, request: HttpRequest, queryset: QuerySet[Repository]) -> HttpResponse | None:
        """Ask for the reason, then opt out. A repository that is opted out keeps its reason."""
        asked = "reason" in request.POST
        form = OptOutForm(request.POST if asked else None)
        if not form.is_valid():
            return TemplateResponse(
                request,
                "admin/curation/repository/opt_out.html",
                {
                    **self.admin_site.each_context(request),
                    "title": "Opt out",
                    "opts": self.opts,
                    "form": form,
                    "repositories": queryset,
                },
            )
        reason, now = form.cleaned_data["reason"], timezone.now()
        changed = self._change_each(
            request,
            queryset.filter(opted_out_at=None),
            f"Opted out: {reason}",
            opted_out_at=now,
            opt_out_reason=reason,
        )
        messages.success(request, f"Opted out: {', '.join(changed) or 'none, all were already'}.")
        return None

    @admin.action(description="Undo opt-out", permissions=["change"])
    def undo_opt_out(self, request: HttpRequest, queryset: QuerySet[Repository]) -> None:
        changed = self._change_each(
            request,
            queryset.exclude(opted_out_at=None),
            "Opt-out undone.",
            opted_out_at=None,
            opt_out_reason="",
        )
        messages.success(request, f"Opted in again: {', '.join(changed) or 'none was opted out'}.")

    def _change_each(
        self, request: HttpRequest, queryset: Iterable[Repository], message: str, **columns: Any
    ) -> list[str]:
        """Update `columns` of each repository, log the change, and return their names."""
        names = []
        for repository in queryset:
            Repository.objects.filter(pk=repository.pk).update(**columns, updated_at=timezone.now())
            self.log_change(request, repository, message)
            names.append(repository.name)
        return names
