"""Lists of the admin: a fixed number of queries."""

import pytest
from django.contrib import admin
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.curation.admin.every_model import EVERY_MODEL, Shown

each_model = pytest.mark.parametrize("shown", EVERY_MODEL, ids=str)


def queries(client: Client, address: str) -> list[str]:
    with CaptureQueriesContext(
        connection,
    ) as captured:
        response = client.get(address)
    assert response.status_code == 200
    return [query["sql"] for query in captured.captured_queries]


def test_every_model_is_in_the_admin_and_in_this_table() -> None:
    assert set(admin.site._registry) == {shown.model for shown in EVERY_MODEL}


@pytest.mark.any_database
@each_model
def test_an_admin_list_of_ten_rows_needs_the_queries_of_three(
    shown: Shown, by_superuser: Client
) -> None:
    for _ in range(3):
        shown.a_row()
    address = shown.page("changelist")
    queries(by_superuser, address)  # content types and the like are remembered from here on
    few = queries(by_superuser, address)

    for _ in range(7):
        shown.a_row()
    many = queries(by_superuser, address)

    assert len(many) == len(few), "\n".join(many)
    assert len(many) <= 7, "\n".join(many)


@each_model
def test_an_admin_search_without_results_does_not_fail(shown: Shown, by_superuser: Client) -> None:
    shown.a_row()

    response = by_superuser.get(shown.page("changelist"), {"q": "no such thing"})

    assert response.status_code == 200
