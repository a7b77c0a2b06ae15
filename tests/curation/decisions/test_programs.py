"""Decisions of programs: by the account or by the token, apart from those of persons."""

import uuid

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from curation.decisions import second_reviews as second
from curation.decisions.bulk import decide_all, dry_count, undo_all
from curation.decisions.decide import undo
from curation.decisions.queue import next_item
from curation.errors import Conflict
from curation.export.approvals import DecisionRow, approved_by
from curation.models import Actor, Agreement, Decision, SecondReview, Status
from curation.people import PROGRAMS
from curation.search.filters import Filter
from curation.web import dashboard, tokens
from tests.factories import a_decision, a_group, a_pair, a_reviewer, a_second_review, decided

pytestmark = pytest.mark.django_db


def a_program(**over: object) -> User:
    user = a_reviewer(**over)
    user.groups.add(a_group(PROGRAMS))
    return user


def test_a_decision_stores_whether_a_person_or_a_program_made_it() -> None:
    by_person = decided(a_pair(), a_reviewer())
    by_program = decided(a_pair(), a_program(username="reader"))

    assert (by_person.actor, by_person.rules) == (Actor.PERSON, "")
    assert (by_program.actor, by_program.rules) == (Actor.PROGRAM, "reader")


def test_an_account_that_becomes_a_program_keeps_its_earlier_decisions() -> None:
    user = a_reviewer()
    earlier = decided(a_pair(), user)
    user.groups.add(a_group(PROGRAMS))

    decided(a_pair(), user)

    assert Decision.objects.get(pk=earlier.pk).actor == Actor.PERSON
    assert Decision.objects.filter(actor=Actor.PROGRAM).count() == 1


def test_a_token_may_be_a_programs_although_its_owner_is_a_person(client: Client) -> None:
    user = a_reviewer()
    for program, actor in ((False, Actor.PERSON), (True, Actor.PROGRAM)):
        pair = a_pair()
        secret = tokens.make(user, "script", program=program)
        response = client.post(
            reverse("api-decision", args=("pairs", pair.pk)),
            {"status": "approved", "version": pair.version, "request": str(uuid.uuid4())},
            content_type="application/json",
            headers={"Authorization": f"Bearer {secret}"},
        )
        assert response.status_code == 200, response.content
        assert pair.decisions.get().actor == actor


def test_bulk_decisions_and_undos_of_a_program_are_a_programs() -> None:
    program, one, other = a_program(), a_pair(), a_pair()
    undo(decision=decided(one, program), user=program, request=uuid.uuid4())
    filter = Filter.from_text("items=pairs status=pending")
    bulk = decide_all(
        filter=filter, status=Status.APPROVED, user=program, request=uuid.uuid4(), comment="why",
        counted=dry_count(filter, Status.APPROVED, program).fingerprint,
    )  # fmt: skip
    undo_all(bulk=bulk, user=program)

    assert other.decisions.count() == 2
    assert set(Decision.objects.values_list("actor", flat=True)) == {Actor.PROGRAM}


def test_a_program_is_no_second_person() -> None:
    review = a_second_review(first=a_decision(pair=a_pair(status=Status.APPROVED, version=2)))
    item, program, person = review.item, a_program(), a_reviewer()

    assert second.waiting_for(item, person) == review
    token = tokens.owner(tokens.make(person, "script", program=True))
    for user in (program, token):
        assert user and second.waiting_for(item, user) is None
        assert next_item(user) is None
    with pytest.raises(Conflict, match="A person has to give it"):
        decided(item, program, "rejected")
    assert SecondReview.objects.get().state == Agreement.WAITING


def test_the_dashboard_counts_persons_and_programs_apart() -> None:
    decided(a_pair(), a_reviewer())
    for _ in range(2):
        decided(a_pair(), a_program())

    assert dashboard.gather()["deciders"] == {"people": 1, "by_people": 1, "by_programs": 2}


def test_an_export_takes_an_approval_of_a_program_for_no_persons() -> None:
    by_program = DecisionRow(1, "approved", "program", "reader", None, "hash", 3)
    by_person = DecisionRow(2, "rejected", "person", "", None, "hash", 4)

    assert approved_by([by_program], "hash") == by_program
    later = DecisionRow(3, "approved", "person", "", None, "hash", 5)
    assert approved_by([by_program, by_person, later], "hash") == later


def test_a_decision_of_a_program_names_it() -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        a_decision(pair=a_pair(), actor=Actor.PROGRAM, rules="")
