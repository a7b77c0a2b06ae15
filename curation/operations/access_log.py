"""Access log: a line for each request, and a request id that the request's other lines share."""

import logging
import re
import time
import uuid
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils.functional import SimpleLazyObject

from curation.operations.logs import about

log = logging.getLogger("curation.access")
# Pattern of an accepted X-Request-ID, so that it can't be mistaken for other log text.
NAME = re.compile(r"[\w.:-]{8,64}", re.ASCII)


def access(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware that logs each request. It is the outermost, so its duration includes all others.

    The query is omitted, because searches are private. For a streamed response, the duration ends
    at its first byte.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        began = time.perf_counter()
        requested_name = request.headers.get("X-Request-ID", "")
        name = requested_name if NAME.fullmatch(requested_name) else uuid.uuid4().hex
        with about(request_id=name):
            response = get_response(request)
            response.headers["X-Request-ID"] = name
            seconds = time.perf_counter() - began
            log.info(
                "%s %s %d, %d ms",
                request.method,
                request.path,
                response.status_code,
                seconds * 1000,
                extra={
                    "method": request.method,
                    "path": request.path,
                    "status": response.status_code,
                    "duration": round(seconds, 4),
                    "user": _user(request),
                    "item": _item(request),
                },
            )  # fmt: skip
        return response

    return middleware


def _user(request: HttpRequest) -> str | None:
    """Return the user, if another part of the request has loaded it.

    Loading the user only for a log line would cost a query.
    """
    user = vars(request).get("user")
    if isinstance(user, SimpleLazyObject):
        user = getattr(request, "_cached_user", None)
    return user.get_username() or None if user else None


def _item(request: HttpRequest) -> str | None:
    found = request.resolver_match.kwargs if request.resolver_match else {}
    return f"{found['kind']}/{found['pk']}" if {"kind", "pk"} <= found.keys() else None
