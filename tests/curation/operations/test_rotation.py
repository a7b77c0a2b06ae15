"""A new SECRET_KEY with the old one among SECRET_KEY_FALLBACKS logs nobody out."""

from typing import Any

import pytest
from django.test import Client

from tests import factories as make

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

OLD, NEW = "the old secret " * 4, "the new secret " * 4


def logged_in(client: Client) -> bool:
    return client.get("/find").status_code == 200


def test_a_session_used_during_key_rotation_stays_logged_in(settings: Any) -> None:
    ada, bob, person = Client(), Client(), make.a_reviewer()
    settings.SECRET_KEY = OLD
    for client in (ada, bob):
        assert client.login(username=person.username, password=make.PASSWORD)

    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = NEW, [OLD]
    assert logged_in(ada)
    settings.SECRET_KEY_FALLBACKS = []

    assert logged_in(ada)
    assert not logged_in(bob)


def test_without_a_fallback_key_every_session_ends(settings: Any, client: Client) -> None:
    settings.SECRET_KEY = OLD
    client.force_login(make.a_reviewer())

    settings.SECRET_KEY = NEW

    assert not logged_in(client)


def test_api_tokens_do_not_depend_on_the_secret_key(settings: Any, client: Client) -> None:
    from curation.web import tokens

    secret = tokens.make(make.a_reviewer(), "tests")

    settings.SECRET_KEY = NEW

    answer = client.get("/api/v1/kernels/", headers={"Authorization": f"Bearer {secret}"})
    assert answer.status_code == 200
