"""A duty has one holder, and finds another when the holder is gone."""

from datetime import timedelta

import pytest
from django.utils import timezone

from curation.jobs.duty import Duty
from curation.models import Lease

pytestmark = pytest.mark.django_db

FIRST = Duty("scheduler", seconds=60, holder="one:1")
SECOND = Duty("scheduler", seconds=60, holder="two:2")


def test_the_first_to_ask_has_the_duty_and_keeps_it() -> None:
    assert FIRST.take()
    assert FIRST.take()
    assert not SECOND.take()


def test_a_stand_by_steps_in_when_the_holder_has_released_it() -> None:
    FIRST.take()
    FIRST.release()

    assert SECOND.take()
    assert not FIRST.take()


def test_a_stand_by_steps_in_when_the_holder_has_died() -> None:
    FIRST.take()
    Lease.objects.update(expires_at=timezone.now() - timedelta(seconds=1))

    assert SECOND.take()
    assert not FIRST.take()


def test_releasing_what_another_holds_changes_nothing() -> None:
    FIRST.take()
    SECOND.release()

    assert not SECOND.take()
