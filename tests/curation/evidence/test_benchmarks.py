"""A fresh installation compares with the shipped fingerprints; what is ingested replaces them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.conf import settings as configured

from curation.evidence import benchmark_files, benchmarks
from curation.evidence.benchmark_files import (
    RULES,
    BenchmarkFingerprints,
    fingerprint_benchmark,
    read_fingerprints,
    write_fingerprints,
)
from curation.evidence.refresh import refresh_similarity
from curation.models import (
    ContaminationMatch,
    Fingerprint,
    OperationOverlap,
    Repository,
    Role,
)
from curation.similarity.contamination import index, matches
from curation.sources.load import load_sources
from tests import factories as make
from tests.curation.evidence.shelf import put, put_benchmark, put_file
from tests.curation.evidence.test_contamination import NETWORK
from tests.curation.similarity.kernels import SOFTMAX, renamed, unrelated, with_other_constants

pytestmark = pytest.mark.django_db

KERNELBENCH = "ScalingIntelligence/KernelBench"
TRITONBENCH = "thunlp/TritonBench"
SHIPPED = Path(configured.BASE_DIR, "curation", "evidence", "benchmark_fingerprints")
FEWEST = {
    KERNELBENCH: (270, 800),
    TRITONBENCH: (350, 1600),
    "meta-pytorch/BackendBench": (0, 150),
    "gpu-mode/reference-kernels": (35, 500),
}
"""The least number of problems and of parts of each shipped benchmark."""
SCALED = """\
import torch


def scaled(x, y):
    return torch.relu(torch.matmul(x, y)) * 2.0
"""


@pytest.fixture
def shipped(settings: Any, tmp_path: Path) -> Path:
    """An empty folder of shipped fingerprints."""
    settings.BENCHMARK_FINGERPRINTS = tmp_path / "shipped"
    settings.BENCHMARK_FINGERPRINTS.mkdir()
    return tmp_path / "shipped"


def fingerprints(repository: str = KERNELBENCH, **texts: str) -> BenchmarkFingerprints:
    files = [(f"KernelBench/level1/{name}.py", text) for name, text in texts.items()]
    return fingerprint_benchmark(repository, "c" * 40, "MIT", files)


def test_a_fresh_installation_detects_copies_of_benchmark_problems(shipped: Path) -> None:
    write_fingerprints(fingerprints(network=NETWORK), shipped)
    write_fingerprints(fingerprints(TRITONBENCH, softmax=SOFTMAX), shipped)
    assert not Repository.objects.exists()
    kernel = put(with_other_constants(renamed(SOFTMAX)))
    pair = make.a_pair(python_code=NETWORK.replace("Model", "Net"), triton_code=unrelated(1))
    clean = put(unrelated(2))

    refresh_similarity()

    in_kernel = ContaminationMatch.objects.get(kernel=kernel)
    problem = "KernelBench/level1/softmax"
    assert (in_kernel.benchmark.name, in_kernel.problem) == (TRITONBENCH, problem)
    assert ContaminationMatch.objects.get(pair=pair).benchmark.name == KERNELBENCH
    assert not ContaminationMatch.objects.filter(kernel=clean).exists()


def test_a_shipped_benchmark_reuses_the_row_of_the_known_source(shipped: Path) -> None:
    write_fingerprints(fingerprints(network=NETWORK), shipped)

    refresh_similarity()

    row = Repository.objects.get()
    assert (row.name, row.role, row.expected_license) == (KERNELBENCH, Role.BENCHMARK, "MIT")
    load_sources()
    assert Repository.objects.filter(name=KERNELBENCH).count() == 1


def test_fingerprints_read_from_a_file_give_the_same_matches(shipped: Path) -> None:
    texts = {f"p{seed}": unrelated(seed) for seed in range(20)}
    made = fingerprints(**texts, network=NETWORK)
    copies = [renamed(unrelated(3)), with_other_constants(unrelated(4)), unrelated(99), NETWORK]

    read = read_fingerprints(write_fingerprints(made, shipped))

    for copy in copies:
        assert matches(copy, index(read.parts)) == matches(copy, index(made.parts))


def test_a_benchmark_without_a_problem_can_be_written(shipped: Path) -> None:
    read = read_fingerprints(write_fingerprints(fingerprints(), shipped))

    assert (read.problems, read.parts) == ((), ())


def test_an_ingested_benchmark_replaces_its_shipped_fingerprints(shipped: Path) -> None:
    write_fingerprints(fingerprints(softmax=SOFTMAX), shipped)
    kernel = put(SOFTMAX)
    refresh_similarity()
    assert ContaminationMatch.objects.get().problem == "KernelBench/level1/softmax"
    put_file(Repository.objects.get(name=KERNELBENCH), "level1/moved.py", SOFTMAX)

    refresh_similarity()

    assert ContaminationMatch.objects.get(kernel=kernel).problem == "level1/moved"


def test_a_repository_with_the_source_role_is_not_used_as_a_benchmark(shipped: Path) -> None:
    write_fingerprints(fingerprints(softmax=SOFTMAX), shipped)
    make.a_repository(name=KERNELBENCH, role=Role.SOURCE)
    put(SOFTMAX)

    refresh_similarity()

    assert not ContaminationMatch.objects.exists()
    assert benchmarks.version() == Fingerprint.NO_BENCHMARKS


def test_a_benchmark_is_recognized_by_its_url_under_another_name(
    shipped: Path,
) -> None:
    write_fingerprints(fingerprints(softmax=SOFTMAX), shipped)
    row = make.a_benchmark(name="renamed", url=f"https://github.com/{KERNELBENCH}")
    put(SOFTMAX)

    refresh_similarity()

    assert ContaminationMatch.objects.get().benchmark == row
    assert benchmarks.not_held() == []


def test_fingerprints_of_another_rules_version_are_ignored(
    shipped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(benchmark_files, "RULES", "older")
    write_fingerprints(fingerprints(softmax=SOFTMAX), shipped)
    make.a_benchmark(name=KERNELBENCH)

    assert benchmarks.version() == Fingerprint.NO_BENCHMARKS
    assert benchmarks.not_held() == [KERNELBENCH]


def test_a_registered_benchmark_without_fingerprints_is_named(shipped: Path) -> None:
    write_fingerprints(fingerprints(softmax=SOFTMAX), shipped)
    make.a_benchmark(name="ada/bench")
    put_benchmark(unrelated(1), name="bob/bench")
    benchmarks.register_shipped()

    assert benchmarks.not_held() == ["ada/bench"]
    assert [one.repository for one in benchmarks.current().held] == [KERNELBENCH, "bob/bench"]


def test_a_pair_with_the_operation_of_a_benchmark_problem_gets_a_note(shipped: Path) -> None:
    write_fingerprints(fingerprints(scaled=SCALED), shipped)
    other_text = SCALED.replace("scaled", "f").replace("* 2.0", "* 3.0")
    same = make.a_pair(python_code=other_text, entry_point="f", triton_code=unrelated(1))
    other = make.a_pair(triton_code=unrelated(2))

    refresh_similarity()

    note = OperationOverlap.objects.get()
    assert (note.pair, note.benchmark.name) == (same, KERNELBENCH)
    assert note.problem == "KernelBench/level1/scaled"
    assert note.content_hash == same.content_hash
    assert not ContaminationMatch.objects.exists()
    assert not OperationOverlap.objects.filter(pair=other).exists()


@pytest.mark.parametrize("name", FEWEST)
def test_the_shipped_fingerprints_are_current_and_hold_the_benchmark(name: str) -> None:
    held = read_fingerprints(SHIPPED / f"{name.replace('/', '+')}.npz")

    problems, parts = FEWEST[name]
    assert (held.repository, held.rules, len(held.commit)) == (name, RULES, 40)
    assert held.license
    assert sum(problem.is_task for problem in held.problems) >= problems
    assert len(held.parts) >= parts


@pytest.mark.parametrize("name", FEWEST)
def test_the_shipped_fingerprints_hold_no_text(name: str) -> None:
    with np.load(SHIPPED / f"{name.replace('/', '+')}.npz", allow_pickle=False) as held:
        about = json.loads(held["about"].tobytes())
        kinds = {held[key].dtype.kind for key in held.files}

    assert kinds <= {"i", "u"}
    assert set(about) == {"repository", "commit", "license", "rules", "problems", "parts"}
    for problem, path, chain in about["problems"]:
        assert problem.startswith(path.rpartition(".")[0])
        assert "\n" not in path
        assert len(chain) in (0, 64)
    for number, exact, loose, words, length in about["parts"]:
        assert all(re.fullmatch(r"[0-9a-f]{64}", each) for each in (exact, loose))
        assert {type(each) for each in (number, words, length)} == {int}
