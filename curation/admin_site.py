"""The admin's home: models in four groups, and the counts that an operator acts on."""

from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any

from django.contrib.admin import AdminSite
from django.contrib.admin.apps import AdminConfig
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from redis.exceptions import RedisError

# The models of each group by their names; all others are evidence.
GROUPS: dict[str, tuple[str, ...]] = {
    "Sources": (
        "Repository", "SourceFile", "SourceText", "OptOut", "License", "LicenseReading",
        "LicenseEvidence", "CopyFlag", "Provenance", "Drop",
    ),
    "Work": (
        "Kernel", "Pair", "Draft", "Decision", "DecisionReason", "BulkDecision", "SecondReview",
        "Question", "Correction", "LineComment", "Claim", "Skip",
        "IngestRun", "ValidationRun", "ExportRun", "TriedCase", "Release", "ReleaseFile",
        "ReleaseMember", "SplitAssignment", "Withdrawal", "Dashboard", "Lease", "Figures",
    ),
    "People": ("User", "Group", "Notice", "NoticeChoice", "LoginFailure"),
}  # fmt: skip
EVIDENCE = "Evidence"
# Failed runs of so many days are counted.
LATELY = timedelta(days=7)


class CurationAdminConfig(AdminConfig):
    default_site = "curation.admin_site.CurationAdminSite"


@dataclass(frozen=True, slots=True)
class Count:
    """A count on the home, with the page that lists what was counted."""

    words: str
    number: int | None
    url: str


class CurationAdminSite(AdminSite):
    """Django's admin, with another order of its models on the home."""

    index_template = "admin/home.html"

    def get_app_list(
        self, request: HttpRequest, app_label: str | None = None
    ) -> list[dict[str, Any]]:
        apps: list[dict[str, Any]] = super().get_app_list(request, app_label)
        if app_label:
            return apps
        models = [model for app in apps for model in app["models"]]
        groups: dict[str, list[Any]] = {name: [] for name in (*GROUPS, EVIDENCE)}
        for model in models:
            name = model["object_name"]
            group = next((group for group, names in GROUPS.items() if name in names), EVIDENCE)
            groups[group].append(model)
        for group, names in GROUPS.items():
            places = {name: place for place, name in enumerate(names)}
            groups[group].sort(key=partial(_place, places))
        url = reverse("admin:index", current_app=self.name)
        return [
            {"name": name, "app_label": name.lower(), "app_url": url, "has_module_perms": True,
             "models": rows}
            for name, rows in groups.items() if rows
        ]  # fmt: skip

    def index(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> TemplateResponse:
        return super().index(request, {"counts": counts(request), **(extra_context or {})})


def _place(places: dict[str, int], model: dict[str, Any]) -> int:
    return places[model["object_name"]]


def counts(request: HttpRequest) -> list[Count]:
    """Return what an operator looks into: failed runs, disputes, open questions, idle queues."""
    # The models are not loaded when the settings name this module.
    from curation.jobs.workers import alive_workers
    from curation.models import Agreement, Question, Run, RunState, SecondReview

    since = timezone.now() - LATELY
    failed = sum(
        model._default_manager.filter(created_at__gte=since, state=RunState.FAILED).count()
        for model in Run.__subclasses__()
    )
    disputes = SecondReview.objects.filter(state=Agreement.DISPUTED).count()
    questions = Question.objects.filter(answered_at=None).count()
    try:
        idle = sum(not count for count in alive_workers().values())
    except RedisError:
        idle = None
    runs = f"{reverse('runs')}?{urlencode({'state': RunState.FAILED})}"
    disputed = f"{reverse('find')}?{urlencode({'disputed': 'yes'})}"
    shown = [
        Count("runs failed this week", failed, runs),
        Count("disputed kernels and pairs", disputes, disputed),
        Count("open questions", questions, reverse("admin:curation_question_changelist")),
    ]
    if request.user.has_perm("django_rq.admin"):
        queues = reverse("admin:django_rq_dashboard_changelist")
        shown.append(Count("queues without a worker", idle, queues))
    return shown
