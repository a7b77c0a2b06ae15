"""Django's sessions in the database, looked up by a statement that is composed once."""

from datetime import datetime
from typing import Any

from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.db.models import QuerySet
from django.utils import timezone

from curation.prepared import prepared


class SessionStore(db.SessionStore):
    def load(self) -> dict[str, Any]:
        found = _living.first(self.session_key, timezone.now())
        if found is None:
            self._session_key = None
            return {}
        return self.decode(found.session_data)


@prepared
def _living(key: str | None, now: datetime) -> QuerySet[Session]:
    return Session.objects.filter(session_key=key, expire_date__gt=now)
