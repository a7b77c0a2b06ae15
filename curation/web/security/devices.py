"""Device cookie: the user names with which a browser has logged in.

It grants no access. The throttle uses it to tell the browser of the owner of an account from the
browser of an attacker.
"""

import secrets

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_in
from django.core import signing
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse

COOKIE, SALT = "device", "curation.device"
SECONDS = 365 * 24 * 3600
MOST_NAMES = 5


def device_of(request: HttpRequest, name: str) -> str:
    """Return the id of the browser if `name` has logged in with it before, or ""."""
    device, names = _read(request)
    return device if name in names else ""


def remember_device(request: HttpRequest, response: HttpResponse) -> None:
    """Store in the browser's cookie the name with which a user has just logged in."""
    name = getattr(request, "logged_in_as", "")
    if not name:
        return
    device, names = _read(request)
    newest = [name, *(each for each in names if each != name)][:MOST_NAMES]
    response.set_cookie(
        COOKIE,
        signing.dumps([device or secrets.token_hex(8), newest], salt=SALT),
        max_age=SECONDS,
        secure=settings.HTTPS,
        httponly=True,
        samesite="Lax",
    )


def _read(request: HttpRequest) -> tuple[str, list[str]]:
    try:
        device, names = signing.loads(request.COOKIES.get(COOKIE, ""), salt=SALT, max_age=SECONDS)
    except signing.BadSignature:
        return "", []
    return device, names


@receiver(user_logged_in)
def _note_login(request: HttpRequest | None, user: User, **_: object) -> None:
    if request is not None:
        request.logged_in_as = user.get_username()  # type: ignore[attr-defined]
