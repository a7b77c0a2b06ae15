"""`manage.py fingerprint_benchmarks` renews the shipped fingerprints from clones."""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from curation.evidence.benchmark_files import read_fingerprints
from curation.evidence.refresh import refresh_similarity
from curation.models import ContaminationMatch
from tests.conftest import KERNEL, commit
from tests.curation.evidence.shelf import put
from tests.curation.similarity.kernels import SOFTMAX
from tests.factories import a_benchmark, a_repository
from tests.ingest.git.repositories import git

pytestmark = pytest.mark.django_db


@pytest.fixture
def clone(tmp_path: Path, settings: Any) -> Path:
    """A clone of the registered benchmark ada/bench, with one problem and one answer of a model."""
    settings.BENCHMARK_FINGERPRINTS = tmp_path / "shipped"
    a_benchmark(name="ada/bench", include_globs=["**/*.py"], exclude_globs=["answers/**"])
    folder = tmp_path / "clone"
    (folder / "answers").mkdir(parents=True)
    (folder / "LICENSE").write_text("SPDX-License-Identifier: MIT\n")
    (folder / "softmax.py").write_text(SOFTMAX)
    (folder / "answers" / "add.py").write_text(KERNEL)
    commit(folder)
    git(folder, "remote", "add", "origin", "https://github.com/ada/bench")
    return folder


def test_a_clone_gives_the_fingerprints_of_the_original_benchmark(
    clone: Path, settings: Any
) -> None:
    call_command("fingerprint_benchmarks", str(clone))

    held = read_fingerprints(settings.BENCHMARK_FINGERPRINTS / "ada+bench.npz")
    assert [problem.path for problem in held.problems] == ["softmax.py"]
    assert held.commit == git(clone, "rev-parse", "HEAD").strip()
    put(SOFTMAX)
    refresh_similarity()
    assert ContaminationMatch.objects.get().problem == "softmax"


def test_the_same_commit_gives_the_same_bytes(clone: Path, settings: Any) -> None:
    path = settings.BENCHMARK_FINGERPRINTS / "ada+bench.npz"
    call_command("fingerprint_benchmarks", str(clone))
    first = path.read_bytes()

    call_command("fingerprint_benchmarks", str(clone))

    assert path.read_bytes() == first


def test_fingerprint_benchmarks_refuses_a_folder_that_is_not_a_benchmark(
    kernel_folder: Path,
) -> None:
    a_repository(name="ada/kernels")
    git(kernel_folder, "remote", "add", "origin", "https://github.com/ada/kernels")

    with pytest.raises(CommandError, match="no registered benchmark and no clone of one"):
        call_command("fingerprint_benchmarks", str(kernel_folder))
