"""All URLs of the site."""

from django.conf import settings
from django.contrib import admin
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import LogoutView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.templatetags.static import static
from django.urls import URLPattern, URLResolver, include, path

from curation.operations.health import healthz
from curation.operations.metrics import metrics
from curation.web.security.login import Login


def icon(request: HttpRequest) -> HttpResponse:
    return redirect(static("img/icon.svg"))


handler404 = "curation.web.api.not_here"

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", healthz, name="healthz"),
    path("metrics", metrics, name="metrics"),
    # The admin's pages state no icon, so browsers request this path.
    path("favicon.ico", login_not_required(icon), name="icon"),
    path("login/", Login.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("admin/", admin.site.urls),
    path("", include("curation.export.views")),
    path("", include("curation.web.routes")),
    *(path("", include(urls)) for urls in settings.MORE_URLS),
]
