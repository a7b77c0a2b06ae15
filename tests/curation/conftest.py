"""A curator, logged in to a site whose caches are empty."""

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client

from tests import factories as make


@pytest.fixture(autouse=True)
def nothing_is_cached() -> None:
    cache.clear()


@pytest.fixture
def no_redis(monkeypatch: pytest.MonkeyPatch) -> None:
    for queue in settings.RQ_QUEUES.values():
        monkeypatch.setitem(queue, "URL", "unix:///nowhere/redis.sock")


@pytest.fixture
def curator(db: None) -> User:
    return make.a_curator(username="ada")


@pytest.fixture
def browser(client: Client, curator: User) -> Client:
    client.force_login(curator)
    return client
