"""The admin's home with the counts that an operator acts on."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.contrib.admin import AdminSite
from django.contrib.admin.apps import AdminConfig
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.http import urlencode
from redis.exceptions import RedisError

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
    """Django's admin, with counts on the home."""

    index_template = "admin/home.html"

    @method_decorator(login_not_required)
    def login(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Tell a person who is logged in, but is not staff, whom to ask."""
        if request.user.is_authenticated and not self.has_permission(request):
            raise PermissionDenied
        return super().login(request, extra_context)

    def index(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> TemplateResponse:
        return super().index(request, {"counts": counts(request), **(extra_context or {})})


def counts(request: HttpRequest) -> list[Count]:
    """Return what an operator looks into: failed runs, disputes, idle queues."""
    # The models are not loaded when the settings name this module.
    from curation.jobs.workers import alive_workers
    from curation.models import Agreement, Run, RunState, SecondReview

    since = timezone.now() - LATELY
    failed = sum(
        model._default_manager.filter(created_at__gte=since, state=RunState.FAILED).count()
        for model in Run.__subclasses__()
    )
    disputes = SecondReview.objects.filter(state=Agreement.DISPUTED).count()
    try:
        idle = sum(not count for count in alive_workers().values())
    except RedisError:
        idle = None
    runs = f"{reverse('runs')}?{urlencode({'state': RunState.FAILED})}"
    disputed = f"{reverse('find')}?{urlencode({'disputed': 'yes'})}"
    shown = [
        Count("runs failed this week", failed, runs),
        Count("disputed kernels and pairs", disputes, disputed),
    ]
    if request.user.has_perm("django_rq.admin"):
        queues = reverse("admin:django_rq_dashboard_changelist")
        shown.append(Count("queues without a worker", idle, queues))
    return shown
