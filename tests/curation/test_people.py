"""The two groups: what the migrations make of them, and what `curation.people` says."""

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from curation import people
from tests.factories import a_curator, a_reviewer

PROMISED = {name: set(permissions) for name, permissions in people.GRANTED.items()}


def granted(name: str) -> set[str]:
    rows = Permission.objects.filter(group__name=name)
    return {".".join(row) for row in rows.values_list("content_type__app_label", "codename")}


@pytest.mark.django_db
@pytest.mark.parametrize("name", PROMISED)
def test_the_migrations_grant_what_is_promised_and_nothing_else(name: str) -> None:
    assert granted(name) == PROMISED[name]


@pytest.mark.django_db
def test_nobody_in_a_group_deletes_anything_or_writes_what_decisions_write() -> None:
    everything = granted(people.REVIEWERS) | granted(people.CURATORS)

    assert [name for name in everything if ".delete_" in name] == []
    assert "curation.change_kernel" not in everything
    assert "curation.change_decision" not in everything


@pytest.mark.django_db
@pytest.mark.parametrize("person", [a_reviewer, a_curator])
def test_both_may_review(person: type[User]) -> None:
    assert person().has_perm("curation.add_decision")


@pytest.mark.django_db(transaction=True)
def test_the_groups_go_and_come_back_with_the_migration() -> None:
    newest = [("curation", _newest())]
    Group.objects.create(name="owners")

    try:
        migrate([("curation", "0001_initial")])
        without = set(Group.objects.values_list("name", flat=True))
    finally:
        migrate(newest)

    assert without == {"owners"}
    assert {name: granted(name) for name in PROMISED} == PROMISED


@pytest.mark.django_db(transaction=True)
def test_the_groups_come_with_their_permissions_on_a_database_that_has_none() -> None:
    newest = [("curation", _newest())]
    try:
        migrate([("curation", "0001_initial")])
        Permission.objects.all().delete()
    finally:
        migrate(newest)

    assert {name: granted(name) for name in PROMISED} == PROMISED


def migrate(targets: list[tuple[str, str]]) -> None:
    MigrationExecutor(connection).migrate(targets)


def _newest() -> str:
    leaves: list[tuple[str, str]] = MigrationExecutor(connection).loader.graph.leaf_nodes(
        "curation"
    )
    return leaves[0][1]
