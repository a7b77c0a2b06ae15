"""Refuses a body that is larger than anything that is sent here, before a byte of it is read."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse

SENTENCE = "The request is larger than the {:,} bytes that are taken here."


def limit_bodies(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware. Django counts forms as it reads them, but writes uploaded files to the disk
    whatever their size, and nothing here takes files."""

    def middleware(request: HttpRequest) -> HttpResponse:
        declared = request.META.get("CONTENT_LENGTH") or "0"
        most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        # Longer than any number that is meant, and too long for Python to read.
        if declared.isdecimal() and (len(declared) > 15 or int(declared) > most):
            sentence = SENTENCE.format(most)
            if request.path.startswith("/api/"):
                return JsonResponse({"error": sentence}, status=413)
            return HttpResponse(sentence, status=413, content_type="text/plain; charset=utf-8")
        return get_response(request)

    return middleware
