"""API tokens: create one, and find its owner. Only hashes are stored."""

import hashlib
import secrets
from datetime import timedelta

from django.contrib.auth.models import User
from django.db.models import Q
from django.utils import timezone

from curation.decisions.actors import mark_program
from curation.models import ApiToken

PREFIX = "curation_"


def make(user: User, name: str, lifetime: timedelta | None = None, *, program: bool = False) -> str:
    """Create a token and return its secret, which can't be shown again."""
    secret = PREFIX + secrets.token_urlsafe(32)
    expires_at = timezone.now() + lifetime if lifetime else None
    ApiToken.objects.create(
        user=user, name=name, digest=_digest(secret), expires_at=expires_at, program=program
    )
    return secret


def owner(secret: str) -> User | None:
    """Return the token's owner; None if it is unknown or expired, or the owner is inactive."""
    row = ApiToken.objects.select_related("user").filter(digest=_digest(secret)).first()
    now = timezone.now()
    if row is None or not row.user.is_active or row.is_expired(now):
        return None
    # Store the time at most once a minute. On SQLite, each write waits for the only writer.
    minute = now - timedelta(minutes=1)
    if row.used_at is None or row.used_at < minute:
        old = Q(used_at=None) | Q(used_at__lt=minute)
        ApiToken.objects.filter(old, pk=row.pk).update(used_at=now)
    if row.program:
        mark_program(row.user)
    return row.user


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
