"""A database that is locked costs an answer, not an error of the server."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest
from django.db import connection
from django.test import Client

from tests import factories as make

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL locks rows"),
]


@pytest.fixture
def locked() -> Iterator[Client]:
    """The browser of a reviewer, while another program holds the lock of the database."""
    make.a_kernel()
    browser = Client()
    browser.force_login(make.a_reviewer())
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout = 100")
    with closing(sqlite3.connect(connection.settings_dict["NAME"])) as other:
        other.execute("BEGIN IMMEDIATE")
        yield browser
    connection.close()


def test_a_page_that_writes_a_claim_answers_503_with_a_sentence(locked: Client) -> None:
    answer = locked.get("/")

    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert answer.content.decode() == "The database can't be used. Try again soon."
