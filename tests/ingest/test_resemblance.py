"""An ingest ends with each kernel's place among its twins, and its word on the benchmarks."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from curation.models import ContaminationMatch, Fingerprint, IngestRun, Kernel, Repository, Role
from tests.conftest import commit
from tests.curation.evidence.shelf import links, representatives, uncontaminated
from tests.curation.similarity.kernels import SOFTMAX, renamed

pytestmark = pytest.mark.django_db


def read(folder: Path, text: str, name: str = "softmax.py") -> Repository:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text)
    commit(folder)
    call_command("ingest", str(folder), "--now", verbosity=0)
    return Repository.objects.get(url=str(folder))


def as_benchmark(folder: Path, text: str) -> Repository:
    folder.mkdir()
    repository = Repository.objects.create(
        name=str(folder), url=str(folder), origin="folder", role=Role.BENCHMARK
    )
    read(folder, text)
    return repository


def listed() -> list[dict[str, Any]]:
    out = StringIO()
    call_command("list_kernels", "--json", stdout=out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_near_duplicates_are_listed_with_their_representative(tmp_path: Path) -> None:
    read(tmp_path / "one", SOFTMAX)
    read(tmp_path / "two", renamed(SOFTMAX))

    ((member, representative),) = links().items()
    ids = dict(Kernel.objects.values_list("pk", "content_hash"))
    assert {row["id"]: row["duplicate_of"] for row in listed()} == {
        ids[representative]: None,
        ids[member]: ids[representative],
    }


@pytest.mark.parametrize("benchmark_first", [True, False])
def test_a_copy_of_a_problem_is_listed_with_the_problem(
    tmp_path: Path, benchmark_first: bool
) -> None:
    if benchmark_first:
        benchmark = as_benchmark(tmp_path / "benchmark", SOFTMAX)
    read(tmp_path / "source", renamed(SOFTMAX))
    if not benchmark_first:
        benchmark = as_benchmark(tmp_path / "benchmark", SOFTMAX)

    (copy,) = (row for row in listed() if row["repository"] != benchmark.name)
    assert copy["contaminated_by"] == [
        {
            "benchmark": benchmark.name,
            "problem": "softmax",
            "path": "softmax.py",
            "method": "syntax",
            "similarity": 1.0,
        }
    ]
    assert not uncontaminated(Kernel).exists()


def test_an_exact_copy_of_a_benchmark_problem_also_gets_a_match(tmp_path: Path) -> None:
    as_benchmark(tmp_path / "benchmark", SOFTMAX)
    read(tmp_path / "source", SOFTMAX)

    kernel = Kernel.objects.get()
    assert kernel.status == "rejected"
    assert ContaminationMatch.objects.get().kernel == kernel


def test_an_unchanged_commit_is_not_fingerprinted_again(tmp_path: Path) -> None:
    read(tmp_path / "one", SOFTMAX)
    Fingerprint.objects.all().delete()

    call_command("ingest", str(tmp_path / "one"), "--now", verbosity=0)

    assert not Fingerprint.objects.exists()
    assert IngestRun.objects.latest("pk").stage == "unchanged"


def test_a_removed_kernel_leaves_its_near_duplicate_cluster(tmp_path: Path) -> None:
    one = tmp_path / "one"
    read(one, SOFTMAX)
    read(tmp_path / "two", renamed(SOFTMAX))
    assert len(links()) == 1

    (one / "softmax.py").unlink()
    read(one, "x = 1\n", name="other.py")

    assert links() == {}
    assert representatives(Kernel).count() == 1


def test_a_changed_license_changes_the_representative(tmp_path: Path) -> None:
    tag = "# SPDX-License-Identifier: MIT\n"
    read(tmp_path / "one", SOFTMAX)
    read(tmp_path / "two", renamed(SOFTMAX))
    ((member, representative),) = links().items()
    folder = tmp_path / ("one" if member == Kernel.objects.earliest("pk").pk else "two")

    read(folder, tag + (folder / "softmax.py").read_text())

    assert links() == {representative: member}
