"""Page on which curators request and download exports."""

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import permission_required
from django.contrib.auth.models import User
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path
from django.utils.formats import date_format
from django.views.decorators.http import require_http_methods, require_safe

from curation.errors import CurationError
from curation.export.options import FORMATS, UNITS, parse_splits, request_export
from curation.models import ExportRun, Hardware

may_export = permission_required("curation.add_exportrun", raise_exception=True)

SHOWN = 50


class ExportForm(forms.Form):
    name = forms.CharField(
        label="Release name", required=False, max_length=100,
        help_text="Leave empty for a one-off export without a release.",
    )  # fmt: skip
    formats = forms.MultipleChoiceField(
        choices=[(name, name) for name in FORMATS],
        initial=["torchtune", "jsonl"],
        widget=forms.CheckboxSelectMultiple,
    )
    unit = forms.ChoiceField(choices=[(unit, unit) for unit in UNITS], initial="standalone")
    hardware = forms.MultipleChoiceField(
        choices=Hardware.choices,
        initial=[Hardware.CUDA],
        widget=forms.CheckboxSelectMultiple,
    )
    splits = forms.CharField(initial="90/5/5", help_text="Train, validation, test in percent.")
    seed = forms.IntegerField(initial=0)
    where = forms.CharField(
        label="Filter", required=False, help_text="As in the lists: operation=matmul license=MIT"
    )
    upsample = forms.CharField(
        label="Weights", required=False, help_text="“source”, or as tutorial=10,inductor=5"
    )
    held_out_recipes = forms.BooleanField(
        label="Add a configuration with held-out recipes", required=False
    )
    include_disputed = forms.BooleanField(label="Include disputed items", required=False)
    include_pending = forms.BooleanField(label="Include unreviewed items", required=False)
    without_benchmarks = forms.BooleanField(
        label="Include items not compared with the benchmarks", required=False
    )


@require_http_methods(["GET", "HEAD", "POST"])
@may_export
def exports(request: HttpRequest) -> HttpResponse:
    form = ExportForm(request.POST or None)
    if request.method == "POST" and form.is_valid() and _asked(request, form):
        return redirect("exports")
    runs = ExportRun.objects.select_related("requested_by").defer("options", "funnel")[:SHOWN]
    code = 400 if form.errors else 200
    return render(request, "curation/exports.html", {"form": form, "runs": runs}, status=code)


def _asked(request: HttpRequest, form: ExportForm) -> bool:
    assert isinstance(request.user, User)  # noqa: S101 - login is required everywhere
    options = dict(form.cleaned_data)
    name = options.pop("name")
    try:
        options["splits"] = parse_splits(options["splits"])
        options["hardware"] = sorted(options["hardware"])
        request_export(options, name=name, user=request.user)
    except CurationError as error:
        form.add_error(None, str(error))
        return False
    messages.success(request, "The export is queued. Its download appears here.")
    return True


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
    path("exports/<int:pk>/download", download, name="download-export"),
]
