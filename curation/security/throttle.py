"""Guessing passwords takes ages: after some failures the next login has to wait."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.signals import user_logged_in, user_login_failed
from django.dispatch import receiver
from django.http import HttpRequest
from django.utils import timezone

from curation.models import LoginFailure

WINDOW = timedelta(minutes=15)
# From one address on one name; a name from anywhere, and an address on any name, may fail more.
ANYWHERE = 5


def throttled(name: str, address: str) -> bool:
    since = timezone.now() - WINDOW
    failures = LoginFailure.objects.filter(created_at__gte=since)
    most = settings.LOGIN_FAILURES
    of_name = failures.filter(name=name[:150])
    return (
        of_name.filter(address=address).count() >= most
        or of_name.count() >= ANYWHERE * most
        or failures.filter(address=address).count() >= ANYWHERE * ANYWHERE * most
    )


def address_of(request: HttpRequest | None) -> str:
    return str(request.META.get("REMOTE_ADDR", ""))[:45] if request else ""


@receiver(user_login_failed)
def _remember(credentials: dict[str, Any], request: HttpRequest | None = None, **_: Any) -> None:
    if request is None or getattr(request, "throttled", False):
        return
    LoginFailure.objects.filter(created_at__lt=timezone.now() - 2 * WINDOW).delete()
    name = str(credentials.get("username", ""))[:150].replace("\0", "")
    LoginFailure.objects.create(name=name, address=address_of(request))


@receiver(user_logged_in)
def _forget(request: HttpRequest | None, user: Any, **_: Any) -> None:
    LoginFailure.objects.filter(name=user.get_username(), address=address_of(request)).delete()
