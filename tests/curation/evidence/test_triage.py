"""What rules decide without a person, and what they leave to one."""

import uuid

import pytest

from curation.decisions.decide import decide
from curation.evidence.triage import triage
from curation.models import Action, Actor, Decision, Kernel, LicenseVerdict, Status
from tests.factories import a_contamination_match, a_finding, a_kernel, a_reviewer

pytestmark = pytest.mark.django_db


def status_of(kernel: Kernel) -> str:
    triage(Kernel.objects.all())
    kernel.refresh_from_db()
    return kernel.status


def test_a_blocked_license_rejects_and_records_rule_and_version() -> None:
    kernel = a_kernel(license_verdict=LicenseVerdict.BLOCKED)

    assert status_of(kernel) == Status.REJECTED
    decision = Decision.objects.get()
    assert (decision.actor, decision.rules) == (Actor.POLICY, "triage 1: license")
    assert decision.comment == "Its license forbids distribution."


def test_a_gate_that_blocks_rejects_and_one_that_warns_does_not() -> None:
    blocked, warned = a_kernel(), a_kernel()
    a_finding(kernel=blocked, gate="parses", passed=False, action=Action.BLOCK)
    a_finding(kernel=warned, gate="docstring", passed=False, action=Action.WARN)

    assert status_of(blocked) == Status.REJECTED
    assert status_of(warned) == Status.PENDING
    assert Decision.objects.get().rules == "triage 1: quality, parses"


def test_a_kernel_is_rejected_only_while_its_content_matches_a_benchmark() -> None:
    kernel, changed = a_kernel(), a_kernel()
    a_contamination_match(kernel=kernel, content_hash=kernel.content_hash)
    a_contamination_match(kernel=changed, content_hash="0" * 64)

    assert status_of(kernel) == Status.REJECTED
    assert status_of(changed) == Status.PENDING


@pytest.mark.parametrize("verdict", ["permissive", "unknown", "conflict"])
def test_triage_leaves_kernels_without_a_blocked_license_to_reviewers(verdict: str) -> None:
    from tests.factories import a_license

    kernel = a_kernel(license_verdict=verdict, license=a_license())

    assert status_of(kernel) == Status.PENDING


def test_triage_is_idempotent() -> None:
    kernel = a_kernel(license_verdict=LicenseVerdict.BLOCKED)
    status_of(kernel)

    assert triage(Kernel.objects.all()) == {}
    assert Decision.objects.count() == 1


def test_a_kernel_returns_to_the_queue_when_its_gate_opens() -> None:
    kernel = a_kernel(license_verdict=LicenseVerdict.BLOCKED)
    status_of(kernel)
    Kernel.objects.update(license_verdict=LicenseVerdict.UNKNOWN)

    assert status_of(kernel) == Status.PENDING
    assert [d.status for d in Decision.objects.all()] == ["pending", "rejected"]


def test_triage_keeps_a_decision_of_a_person_against_a_gate() -> None:
    kernel = a_kernel(license_verdict=LicenseVerdict.BLOCKED)
    status_of(kernel)
    kernel.refresh_from_db()
    decide(
        item=kernel,
        status=Status.APPROVED,
        version=kernel.version,
        user=a_reviewer(),
        request=uuid.uuid4(),
        comment="They gave us leave.",
    )

    assert status_of(kernel) == Status.APPROVED


def test_triage_does_not_reopen_a_rejection_by_a_person() -> None:
    kernel = a_kernel()
    decide(item=kernel, status=Status.REJECTED, version=1, user=a_reviewer(), request=uuid.uuid4())

    assert status_of(kernel) == Status.REJECTED
