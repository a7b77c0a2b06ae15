"""The two groups: what the migrations make of them, and what `curation.people` says.

That they come and go with their migration: `tests/curation/operations/test_upgrade.py`.
"""

import pytest
from django.contrib.auth.models import Permission, User

from curation import people
from tests.factories import a_curator, a_reviewer

PROMISED = {name: set(permissions) for name, permissions in people.GRANTED.items()}


def granted(name: str) -> set[str]:
    rows = Permission.objects.filter(group__name=name)
    return {".".join(row) for row in rows.values_list("content_type__app_label", "codename")}


@pytest.mark.django_db
@pytest.mark.parametrize("name", PROMISED)
def test_the_migrations_grant_exactly_the_promised_permissions(name: str) -> None:
    assert granted(name) == PROMISED[name]


@pytest.mark.django_db
def test_no_group_may_delete_rows_or_change_kernels_and_decisions() -> None:
    everything = granted(people.REVIEWERS) | granted(people.CURATORS)

    assert [name for name in everything if ".delete_" in name] == []
    assert "curation.change_kernel" not in everything
    assert "curation.change_decision" not in everything


@pytest.mark.django_db
@pytest.mark.parametrize("person", [a_reviewer, a_curator])
def test_reviewers_and_curators_may_review(person: type[User]) -> None:
    assert person().has_perm("curation.add_decision")
