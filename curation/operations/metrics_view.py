"""View of `/metrics`, with its own access check: a scraper has no session."""

import hmac
from ipaddress import ip_address

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from curation.operations.metrics import gauges
from curation.operations.metrics_text import CONTENT_TYPE, write


@login_not_required
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Serve metrics for METRICS_TOKEN; without a token, only to this machine."""
    if not _may_read(request):
        return HttpResponse(
            "Send METRICS_TOKEN as “Authorization: Bearer …”.\n",
            status=401,
            content_type="text/plain; charset=utf-8",
            headers={"WWW-Authenticate": "Bearer"},
        )
    return HttpResponse(
        write(gauges()), content_type=CONTENT_TYPE, headers={"Cache-Control": "no-store"}
    )


def _may_read(request: HttpRequest) -> bool:
    if settings.METRICS_TOKEN:
        scheme, _, shown = request.headers.get("Authorization", "").partition(" ")
        token = settings.METRICS_TOKEN.encode()
        return scheme.lower() == "bearer" and hmac.compare_digest(shown.strip().encode(), token)
    # Behind a proxy on this machine, all requests come from this machine.
    return not settings.HTTPS and _is_loopback(request.META.get("REMOTE_ADDR", ""))


def _is_loopback(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False
