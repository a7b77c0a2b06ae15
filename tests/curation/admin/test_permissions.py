"""Who gets which page of the admin, and that what is read-only can't be forged."""

import pytest
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.db.models import Model
from django.forms.models import model_to_dict
from django.test import Client

from tests.curation.admin.every_model import EVERY_MODEL, READ_ONLY, Shown
from tests.factories import a_curator, a_reviewer, a_superuser
from tests.probes import queries_of

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]

each_model = pytest.mark.parametrize("shown", EVERY_MODEL, ids=str)
each_read_only = pytest.mark.parametrize("shown", READ_ONLY, ids=str)

LOGIN = (302,) * 4
FORBIDDEN = (403,) * 4


def answers(client: Client, shown: Shown, row: Model) -> tuple[int, ...]:
    addresses = (
        shown.page("changelist"),
        shown.page("add"),
        shown.page("change", row.pk),
        shown.page("delete", row.pk),
    )
    return tuple(client.get(address).status_code for address in addresses)


@each_model
def test_each_role_gets_the_admin_pages_of_the_table(shown: Shown, client: Client) -> None:
    row = shown.a_row()
    assert answers(client, shown, row) == LOGIN
    for person, expected in (
        (a_reviewer(), LOGIN),
        (_staff_without_group(), FORBIDDEN),
        (a_curator(), shown.curator),
        (a_superuser(), shown.superuser),
    ):
        client.force_login(person)
        assert answers(client, shown, row) == expected, person


@each_read_only
def test_a_superuser_can_not_forge_rows_of_machines_and_decisions(
    shown: Shown, by_superuser: Client
) -> None:
    row = shown.a_row()
    before = stored(row)
    forged = {"status": "rejected", "state": "failed", "name": "x", "message": "x", "_save": "Save"}

    assert by_superuser.post(shown.page("add"), forged).status_code == 403
    assert by_superuser.post(shown.page("change", row.pk), forged).status_code == 403
    assert by_superuser.post(shown.page("delete", row.pk), {"post": "yes"}).status_code == 403
    by_superuser.post(
        shown.page("changelist"),
        {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"},
    )
    by_superuser.post(
        shown.page("changelist"),
        {"form-TOTAL_FORMS": 1, "form-INITIAL_FORMS": 1, "form-0-id": row.pk, **forged},
    )

    assert stored(row) == before
    assert not LogEntry.objects.exists()


@each_read_only
def test_a_page_that_can_only_be_read_has_no_buttons_to_save_or_delete(
    shown: Shown, by_superuser: Client
) -> None:
    page = by_superuser.get(shown.page("change", shown.a_row().pk)).content.decode()

    assert 'name="_save"' not in page
    assert "deletelink" not in page


def test_a_curator_can_change_the_verdict_but_not_the_expression_of_a_license(
    by_curator: Client,
) -> None:
    shown = next(shown for shown in EVERY_MODEL if shown.model.__name__ == "License")
    license = shown.a_row()

    by_curator.post(
        shown.page("change", license.pk),
        {"expression": "MIT", "name": "Mine", "verdict": "blocked", "text": "x"},
    )

    before = model_to_dict(license)
    after = model_to_dict(shown.model._default_manager.get(pk=license.pk))
    assert after == before | {"name": "Mine", "verdict": "blocked"}


def test_the_admin_title_names_the_page_and_the_site(by_curator: Client) -> None:
    page = by_curator.get("/admin/").content.decode()

    assert "<title>Overview | Curation</title>" in page
    assert "Django" not in page


# --- Lists ----------------------------------------------------------------------------------
def test_every_model_is_in_the_admin_and_in_this_table() -> None:
    assert set(admin.site._registry) == {shown.model for shown in EVERY_MODEL}


@each_model
def test_an_admin_list_of_ten_rows_needs_the_queries_of_three(
    shown: Shown, by_superuser: Client
) -> None:
    def visit(**query: str) -> None:
        assert by_superuser.get(shown.page("changelist"), query).status_code == 200

    for _ in range(3):
        shown.a_row()
    visit(q="no such thing")  # content types and the like are remembered from here on
    few = queries_of(visit)
    for _ in range(7):
        shown.a_row()
    many = queries_of(visit)

    assert len(many) == len(few) <= 7, "\n".join(many)


def stored(row: Model) -> dict[str, object]:
    """Every column as it stands in the database; fails where the row is gone."""
    return next(iter(type(row)._default_manager.filter(pk=row.pk).values()))


def _staff_without_group() -> User:
    return User.objects.create_user("staff", is_staff=True)
