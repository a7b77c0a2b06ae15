"""Answer 503 while the database can't be reached or is locked."""

import logging
from collections.abc import Callable

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse

from curation.web.security.bodies import sorry

log = logging.getLogger(__name__)


class DatabaseUnavailable:
    """Middleware. A locked SQLite also stops an item's page, because the page writes a claim."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not isinstance(error, OperationalError | InterfaceError):
            return None
        log.warning("%s: the database can't be used: %s", request.path, error)
        return sorry(request, 503, "The database can't be used. Try again soon.")
