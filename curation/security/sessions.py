"""Database sessions, loaded by a compiled query."""

from datetime import datetime
from typing import Any

from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.db.models import QuerySet
from django.utils import timezone

from curation.compiled_queries import compiled_query


class SessionStore(db.SessionStore):
    def load(self) -> dict[str, Any]:
        session = _living.first(self.session_key, timezone.now())
        if session is None:
            self._session_key = None
            return {}
        return self.decode(session.session_data)


@compiled_query
def _living(key: str | None, now: datetime) -> QuerySet[Session]:
    return Session.objects.filter(session_key=key, expire_date__gt=now)
