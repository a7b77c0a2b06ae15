"""Who looks after whom: curators after reviewers and curators, nobody after themselves."""

from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.test import Client

from curation.people import CURATORS, REVIEWERS
from tests.factories import PASSWORD, a_curator, a_person, a_reviewer, a_superuser

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]

LIST = "/admin/auth/user/"
NEW = "another good one"


def group(name: str) -> Group:
    return Group.objects.get_or_create(name=name)[0]


def permission(codename: str) -> Permission:
    return Permission.objects.get(codename=codename)


def add(client: Client, *groups: str, **over: Any) -> Any:
    typed = {
        "username": "newcomer",
        "usable_password": "true",
        "password1": PASSWORD,
        "password2": PASSWORD,
        "groups": [group(name).pk for name in groups],
    }
    return client.post(f"{LIST}add/", typed | over)


def change(client: Client, person: User, *groups: str, **over: Any) -> Any:
    typed = {
        "username": person.username,
        "is_active": "on",
        "groups": [group(name).pk for name in groups],
    }
    return client.post(f"{LIST}{person.pk}/change/", typed | over)


def set_password(client: Client, person: User) -> Any:
    typed = {"usable_password": "true", "password1": NEW, "password2": NEW, "set-password": ""}
    return client.post(f"{LIST}{person.pk}/password/", typed)


@pytest.mark.parametrize(("name", "is_staff"), [(REVIEWERS, False), (CURATORS, True)])
def test_a_person_added_to_the_curators_becomes_staff(
    by_curator: Client, name: str, is_staff: bool
) -> None:
    assert add(by_curator, name).status_code == 302

    newcomer = User.objects.get(username="newcomer")
    assert [group.name for group in newcomer.groups.all()] == [name]
    assert newcomer.is_staff is is_staff
    assert newcomer.check_password(PASSWORD)


def test_a_person_removed_from_the_curators_loses_staff_status(by_curator: Client) -> None:
    person = a_curator()

    change(by_curator, person, REVIEWERS)

    person.refresh_from_db()
    assert not person.is_staff


POWERS = {"is_staff": "on", "is_superuser": "on"}


def test_a_curator_can_not_add_an_account_with_extra_permissions(
    by_curator: Client,
) -> None:
    add(by_curator, REVIEWERS, **POWERS, user_permissions=[permission("delete_user").pk])

    newcomer = User.objects.get(username="newcomer")
    assert not newcomer.is_superuser
    assert not newcomer.is_staff
    assert not newcomer.user_permissions.exists()


@pytest.mark.parametrize("who", ["themselves", "a reviewer"])
def test_a_curator_can_not_grant_an_account_extra_permissions(
    by_curator: Client, curator: User, who: str
) -> None:
    person = curator if who == "themselves" else a_reviewer()

    response = change(
        by_curator,
        person,
        CURATORS,
        **POWERS,
        user_permissions=[permission("delete_user").pk],
    )

    assert response.status_code == 302
    person.refresh_from_db()
    assert not person.is_superuser
    assert not person.user_permissions.exists()


def test_a_curator_can_not_add_an_account_to_another_group(by_curator: Client) -> None:
    person = a_reviewer()

    response = change(by_curator, person, "owners")
    add(by_curator, "owners")

    assert "groups" in response.context["adminform"].form.errors
    assert not User.objects.filter(groups__name="owners").exists()


def a_person_with_a_permission() -> User:
    person = a_reviewer()
    person.user_permissions.add(permission("delete_user"))
    return person


def a_member_of_another_group() -> User:
    person = a_person()
    person.groups.add(group("owners"))
    return person


@pytest.mark.parametrize(
    "somebody_above", [a_superuser, a_person_with_a_permission, a_member_of_another_group]
)
def test_a_curator_can_not_change_an_account_with_more_permissions(
    by_curator: Client, somebody_above: Any
) -> None:
    person = somebody_above()

    answers = [
        change(by_curator, person, email="mine@example.org").status_code,
        by_curator.get(f"{LIST}{person.pk}/password/").status_code,
        set_password(by_curator, person).status_code,
        by_curator.post(f"{LIST}{person.pk}/delete/", {"post": "yes"}).status_code,
    ]

    assert answers == [403, 403, 403, 403]
    person.refresh_from_db()
    assert person.check_password(PASSWORD)
    assert person.email == ""


def test_a_curator_sets_a_new_password_for_a_reviewer(by_curator: Client) -> None:
    person = a_reviewer()

    set_password(by_curator, person)

    person.refresh_from_db()
    assert person.check_password(NEW)


@pytest.mark.parametrize("person", [a_reviewer, a_superuser])
def test_a_superuser_may_make_a_superuser_who_is_staff_without_the_group(
    by_superuser: Client, person: Any
) -> None:
    person = person()

    change(by_superuser, person, is_superuser="on")

    person.refresh_from_db()
    assert person.is_superuser
    assert person.is_staff


def test_the_form_offers_roles_instead_of_single_permissions(by_superuser: Client) -> None:
    person = a_person_with_a_permission()

    page = by_superuser.get(f"{LIST}{person.pk}/change/").content.decode()
    change(by_superuser, person, CURATORS)

    assert "Roles" in page and "Curator: Reviews, queues ingests" in page
    assert 'name="user_permissions"' not in page
    assert "delete_user" in page
    assert list(person.user_permissions.all()) == [permission("delete_user")]


def test_a_curator_can_not_give_a_group_more_permissions(by_curator: Client) -> None:
    curators = group(CURATORS)
    before = set(curators.permissions.all())

    response = by_curator.post(
        f"/admin/auth/group/{curators.pk}/change/",
        {"name": CURATORS, "permissions": [permission("delete_user").pk]},
    )

    assert response.status_code == 403
    assert set(curators.permissions.all()) == before


def test_the_built_in_groups_can_not_be_renamed_or_deleted(by_superuser: Client) -> None:
    curators = group(CURATORS)
    page = f"/admin/auth/group/{curators.pk}/"

    by_superuser.post(f"{page}change/", {"name": "others", "permissions": []})

    assert by_superuser.post(f"{page}delete/", {"post": "yes"}).status_code == 403
    by_superuser.post(
        "/admin/auth/group/",
        {"action": "delete_selected", "_selected_action": [curators.pk], "post": "yes"},
    )
    assert Group.objects.get(pk=curators.pk).name == CURATORS
