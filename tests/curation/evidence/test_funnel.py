"""The funnel: what comes how far, and why the rest stays behind."""

import pytest
from django.utils import timezone

from curation.evidence.funnel import funnel
from curation.evidence.triage import triage
from curation.models import Action, Actor, Decision, Kernel, LicenseVerdict, Repository, Status
from tests import factories as make

pytestmark = pytest.mark.django_db


def stages() -> dict[str, tuple[int, dict[str, int]]]:
    return {s.name: (s.count, s.behind) for s in funnel(Repository.objects.sources())}


@pytest.fixture
def here() -> Repository:
    return make.a_repository()


def found(here: Repository, **over: object) -> Kernel:
    mit = {"license": make.a_license(), "license_verdict": "permissive"}
    kernel = make.a_kernel(**{"standalone": True, **mit, **over})
    make.a_provenance(kernel=kernel, source_file=make.a_source_file(repository=here))
    return kernel


def test_each_funnel_stage_counts_the_kernels_that_passed_and_why_others_failed(
    here: Repository,
) -> None:
    best = found(here)
    found(here, status="approved")
    found(here, standalone=False, license_verdict="blocked")
    found(here, license_verdict="blocked")
    found(here, license_verdict="unknown")
    make.a_finding(kernel=found(here), gate="parses", passed=False, action=Action.BLOCK)
    twin, copied = found(here), found(here)
    make.a_duplicate_link(kernel=twin, of_kernel=best, likeness="near")
    make.a_contamination_match(kernel=copied)

    assert stages() == {
        "found": (8, {}),
        "standalone": (7, {"not standalone": 1}),
        "licensed": (5, {"blocked": 1, "unknown": 1}),
        "quality": (4, {"parses": 1}),
        "unique": (3, {"near": 1}),
        "uncontaminated": (2, {copied.contaminationmatchs.get().benchmark.name: 1}),
        "approved": (1, {}),
        "pending review": (1, {}),
    }


def test_an_opted_out_kernel_is_dropped_at_the_licensed_stage(here: Repository) -> None:
    kernel = found(here)
    kernel.provenances.update(opted_out=True)

    assert stages()["licensed"] == (0, {"opted out": 1})


def test_a_kernel_without_current_places_is_not_counted(here: Repository) -> None:
    found(here).provenances.update(retired_at=timezone.now())

    assert stages() == {"found": (0, {})} | {
        name: (0, {}) for name in ("standalone", "licensed", "quality", "unique", "uncontaminated")
    }


# --- Triage: what rules decide without a person ----------------------------------------------
def status_of(kernel: Kernel) -> str:
    triage(Kernel.objects.all())
    kernel.refresh_from_db()
    return kernel.status


def test_a_blocked_license_rejects_and_records_rule_and_version() -> None:
    kernel = make.a_kernel(license_verdict=LicenseVerdict.BLOCKED)

    assert status_of(kernel) == Status.REJECTED
    decision = Decision.objects.get()
    assert (decision.actor, decision.rules) == (Actor.POLICY, "triage 1: license")
    assert decision.comment == "Its license forbids distribution."


def test_a_gate_that_blocks_rejects_and_one_that_warns_does_not() -> None:
    blocked, warned = make.a_kernel(), make.a_kernel()
    make.a_finding(kernel=blocked, gate="parses", passed=False, action=Action.BLOCK)
    make.a_finding(kernel=warned, gate="docstring", passed=False, action=Action.WARN)

    assert status_of(blocked) == Status.REJECTED
    assert status_of(warned) == Status.PENDING
    assert Decision.objects.get().rules == "triage 1: quality, parses"


def test_a_kernel_is_rejected_only_while_its_content_matches_a_benchmark() -> None:
    kernel, changed = make.a_kernel(), make.a_kernel()
    make.a_contamination_match(kernel=kernel)
    make.a_contamination_match(kernel=changed, content_hash="0" * 64)

    assert status_of(kernel) == Status.REJECTED
    assert status_of(changed) == Status.PENDING


@pytest.mark.parametrize("verdict", ["permissive", "unknown", "conflict"])
def test_triage_leaves_kernels_without_a_blocked_license_to_reviewers(verdict: str) -> None:
    kernel = make.a_kernel(license_verdict=verdict, license=make.a_license())

    assert status_of(kernel) == Status.PENDING


def test_triage_is_idempotent() -> None:
    kernel = make.a_kernel(license_verdict=LicenseVerdict.BLOCKED)
    status_of(kernel)

    assert triage(Kernel.objects.all()) == {}
    assert Decision.objects.count() == 1


def test_a_kernel_returns_to_the_queue_when_its_gate_opens() -> None:
    kernel = make.a_kernel(license_verdict=LicenseVerdict.BLOCKED)
    status_of(kernel)
    Kernel.objects.update(license_verdict=LicenseVerdict.UNKNOWN)

    assert status_of(kernel) == Status.PENDING
    assert [d.status for d in Decision.objects.all()] == ["pending", "rejected"]


def test_triage_keeps_a_decision_of_a_person_against_a_gate() -> None:
    kernel = make.a_kernel(license_verdict=LicenseVerdict.BLOCKED)
    status_of(kernel)
    make.decided(kernel)

    assert status_of(kernel) == Status.APPROVED


def test_triage_does_not_reopen_a_rejection_by_a_person() -> None:
    kernel = make.a_kernel()
    make.decided(kernel, status="rejected")

    assert status_of(kernel) == Status.REJECTED
