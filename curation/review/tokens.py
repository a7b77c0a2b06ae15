"""Tokens for programs. Whoever reads the database learns none of them."""

import hashlib
import secrets
from datetime import timedelta

from django.contrib.auth.models import User
from django.db.models import Q
from django.utils import timezone

from curation.models import ApiToken

PREFIX = "curation_"


def make(user: User, name: str) -> str:
    secret = PREFIX + secrets.token_urlsafe(32)
    ApiToken.objects.create(user=user, name=name, digest=_digest(secret))
    return secret


def owner(secret: str) -> User | None:
    """Whom a token speaks for, if they still may."""
    row = ApiToken.objects.select_related("user").filter(digest=_digest(secret)).first()
    if row is None or not row.user.is_active:
        return None
    hour = timezone.now() - timedelta(hours=1)
    old = Q(used_at=None) | Q(used_at__lt=hour)
    ApiToken.objects.filter(old, pk=row.pk).update(used_at=timezone.now())
    return row.user


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
