import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.factories import a_curator, a_superuser


@pytest.fixture
def curator(db: None) -> User:
    return a_curator()


@pytest.fixture
def by_curator(curator: User) -> Client:
    return _logged_in(curator)


@pytest.fixture
def by_superuser(db: None) -> Client:
    return _logged_in(a_superuser())


def _logged_in(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client
