"""`manage.py apply_policy`: pending items are decided on under a name; people's decisions stay."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from curation.errors import CurationError
from curation.models import Actor, Decision, Kernel, OperationType, Pair, Status
from tests.factories import a_decision, a_kernel, a_pair, a_reviewer

pytestmark = pytest.mark.django_db
WHERE = "--where=operation=softmax"


def apply_policy(*arguments: str) -> str:
    out = StringIO()
    call_command("apply_policy", *arguments, stdout=out)
    return out.getvalue()


def test_pending_items_that_match_are_approved_by_the_policy() -> None:
    pair = a_pair(operation_type=OperationType.SOFTMAX)
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


def test_a_dry_run_counts_and_decides_nothing() -> None:
    a_pair(operation_type=OperationType.SOFTMAX)

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
