"""A duty has one holder, and finds another when the holder is gone."""

from datetime import timedelta

import pytest
from django.utils import timezone

from curation.jobs.duty import Duty
from curation.models import Lease

pytestmark = pytest.mark.django_db

FIRST = Duty("scheduler", seconds=60, holder="one:1")
SECOND = Duty("scheduler", seconds=60, holder="two:2")


def test_the_first_process_takes_the_scheduler_lease_and_keeps_it() -> None:
    assert FIRST.take()
    assert FIRST.take()
    assert not SECOND.take()


def test_a_standby_takes_a_released_lease() -> None:
    FIRST.take()
    FIRST.release()

    assert SECOND.take()
    assert not FIRST.take()


def test_a_standby_takes_an_expired_lease() -> None:
    FIRST.take()
    Lease.objects.update(expires_at=timezone.now() - timedelta(seconds=1))

    assert SECOND.take()
    assert not FIRST.take()


def test_releasing_the_lease_of_another_process_has_no_effect() -> None:
    FIRST.take()
    SECOND.release()

    assert not SECOND.take()
