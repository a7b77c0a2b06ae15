"""Claims: leases on items under review. A claim is taken by compare-and-set, and may be renewed.

All browser tabs of a person share the claim of an item.
"""

import uuid
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from curation.models import Claim, Kernel, Pair
from curation.search.matching import about

# Remaining time of a claim after a tab is closed. Other tabs of the person renew it each minute.
AFTER_A_TAB = timedelta(seconds=75)


def take(item: Kernel | Pair, user: User) -> Claim | None:
    """Claim the item or renew the user's claim. Return None if another user has a claim."""
    now = timezone.now()
    claim = Claim(
        **{about(type(item)): item},
        user=user,
        token=uuid.uuid4(),
        expires_at=until(now),
        created_at=now,
    )
    columns = [field for field in Claim._meta.concrete_fields if not field.primary_key]
    values = [
        field.get_db_prep_save(getattr(claim, field.attname), connection) for field in columns
    ]
    run_out = Claim._meta.get_field("expires_at").get_db_prep_save(now, connection)
    with connection.cursor() as cursor:
        cursor.execute(
            _take(about(type(item)), [str(field.column) for field in columns]), [*values, run_out]
        )
        kept = cursor.fetchone()
    if kept is None:
        return None
    claim.token = uuid.UUID(str(kept[0]))
    return claim


def _take(name: str, columns: list[str]) -> str:
    """Return the SQL for `take`: one statement, so that only one concurrent attempt succeeds."""
    table, other = Claim._meta.db_table, "pair" if name == "kernel" else "kernel"
    return (
        f"INSERT INTO {table} ({', '.join(columns)}) "  # noqa: S608 - names of our own
        f"VALUES ({', '.join(['%s'] * len(columns))}) "
        f"ON CONFLICT ({name}_id) WHERE {other}_id IS NULL DO UPDATE "
        "SET user_id = excluded.user_id, expires_at = excluded.expires_at, "
        f"token = CASE WHEN {table}.user_id = excluded.user_id THEN {table}.token "
        "ELSE excluded.token END "
        f"WHERE {table}.user_id = excluded.user_id OR {table}.expires_at <= %s RETURNING token"
    )


def renew(token: uuid.UUID, user: User) -> bool:
    """Renew the claim of an open page. Return False if another user has taken over the item."""
    claims = Claim.objects.filter(token=token, user=user)
    return bool(claims.update(expires_at=until(timezone.now())))


def leave(token: uuid.UUID, user: User) -> None:
    """Shorten the claim of a page that is closed."""
    soon = timezone.now() + AFTER_A_TAB
    Claim.objects.filter(token=token, user=user, expires_at__gt=soon).update(expires_at=soon)


def leave_others(item: Kernel | Pair | None, user: User) -> None:
    """Shorten the user's claims on other items. A browser that crashed may have left them."""
    soon = timezone.now() + AFTER_A_TAB
    others = Claim.objects.filter(user=user, expires_at__gt=soon)
    if item:
        others = others.exclude(**{about(type(item)): item})
    others.update(expires_at=soon)


def holder(item: Kernel | Pair) -> User | None:
    """Return the user who has a claim on the item."""
    claims = Claim.objects.filter(**{about(type(item)): item}, expires_at__gt=timezone.now())
    claim = claims.select_related("user").first()
    return claim.user if claim else None


def until(now: datetime) -> datetime:
    return now + timedelta(seconds=settings.CLAIM_SECONDS)
