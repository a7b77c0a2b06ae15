"""`manage.py apply_policy`: pending items are decided on under a name; people's decisions stay."""

from functools import partial
from typing import Any

import pytest
from django.core.management import CommandError

from curation.errors import CurationError
from curation.models import (
    Actor,
    Decision,
    Device,
    Kernel,
    OperationType,
    Pair,
    Status,
    ValidationRun,
    Verdict,
)
from tests.factories import a_decision, a_full_validation, a_kernel, a_pair, a_reviewer
from tests.probes import output_of

pytestmark = pytest.mark.django_db
WHERE = "--where=operation=softmax"
apply_policy = partial(output_of, "apply_policy")


def test_pending_items_that_match_are_approved_by_the_policy() -> None:
    pair = a_pair(operation_type=OperationType.SOFTMAX)
    a_full_validation(pair)
    other = a_pair()

    said = apply_policy("proven 1", WHERE, "--comment=The harness passed it.")

    assert said == "0 kernels and 1 pair approved by “proven 1”.\n"
    decision = Decision.objects.get()
    assert (decision.pair, decision.actor, decision.rules) == (pair, Actor.POLICY, "proven 1")
    assert (decision.user, decision.comment) == (None, "The harness passed it.")
    assert Pair.objects.get(pk=pair.pk).status == Status.APPROVED
    assert Pair.objects.get(pk=other.pk).status == Status.PENDING


def test_an_item_that_a_person_sent_back_is_left_alone() -> None:
    pair = a_pair(operation_type=OperationType.SOFTMAX)
    a_decision(pair=pair, user=a_reviewer(), status=Status.PENDING)

    assert "0 pairs" in apply_policy("proven 1", WHERE, "--comment=why")
    assert Pair.objects.get().status == Status.PENDING


def test_a_policy_may_reject_and_decides_once() -> None:
    a_kernel(operation_type=OperationType.SOFTMAX)

    apply_policy("no softmax", WHERE, "--status=rejected", "--comment=why")
    apply_policy("no softmax", WHERE, "--status=rejected", "--comment=why")

    assert Kernel.objects.get().status == Status.REJECTED
    assert Decision.objects.count() == 1


@pytest.mark.parametrize(
    "grades",
    [
        {"sizes": "shown"}, {"sizes": "not_tried"}, {"sizes": None}, {"values": "not_tried"},
        {"special_values": "differ"}, {"computed_by": "mixed"}, {"launched": "some"},
        {"accuracy": "within"}, {"accuracy": "within", "own_error": 9}, {"unvaried": ["mask"]},
        {"unvaried": None}, {"test_strength": "2 of 12"}, {"test_strength": None},
    ],
    ids=str,
)  # fmt: skip
def test_a_pair_with_an_open_grade_is_left_to_a_person(grades: dict[str, Any]) -> None:
    a_full_validation(a_pair(operation_type=OperationType.SOFTMAX), **grades)

    said = apply_policy("proven 1", WHERE, "--comment=why")

    assert said.endswith("1 pair with open grades left to a person.\n")
    assert Pair.objects.get().status == Status.PENDING


def test_a_large_multiple_of_torchs_error_within_rounding_is_no_open_grade() -> None:
    pair = a_pair(operation_type=OperationType.SOFTMAX)
    a_full_validation(pair, accuracy="close", own_error=532.0)

    apply_policy("proven 1", WHERE, "--comment=why")

    assert Pair.objects.get().status == Status.APPROVED


def test_a_pair_that_passed_in_the_interpreter_only_is_left_to_a_person() -> None:
    a_full_validation(a_pair(operation_type=OperationType.SOFTMAX))
    ValidationRun.objects.update(device=Device.INTERPRETER)

    apply_policy("proven 1", WHERE, "--comment=why")

    assert Pair.objects.get().status == Status.PENDING


def test_a_pair_that_failed_or_was_never_checked_is_left_to_a_person() -> None:
    a_pair(operation_type=OperationType.SOFTMAX)
    failed = a_full_validation(a_pair(operation_type=OperationType.SOFTMAX))
    type(failed).objects.update(verdict=Verdict.FAILED)

    assert "2 pairs with open grades" in apply_policy("proven 1", WHERE, "--comment=why")


def test_a_policy_rejects_a_pair_with_open_grades() -> None:
    a_full_validation(a_pair(operation_type=OperationType.SOFTMAX), sizes="shown")

    apply_policy("no softmax", WHERE, "--status=rejected", "--comment=why")

    assert Pair.objects.get().status == Status.REJECTED


def test_a_dry_run_counts_and_decides_nothing() -> None:
    a_full_validation(a_pair(operation_type=OperationType.SOFTMAX))

    said = apply_policy("proven 1", WHERE, "--dry-run")

    assert said == "0 kernels and 1 pair would be approved by “proven 1”.\n"
    assert not Decision.objects.exists()


@pytest.mark.parametrize("arguments", [("proven 1", WHERE), (" ", WHERE, "--comment=why")])
def test_a_policy_without_name_or_reason_is_refused(arguments: tuple[str, ...]) -> None:
    with pytest.raises(CommandError, match="needs a name, and a reason"):
        apply_policy(*arguments)


@pytest.mark.parametrize("filter", ["--where=", "--where=colour=red"])
def test_an_empty_or_unknown_filter_is_refused(filter: str) -> None:
    a_pair()

    with pytest.raises((CommandError, CurationError)):
        apply_policy("proven 1", filter, "--comment=why")

    assert not Decision.objects.exists()
