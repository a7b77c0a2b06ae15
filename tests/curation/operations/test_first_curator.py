"""The first password is kept until it is used."""

import stat
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.test import Client

from curation.operations.first_curator import (
    NAME,
    create_first_curator,
    password_file,
    unused_password,
)
from tests.factories import a_reviewer

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_file() -> Iterator[None]:
    yield
    password_file().unlink(missing_ok=True)


def created() -> str:
    assert create_first_curator()
    password = unused_password()
    assert password
    return password


def test_the_first_password_is_in_a_file_that_only_its_owner_can_read() -> None:
    password = created()

    assert password_file().read_text() == password
    assert stat.S_IMODE(password_file().stat().st_mode) == 0o600
    assert unused_password() == password


def test_no_first_curator_is_created_if_an_account_exists() -> None:
    a_reviewer()

    assert not create_first_curator()
    assert unused_password() is None


def test_the_first_login_removes_the_password_file(client: Client) -> None:
    password = created()

    answer = client.post("/login/", {"username": NAME, "password": password})

    assert answer.status_code == 302
    assert not password_file().exists()
    assert unused_password() is None


def test_a_failed_or_different_login_keeps_the_password_file(client: Client) -> None:
    password = created()

    client.post("/login/", {"username": NAME, "password": "wrong"})
    client.force_login(a_reviewer())

    assert unused_password() == password


def test_a_password_change_removes_the_password_file() -> None:
    created()
    curator = User.objects.get(username=NAME)

    curator.set_password("another-password")
    curator.save()

    assert not password_file().exists()
