"""A line for each request: who asked for what, how it was answered, and how long that took."""

import logging
from typing import Any

import pytest
from django.test import Client

from curation.web import tokens
from tests import factories as make

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def lines_are_wanted(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "curation.access")


def the_line(caplog: pytest.LogCaptureFixture) -> Any:
    (line,) = [each for each in caplog.records if each.name == "curation.access"]
    return line


def test_the_access_log_names_user_and_item_but_no_query(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    kernel = make.a_kernel()
    client.force_login(make.a_reviewer(username="ada"))

    client.get(f"/kernels/{kernel.pk}/?q=what-she-seeks")

    line = the_line(caplog)
    assert (line.method, line.path, line.status) == ("GET", f"/kernels/{kernel.pk}/", 200)
    assert (line.user, line.item) == ("ada", f"kernels/{kernel.pk}")
    assert 0 < line.duration < 60
    assert "seeks" not in line.getMessage()


def test_the_access_log_names_the_owner_of_an_api_token(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    secret = tokens.make(make.a_reviewer(username="robot"), "tests")

    client.get("/api/v1/kernels/", headers={"Authorization": f"Bearer {secret}"})

    assert the_line(caplog).user == "robot"


def test_an_access_log_line_needs_no_query(
    client: Client, caplog: pytest.LogCaptureFixture, django_assert_num_queries: Any
) -> None:
    with django_assert_num_queries(0):
        client.get("/favicon.ico")

    assert (the_line(caplog).user, the_line(caplog).item) == (None, None)


def test_a_request_keeps_the_request_id_of_a_proxy(client: Client) -> None:
    answer = client.get("/login/", headers={"X-Request-ID": "from-the-proxy"})

    assert answer.headers["X-Request-ID"] == "from-the-proxy"


@pytest.mark.parametrize(
    "named", ["", "short", "x" * 65, "two words here", 'quo"te-quo"te', "ünïcödé-ñame"]
)
def test_an_invalid_request_id_is_replaced_by_a_new_one(client: Client, named: str) -> None:
    answers = [client.get("/login/", headers={"X-Request-ID": named}) for _ in range(2)]

    one, other = (answer.headers["X-Request-ID"] for answer in answers)
    assert one != other
    assert named not in (one, other)
