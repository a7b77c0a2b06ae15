"""Django's admin site, with an explanation for people who may not use it."""

from typing import Any

from django.contrib.admin import AdminSite
from django.contrib.admin.apps import AdminConfig
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.utils.decorators import method_decorator


class CurationAdminConfig(AdminConfig):
    default_site = "curation.admin_site.CurationAdminSite"


class CurationAdminSite(AdminSite):
    @method_decorator(login_not_required)
    def login(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Deny access to a logged-in person who is not staff, instead of asking for a login."""
        if request.user.is_authenticated and not self.has_permission(request):
            raise PermissionDenied
        return super().login(request, extra_context)
