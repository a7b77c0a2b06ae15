"""django-rq's page of queues, jobs and workers, for those who hold its permission.

What is done there harms no run: the rows are the truth, and the sweeper restores what they need.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.decorators import permission_required
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern
from django_rq.admin import QueueAdmin
from django_rq.models import Dashboard
from django_rq.settings import get_queues_list
from rq.exceptions import InvalidJobOperation, NoSuchJobError

from curation.admin.read_only import ReadOnlyAdmin
from curation.models import Lease

PERMISSION = "django_rq.admin"

# The model has no table: Django's own pages about its rows could only fail.
_OWN_PAGES = "django_rq_dashboard_changelist"
# Of rq-scheduler, which is not installed: the page could only fail.
_FOREIGN = "django_rq_scheduler_jobs"

admin.site.unregister(Dashboard)


@admin.register(Dashboard)
class QueuePageAdmin(QueueAdmin):
    """Not in the list of models, where it would stand as "Django_Rq"; the header links to it."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return request.user.has_perm(PERMISSION)

    def get_urls(self) -> list[URLPattern]:
        """django-rq's pages ask for staff only, and its JSON for a token; here all ask for the
        permission."""
        pages: list[URLPattern] = super().get_urls()  # type: ignore[no-untyped-call]
        pages = [page for page in pages if _is_its_own(page)]
        may_see = permission_required(PERMISSION, login_url="admin:login", raise_exception=False)
        for page in pages:
            page.callback = may_see(_understood(page.callback))
        return pages


def _understood(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """django-rq trusts what stands in an address, and that a job is as its page showed it: what can
    be no queue or job is no fault, nor is a job that a worker or somebody else was quicker with."""

    @wraps(view)
    def answered(request: HttpRequest, *args: Any, **named: Any) -> HttpResponse:
        if named.get("queue_index", 0) >= len(get_queues_list()):
            raise Http404("There is no such queue.")
        try:
            return view(request, *args, **named)
        except ValueError as error:
            raise Http404(str(error)) from error
        except NoSuchJobError:
            messages.error(request, "That job is gone: it is done, or somebody has deleted it.")
        except InvalidJobOperation:
            messages.error(request, "Nothing was done: the job is no longer in a state for that.")
        return redirect("admin:django_rq_jobs", named["queue_index"])

    return answered


def _is_its_own(page: URLPattern) -> bool:
    name = page.name or ""
    if name == _FOREIGN or not name.startswith("django_rq_"):
        return False
    return name == _OWN_PAGES or not name.startswith("django_rq_dashboard_")


@admin.register(Lease)
class LeaseAdmin(ReadOnlyAdmin[Lease]):
    list_display = ("name", "holder", "expires_at")
    search_fields = ("name", "holder")
