"""Refuse malformed requests before they are processed.

Refused are bodies larger than any form, texts in another encoding than UTF-8, and texts with a zero
byte, which PostgreSQL refuses.
"""

from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, JsonResponse, UnreadablePostError

FORM, MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data"


def refuse_nonsense(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware that refuses malformed requests.

    Django limits forms as it reads them, but writes uploaded files of any size to disk. This site
    accepts no files.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        declared = request.META.get("CONTENT_LENGTH") or "0"
        if not declared.isdecimal():
            return sorry(request, 400, "The Content-Length is not a number.")
        if _is_too_large(declared):
            most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
            return sorry(request, 413, f"A request must not exceed {most:,} bytes.")
        # Attack: in UTF-7, letters encode a zero byte or a lone surrogate.
        if (request.content_params or {}).get("charset", "utf-8").lower() not in ("utf-8", "utf8"):
            return sorry(request, 400, "Requests are read as UTF-8 only.")
        try:
            if _holds_zero_bytes(request):
                return sorry(request, 400, "The request contains a zero byte.")
        except (UnreadablePostError, RequestDataTooBig):
            return sorry(request, 400, "The request is incomplete.")
        return get_response(request)

    return middleware


def _is_too_large(declared: str) -> bool:
    # Python refuses to parse very long numbers.
    return len(declared) > 15 or int(declared) > settings.DATA_UPLOAD_MAX_MEMORY_SIZE


def _holds_zero_bytes(request: HttpRequest) -> bool:
    if "\0" in request.path_info or "%00" in request.META.get("QUERY_STRING", ""):
        return True
    if any("\0" in value for value in request.COOKIES.values()):
        return True
    if request.content_type == MULTIPART:
        return b"\0" in request.body
    return request.content_type == FORM and (b"%00" in request.body or b"\0" in request.body)


def sorry(request: HttpRequest, code: int, sentence: str) -> HttpResponse:
    """Return a refusal: JSON for URLs of the API, text for others."""
    headers = {"Retry-After": "5"} if code == 503 else {}
    if request.path.startswith("/api/"):
        return JsonResponse({"error": sentence}, status=code, headers=headers)
    plain = "text/plain; charset=utf-8"
    return HttpResponse(sentence, status=code, content_type=plain, headers=headers)
