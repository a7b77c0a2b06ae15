"""Counts of open claims are kept for lists, and renewed if evidence changes."""

from typing import Any

import pytest

from curation.evidence.claim_sheet.claim_facts import refresh_open_claims, sheets
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


def test_a_wrong_claim_names_the_wrong_element_and_not_the_tensors_of_a_test() -> None:
    pair = make.a_pair()
    result = make.a_validation_result(
        pair=pair, content_hash=pair.content_hash, verdict="failed", message="1 test fails: tensor("
    )
    result.checks.create(name="test", outcome="failed", message="1 test fails: tensor(")
    result.checks.create(name="accuracy", outcome="failed", message="case 0: 257 of 512 wrong")

    [answers] = [claim for claim in sheets([pair])[pair.pk] if claim.topic == "answers"]

    assert "257 of 512 wrong" in answers.text and "tensor(" not in answers.text
