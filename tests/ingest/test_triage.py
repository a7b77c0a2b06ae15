"""An ingest ends with what rules decide: rejected with the rule's name, or left to a person."""

from pathlib import Path

import pytest

from curation.models import Decision, Kernel, OptOut, Provenance, Repository, Status
from tests.curation.evidence.shelf import links
from tests.curation.similarity.kernels import SOFTMAX, renamed
from tests.ingest.test_resemblance import as_benchmark, read

pytestmark = pytest.mark.django_db

GPL = "# SPDX-License-Identifier: GPL-3.0-only\n"
MIT = "# SPDX-License-Identifier: MIT\n"


def test_an_ingested_blocked_kernel_is_rejected_by_the_license_rule(tmp_path: Path) -> None:
    read(tmp_path / "one", GPL + SOFTMAX)

    assert Kernel.objects.get().status == Status.REJECTED
    assert Decision.objects.get().rules == "triage 1: license"


def test_a_corrected_license_reopens_a_kernel_rejected_by_the_rule(tmp_path: Path) -> None:
    read(tmp_path / "one", GPL + SOFTMAX)

    read(tmp_path / "one", MIT + SOFTMAX)

    assert Kernel.objects.get().status == Status.PENDING


def test_a_benchmark_ingested_later_rejects_existing_copies(tmp_path: Path) -> None:
    read(tmp_path / "source", MIT + renamed(SOFTMAX))
    assert Kernel.objects.get().status == Status.PENDING

    as_benchmark(tmp_path / "benchmark", SOFTMAX)

    assert set(Kernel.objects.values_list("status", flat=True)) == {Status.REJECTED}


def test_a_rejected_kernel_does_not_represent_a_near_duplicate(tmp_path: Path) -> None:
    """Not even of what a person may still approve."""
    read(tmp_path / "one", GPL + SOFTMAX)
    read(tmp_path / "two", MIT + renamed(SOFTMAX))

    blocked = Kernel.objects.get(license_verdict="blocked")
    assert blocked.pk not in links().values()


def test_a_new_place_under_a_path_that_was_opted_out_is_marked(tmp_path: Path) -> None:
    repository = read(tmp_path / "one", "x = 1\n", name="empty.py")
    OptOut.objects.create(repository=repository, path="private/", reason="They asked.")

    (tmp_path / "one" / "private").mkdir()
    read(tmp_path / "one", SOFTMAX, name="private/softmax.py")
    read(tmp_path / "one", renamed(SOFTMAX), name="public.py")

    marked = dict(Provenance.objects.values_list("source_file__path", "opted_out"))
    assert marked == {"private/softmax.py": True, "public.py": False}
    assert Repository.objects.get().opted_out is False
