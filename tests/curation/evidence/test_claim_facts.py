"""Counts of open claims are kept for lists, and renewed if evidence changes."""

from typing import Any

import pytest

from curation.evidence.claim_facts import refresh_open_claims, sheets
from curation.models import Kernel
from tests import factories as make

pytestmark = pytest.mark.django_db


def test_open_claims_are_counted_for_items_without_a_count() -> None:
    kernel, counted = make.a_kernel(), make.a_kernel(open_claims=3)

    assert refresh_open_claims() == 1

    kernel.refresh_from_db()
    counted.refresh_from_db()
    expected = sum(claim.is_open for claim in sheets([kernel])[kernel.pk])
    assert (kernel.open_claims, counted.open_claims) == (expected, 3)


def test_a_scheduled_count_is_limited() -> None:
    for _ in range(3):
        make.a_kernel()

    assert refresh_open_claims(most=2) == 2
    assert Kernel.objects.filter(open_claims=None).count() == 1


def test_the_sheets_of_many_items_take_as_many_queries_as_those_of_a_few(
    django_assert_max_num_queries: Any,
) -> None:
    kernels = [make.a_kernel() for _ in range(20)]

    with django_assert_max_num_queries(12):
        sheets(kernels)
