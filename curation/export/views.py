"""Pages on which curators preview, request and download exports."""

import tarfile
from base64 import b64encode
from collections import Counter
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import permission_required
from django.core.exceptions import NON_FIELD_ERRORS
from django.db.models import Q, QuerySet
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.utils.formats import date_format
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from markdown_it import MarkdownIt

from curation.errors import CurationError
from curation.export.dataset import dry_run
from curation.export.options import OPTIONS, ExportOptions, Option, chosen
from curation.export.release.changes import differences
from curation.export.release.push import CannotPush, check_push, obstacle
from curation.export.requests import request_export, request_push
from curation.models import ExportRun, Hardware, Kernel, Pair, Release, SavedView, Status
from curation.search.filters import Filter
from curation.search.matching import WrongFilter
from curation.web.access import person

may_export = permission_required("curation.add_exportrun", raise_exception=True)

SHOWN = 50
# Maximum number of items that a preview examines. 10,000 take 3 s of CPU time (2026-11-30).
PREVIEWED = 10_000
CARD_MOST, CHANGES_MOST = 1 << 20, 500


# Fields that most exports need. All other fields are in a collapsed section.
FIRST = ("name", "where", "formats", "include_pending", "without_benchmarks", "with_reasons")


class ExportForm(forms.Form):
    """Form of the declared export options and of a release's name."""

    name = forms.CharField(
        label="Release name", required=False, max_length=100,
        help_text="Leave empty for a one-off export without a release.",
    )  # fmt: skip

    def __init__(self, data: Any = None) -> None:
        super().__init__(data)
        defaults = ExportOptions()
        for key, option in OPTIONS.items():
            if option.in_form:
                self.fields[key] = _field(option, getattr(defaults, key))
        self.fields["where"].widget.attrs["list"] = "views"

    def first(self) -> list[forms.BoundField]:
        return [self[name] for name in FIRST]

    def others(self) -> list[forms.BoundField]:
        return [field for field in self if field.name not in FIRST]

    def has_wrong_others(self) -> bool:
        return bool(set(self.errors) - {*FIRST, NON_FIELD_ERRORS})

    def options(self) -> dict[str, Any]:
        return chosen({name: self.cleaned_data.get(name) for name in self.fields if name != "name"})


def _field(option: Option, default: Any) -> forms.Field:
    named: dict[str, Any] = {"label": option.label, "help_text": option.help, "required": False}
    labels = dict(Hardware.choices)
    choices = [(value, labels.get(value, value)) for value in option.choices]
    if option.kind == "yes":
        return forms.BooleanField(**named)
    if option.kind == "some":
        widget = forms.CheckboxSelectMultiple
        return forms.MultipleChoiceField(
            choices=choices, initial=list(default), widget=widget, **named
        )
    if option.kind == "one":
        return forms.ChoiceField(choices=choices, initial=default, **named)
    if option.kind == "number":
        return forms.IntegerField(initial=default, **named)
    shown = "/".join(map(str, default)) if isinstance(default, tuple) else default
    return forms.CharField(initial=shown, max_length=1000, **named)


@require_http_methods(["GET", "HEAD", "POST"])
@may_export
def exports(request: HttpRequest) -> HttpResponse:
    form = ExportForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            request_export(form.options(), name=form.cleaned_data["name"], user=person(request))
        except CurationError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, "The export is queued. Its download appears here.")
            return redirect("exports")
    return _page(request, form)


def _page(
    request: HttpRequest, form: ExportForm, shown: dict[str, Any] | None = None
) -> HttpResponse:
    runs = ExportRun.objects.select_related("requested_by", "release").defer("options")[:SHOWN]
    views = SavedView.objects.filter(Q(user=person(request)) | Q(shared=True))[:SHOWN]
    context = {
        "form": form,
        "runs": [_row(run) for run in runs],
        "obstacle": obstacle(),
        "views": [(view.name, _text(view.query)) for view in views],
        **(shown or {}),
    }
    return render(request, "curation/exports.html", context, status=400 if form.errors else 200)


def _row(run: ExportRun) -> dict[str, Any]:
    """Return a run with the size of its archive and the number of items in it."""
    counts = [f"{stages['exported']:,} {kind}" for kind, stages in run.funnel.items()]
    size = None
    if run.archive and not run.archive_removed_at:
        with suppress(OSError):
            size = (settings.DATA_DIR / "exports" / run.archive).stat().st_size
    return {"run": run, "counts": ", ".join(counts), "size": size}


def _text(query: str) -> str:
    """Return a saved view as the text of a filter. The view's kind of items is left out."""
    try:
        return Filter.from_query(query).text()
    except WrongFilter:
        return ""


@require_POST
@may_export
def preview(request: HttpRequest) -> HttpResponse:
    """Show the result of a dry run with these options: the funnel of the export.

    A request by the page's script gets only the part of the page with the funnel.
    """
    form = ExportForm(request.POST)
    shown: dict[str, Any] = {"previewed": True}
    if form.is_valid():
        try:
            options = ExportOptions.from_json(form.options())
            shown |= _previewed(options)
        except CurationError as error:
            shown["refusal"] = str(error)
    else:
        shown["refusal"] = "; ".join(f"{key}: {errors[0]}" for key, errors in form.errors.items())
    if request.headers.get("X-Swap"):
        return render(request, "curation/export_preview.html", shown)
    return _page(request, form, shown)


def _previewed(options: ExportOptions) -> dict[str, Any]:
    filter = Filter.from_text(options.where)
    statuses = (Status.APPROVED, Status.PENDING) if options.include_pending else (Status.APPROVED,)
    rows: list[QuerySet[Any]] = [
        filter.of(Kernel.objects.filter(status__in=statuses)),
        filter.of(Pair.objects.filter(status__in=statuses)),
    ]
    candidates = sum(items[: PREVIEWED + 1].count() for items in rows)
    if candidates > PREVIEWED:
        return {"too_many": PREVIEWED}
    outcome = dry_run(options)
    return {
        "funnel": [(kind, list(stages.items())) for kind, stages in outcome.funnel.items()],
        "left_out": sorted(
            ((str(reason), count) for reason, count in outcome.left_out.items() if count),
            key=lambda pair: -pair[1],
        ),
        "sentences": list(outcome.coverage.sentences()),
    }


@require_safe
@may_export
def card(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the dataset card of an archive."""
    run = get_object_or_404(ExportRun.objects.exclude(archive=""), pk=pk)
    text = ""
    pictures: dict[str, str] = {}
    with suppress(OSError, tarfile.TarError, EOFError):
        text, pictures = _card_of(settings.DATA_DIR / "exports" / run.archive)
    if not text:
        messages.error(request, f"The archive of {run} is not on this host.")
        return redirect("exports")
    shown = {"run": run, "card": mark_safe(_as_html(_body(text), pictures))}  # noqa: S308 - markdown-it escapes HTML
    return render(request, "curation/export_card.html", shown)


def _card_of(archive: Path) -> tuple[str, dict[str, str]]:
    """Return the text of README.md, and the pictures as data URLs by path.

    Only the first files are read, so pictures at the end of an older archive are left out.
    """
    text = ""
    pictures: dict[str, str] = {}
    with tarfile.open(archive, "r|gz") as tar:
        for entry in tar:
            path = entry.name.partition("/")[2]
            content = entry.isfile() and path.startswith(("README.md", "pictures/"))
            file = tar.extractfile(entry) if content else None
            if file is None and text:
                break
            read = file.read(CARD_MOST) if file else b""
            if path == "README.md":
                text = read.decode(errors="replace")
            elif read:
                pictures[path] = f"data:image/svg+xml;base64,{b64encode(read).decode()}"
    return text, pictures


def _as_html(text: str, pictures: dict[str, str]) -> str:
    """Render a card as HTML, without inline styles, which the site's policy (CSP) forbids."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(text)
    for token in tokens:
        if token.attrs.pop("style", "") == "text-align:right":
            token.attrs["class"] = "number"
        for part in token.children or ():
            if part.type == "image" and (picture := pictures.get(str(part.attrs["src"]))):
                part.attrs["src"] = picture
            elif part.type == "image":
                part.type = "text"
    html: str = markdown.renderer.render(tokens, markdown.options, {})
    return html


def _body(text: str) -> str:
    """Return a card without its YAML header."""
    header, _, body = text.removeprefix("---\n").partition("\n---\n")
    return body if text.startswith("---\n") and header else text


@require_safe
@may_export
def changes(request: HttpRequest, pk: int) -> HttpResponse:
    """Show how the release of a run differs from the previous release."""
    run = get_object_or_404(ExportRun.objects.exclude(release=None), pk=pk)
    assert run.release is not None  # noqa: S101 - selected above
    before = Release.objects.filter(pk__lt=run.release.pk).order_by("-pk").first()
    rows = list(islice(differences(before, run.release), CHANGES_MOST + 1)) if before else []
    shown = {
        "run": run, "before": before, "changes": rows[:CHANGES_MOST],
        "counts": Counter(row.change for row in rows).most_common(),
        "more": len(rows) > CHANGES_MOST,
    }  # fmt: skip
    return render(request, "curation/export_changes.html", shown)


class PushForm(forms.Form):
    """Form for the dataset repository of a push. The token comes only from the settings."""

    repository = forms.CharField(
        label="Dataset repository", max_length=200, help_text="As OWNER/NAME. Made if missing.",
        widget=forms.TextInput(attrs={"placeholder": "OWNER/NAME", "spellcheck": "false"}),
    )  # fmt: skip
    private = forms.BooleanField(label="Private, if it is new", required=False)
    replace = forms.BooleanField(
        label="Replace all files, also those that no export wrote", required=False
    )

    def clean_repository(self) -> str:
        repository: str = self.cleaned_data["repository"]
        try:
            check_push(repository)
        except CannotPush as error:
            raise forms.ValidationError(str(error)) from None
        return repository


@require_http_methods(["GET", "HEAD", "POST"])
@may_export
def push_release(request: HttpRequest, pk: int) -> HttpResponse:
    """Queue a push of a finished release to a dataset repository."""
    run = get_object_or_404(ExportRun.objects.exclude(release=None), pk=pk)
    assert run.release is not None  # noqa: S101 - selected above
    form = PushForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        queued = request_push(run.release, **form.cleaned_data, user=person(request))
        messages.success(request, "The push is queued. This page shows its progress.")
        return redirect(queued)
    shown = {"run": run, "form": form, "obstacle": obstacle()}
    return render(request, "curation/export_push.html", shown, status=400 if form.errors else 200)


@require_safe
@may_export
def download(request: HttpRequest, pk: int) -> HttpResponseBase:
    run = get_object_or_404(ExportRun.objects.exclude(archive=""), pk=pk)
    if run.archive_removed_at:
        day = date_format(run.archive_removed_at, "Y-m-d")
        messages.error(request, f"{run.archive} was removed on {day}; export it again.")
        return redirect(run)
    try:
        file = (settings.DATA_DIR / "exports" / run.archive).open("rb")
    except OSError:
        messages.error(
            request,
            f"{run.archive} is not on this host, but in the data folder of its worker's host.",
        )
        return redirect("exports")
    name = f"{run.name or f'dataset-{run.pk}'}.tar.gz".replace("/", "-")
    return FileResponse(file, as_attachment=True, filename=name)


urlpatterns = [
    path("exports/", exports, name="exports"),
    path("exports/preview", preview, name="preview-export"),
    path("exports/<int:pk>/card", card, name="export-card"),
    path("exports/<int:pk>/changes", changes, name="export-changes"),
    path("exports/<int:pk>/push", push_release, name="push-release"),
    path("exports/<int:pk>/download", download, name="download-export"),
]
