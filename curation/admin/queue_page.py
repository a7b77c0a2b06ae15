"""django-rq's page of queues, jobs and workers, for people with its permission.

Actions there harm no run: the rows are authoritative, and the sweeper restores jobs.
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

PERMISSION = "django_rq.admin"

# The model has no table, so Django's own pages of its rows would fail.
_OWN_PAGES = "django_rq_dashboard_changelist"
# Page of rq-scheduler, which is not installed, so it would fail.
_FOREIGN = "django_rq_scheduler_jobs"

admin.site.unregister(Dashboard)


@admin.register(Dashboard)
class QueuePageAdmin(QueueAdmin):
    """Admin of the queue page. The header links to it, so it is not in the list of models."""

    def has_module_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return request.user.has_perm(PERMISSION)

    def get_urls(self) -> list[URLPattern]:
        """Return django-rq's URLs, all of which require the permission.

        Its own pages require staff only, and its JSON a token.
        """
        pages: list[URLPattern] = super().get_urls()  # type: ignore[no-untyped-call]
        pages = [page for page in pages if _is_its_own(page)]
        may_see = permission_required(PERMISSION, login_url="admin:login", raise_exception=False)
        for page in pages:
            page.callback = may_see(_understood(page.callback))
        return pages


def _understood(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Wrap a view of django-rq to handle invalid queues and vanished jobs.

    django-rq trusts numbers in a URL, and expects a job to be in the state its page showed. Invalid
    URLs give 404, and a job that another process has changed gives a message.
    """

    @wraps(view)
    def answered(request: HttpRequest, *args: Any, **parameters: Any) -> HttpResponse:
        if parameters.get("queue_index", 0) >= len(get_queues_list()):
            raise Http404("There is no such queue.")
        try:
            return view(request, *args, **parameters)
        except ValueError as error:
            raise Http404(str(error)) from error
        except NoSuchJobError:
            messages.error(request, "This job no longer exists: it is done or was deleted.")
        except InvalidJobOperation:
            messages.error(request, "No change: the job's state does not allow this action.")
        return redirect("admin:django_rq_jobs", parameters["queue_index"])

    return answered


def _is_its_own(page: URLPattern) -> bool:
    name = page.name or ""
    if name == _FOREIGN or not name.startswith("django_rq_"):
        return False
    return name == _OWN_PAGES or not name.startswith("django_rq_dashboard_")
