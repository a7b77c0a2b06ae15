import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.factories import a_browser, a_superuser


@pytest.fixture
def by_curator(curator: User) -> Client:
    return a_browser(curator)


@pytest.fixture
def by_superuser(db: None) -> Client:
    return a_browser(a_superuser())
