"""Login throttle: after some failures the next attempt has to wait, longer each time.

An attacker who fails on purpose must not lock people out. So no name and no address is locked, and
a browser that has logged in with a name before waits only for its own failures.
"""

from collections.abc import Iterator
from datetime import timedelta
from ipaddress import IPv6Address, ip_address, ip_network
from math import ceil

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Count, Max, Q
from django.http import HttpRequest
from django.utils import timezone

from curation.models import LoginFailure
from curation.web.security.devices import device_of

WINDOW = timedelta(hours=1)
LONGEST_WAIT = timedelta(minutes=5)
# Factor on the limit for one name from all addresses. Squared for one address with all names.
ANYWHERE = 5
# PostgreSQL's advisory locks are numbers; this one must be unique in the database.
LOCK = 0x6C6F_67696E


@transaction.atomic
def begin_attempt(request: HttpRequest, name: str) -> int:
    """Record an attempt and return 0, or return the seconds it has to wait.

    The attempt counts as a failure until `end_attempt`, so that parallel attempts see each other.
    """
    _one_at_a_time()
    now, name = timezone.now(), name[:150]
    LoginFailure.objects.filter(created_at__lt=now - WINDOW).delete()
    origin = _origin(request, name)
    for of_bucket, most in _buckets(name, origin):
        failures = LoginFailure.objects.filter(of_bucket).aggregate(
            count=Count("pk"), last=Max("created_at")
        )
        over = failures["count"] - most
        if over < 0:
            continue
        wait = min(timedelta(seconds=2 ** min(over + 1, 20)), LONGEST_WAIT)
        remaining: timedelta = failures["last"] + wait - now
        if remaining > timedelta():
            return ceil(remaining.total_seconds())
    LoginFailure.objects.create(name=name, address=origin)
    return 0


def end_attempt(request: HttpRequest, name: str) -> None:
    """Delete the failures before a correct password, and the attempt itself."""
    name = name[:150]
    LoginFailure.objects.filter(name=name, address=_origin(request, name)).delete()


def address_of(request: HttpRequest) -> str:
    """Return the client's address. A /64 of IPv6 is one address, because one client owns it.

    Behind N TRUSTED_PROXIES it is the Nth from the right in X-Forwarded-For. Addresses further left
    are claims of the client.
    """
    peer = str(request.META.get("REMOTE_ADDR", ""))
    if settings.TRUSTED_PROXIES > 0:
        hops = str(request.META.get("HTTP_X_FORWARDED_FOR", "")).split(",")
        forwarded = "".join(hops[-settings.TRUSTED_PROXIES :][:1])
        if len(hops) >= settings.TRUSTED_PROXIES and (address := _normalized(forwarded.strip())):
            return address
    return _normalized(peer) or peer[:45]


def _normalized(text: str) -> str:
    """Return the address or IPv6 network that attempts are counted by, or "" for other text."""
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return ""
    if isinstance(address, IPv6Address):
        mapped = address.ipv4_mapped
        return str(mapped or ip_network((address, 64), strict=False))
    return str(address)


def _origin(request: HttpRequest, name: str) -> str:
    """Return the origin of an attempt: a browser that is known for the name, or an address."""
    device = device_of(request, name)
    return f"device {device}" if device else address_of(request)


def _buckets(name: str, origin: str) -> Iterator[tuple[Q, int]]:
    """Yield the failures that count against an attempt, and how many are allowed without a wait."""
    most = settings.LOGIN_FAILURES
    yield Q(name=name, address=origin), most
    if not origin.startswith("device "):
        yield Q(name=name), ANYWHERE * most
        yield Q(address=origin), ANYWHERE * ANYWHERE * most


def _one_at_a_time() -> None:
    """Hold a lock until the transaction ends. SQLite needs none: transactions are immediate."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
