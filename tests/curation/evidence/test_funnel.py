"""The funnel: what comes how far, and why the rest stays behind."""

import pytest
from django.utils import timezone

from curation.evidence.funnel import funnel
from curation.models import Action, Kernel, Repository
from tests.factories import (
    a_contamination_match,
    a_duplicate_link,
    a_finding,
    a_kernel,
    a_license,
    a_provenance,
    a_repository,
    a_source_file,
)

pytestmark = pytest.mark.django_db


def stages() -> dict[str, tuple[int, dict[str, int]]]:
    return {s.name: (s.count, s.behind) for s in funnel(Repository.objects.sources())}


@pytest.fixture
def here() -> Repository:
    return a_repository()


def found(here: Repository, **over: object) -> Kernel:
    mit = {"license": a_license(), "license_verdict": "permissive"}
    kernel = a_kernel(**{"standalone": True, **mit, **over})
    a_provenance(kernel=kernel, source_file=a_source_file(repository=here))
    return kernel


def test_each_funnel_stage_counts_the_kernels_that_passed_and_why_others_failed(
    here: Repository,
) -> None:
    best = found(here)
    found(here, status="approved")
    found(here, standalone=False, license_verdict="blocked")
    found(here, license_verdict="blocked")
    found(here, license_verdict="unknown")
    a_finding(kernel=found(here), gate="parses", passed=False, action=Action.BLOCK)
    twin, copied = found(here), found(here)
    a_duplicate_link(kernel=twin, of_kernel=best, likeness="near", content_hash=twin.content_hash)
    a_contamination_match(kernel=copied, content_hash=copied.content_hash)

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
