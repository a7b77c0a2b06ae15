"""Whatever overlaps a problem of a benchmark is found, wherever either comes from."""

from __future__ import annotations

import json

import pytest
from django.utils import timezone

from curation.evidence import benchmarks
from curation.evidence.refresh import refresh_similarity
from curation.evidence.subjects import seen_in
from curation.models import (
    ContaminationMatch,
    Fingerprint,
    Kernel,
    Repository,
    Role,
    SourceFile,
    Status,
)
from ingest.extract import Extraction, MemoryTree, extract
from tests import factories as make
from tests.curation.evidence.shelf import put, put_benchmark, put_file, uncontaminated
from tests.curation.similarity.kernels import (
    SOFTMAX,
    reformatted,
    renamed,
    unrelated,
    with_other_constants,
)
from tests.ingest.extract.reading import files_of

pytestmark = pytest.mark.django_db

NETWORK = '''\
import torch
import torch.nn as nn


class Model(nn.Module):
    """A small network."""

    def __init__(self, width, height, groups):
        super().__init__()
        self.linear = nn.Linear(width, height)
        self.norm = nn.GroupNorm(groups, height)

    def forward(self, x):
        x = self.linear(x)
        x = torch.nn.functional.hardtanh(x, min_val=-2.0, max_val=2.0)
        return self.norm(x) * torch.sigmoid(x)
'''


@pytest.mark.parametrize("disguise", [str, renamed, reformatted, with_other_constants])
def test_a_renamed_or_reformatted_copy_of_a_benchmark_is_found(disguise: object) -> None:
    assert callable(disguise)
    problems = [SOFTMAX, *(unrelated(5000 + seed) for seed in range(10))]
    benchmark = put_benchmark(*problems, path="level1/{}_problem.py")
    planted = {put(disguise(text)).pk: number for number, text in enumerate(problems)}

    refresh_similarity()

    assert not uncontaminated(Kernel).exists()
    for pk, number in planted.items():
        match = ContaminationMatch.objects.get(kernel=pk)
        assert match.benchmark == benchmark
        assert match.problem == f"level1/{number}_problem"
        assert match.path == f"level1/{number}_problem.py"
        assert match.content_hash == match.item.content_hash
        assert match.constants_differ is (disguise is with_other_constants)


def test_no_kernel_among_100_unrelated_real_and_synthetic_ones_is_flagged() -> None:
    put_benchmark(SOFTMAX, NETWORK, *(unrelated(5000 + seed) for seed in range(30)))
    found = extract(MemoryTree(files_of("liger_kernel")))
    real = {i.unit.source: i.kernel.source for i in found if isinstance(i, Extraction)}
    for unit, function in list(real.items())[::2]:
        put(function, unit=unit)
    for seed in range(20):
        put(unrelated(seed))

    refresh_similarity()

    assert uncontaminated(Kernel).count() >= 100
    assert not ContaminationMatch.objects.exists()


@pytest.mark.parametrize("how", ["emptied", "another role"])
def test_a_match_is_removed_with_its_benchmark(how: str) -> None:
    benchmark = put_benchmark(SOFTMAX)
    put(SOFTMAX)
    refresh_similarity()
    assert ContaminationMatch.objects.exists()

    if how == "emptied":
        SourceFile.objects.filter(repository=benchmark).update(retired_at=timezone.now())
    else:
        Repository.objects.filter(pk=benchmark.pk).update(role=Role.SOURCE)
    refresh_similarity(seen_in(benchmark))

    assert not ContaminationMatch.objects.exists()
    assert uncontaminated(Kernel).exists()


def test_a_match_is_removed_with_a_retired_kernel_and_returns_with_it() -> None:
    put_benchmark(SOFTMAX)
    kernel = put(SOFTMAX)
    refresh_similarity()

    Kernel.objects.filter(pk=kernel.pk).update(status=Status.RETIRED)
    refresh_similarity()
    assert not ContaminationMatch.objects.exists()
    assert refresh_similarity().compared == 0

    Kernel.objects.filter(pk=kernel.pk).update(status=Status.PENDING)
    refresh_similarity()
    assert ContaminationMatch.objects.exists()


def test_only_new_items_are_compared_during_a_benchmark_ingest() -> None:
    benchmark = put_benchmark(SOFTMAX)
    old = put(unrelated(1))
    refresh_similarity()
    make.an_ingest_run(repository=benchmark, **make.running())
    put_file(benchmark, "level1/next.py", unrelated(1))
    new = put(unrelated(2))

    assert refresh_similarity().compared == 1
    assert Fingerprint.objects.get(kernel=new).compared_with == benchmarks.version()
    assert not ContaminationMatch.objects.exists()

    assert refresh_similarity(seen_in(benchmark)).compared == 1
    assert ContaminationMatch.objects.get().kernel == old


def test_an_interrupted_comparison_is_resumed() -> None:
    put_benchmark(SOFTMAX)
    for seed in range(5):
        put(unrelated(seed))
    refresh_similarity()
    first = Fingerprint.objects.earliest("pk")
    Fingerprint.objects.filter(pk=first.pk).update(compared_with="older benchmarks")

    assert refresh_similarity().compared == 1
    assert refresh_similarity().compared == 0


@pytest.mark.parametrize("lines", [True, False])
def test_benchmark_problems_in_a_json_table_are_read(lines: bool) -> None:
    rows = [{"id": seed, "answer": {"code": unrelated(seed)}} for seed in (1, 2, 3)]
    table = "\n".join(map(json.dumps, rows)) if lines else json.dumps(rows)
    benchmark = put_benchmark(SOFTMAX)
    put_file(benchmark, f"data/all.{'jsonl' if lines else 'json'}", table)
    put(unrelated(2))

    refresh_similarity()

    assert ContaminationMatch.objects.get().problem == "data/all:2"


def test_a_problem_repeated_in_a_table_is_reported_once() -> None:
    benchmark = put_benchmark(SOFTMAX)
    put_file(benchmark, "data/all.json", json.dumps([SOFTMAX] * 9))
    put_file(benchmark, "data/again.json", json.dumps({"code": SOFTMAX}))
    put(SOFTMAX)

    refresh_similarity()

    assert ContaminationMatch.objects.get().problem == "level1/0"


@pytest.mark.parametrize("table", ["", "{", "[" * 100_000, '"\\ud800def f():"', "1\n2\n[3]"])
def test_a_malformed_problem_table_is_skipped(table: str) -> None:
    benchmark = put_benchmark(SOFTMAX)
    put_file(benchmark, "data/all.json", table)
    put(SOFTMAX)

    refresh_similarity()

    assert ContaminationMatch.objects.get().problem == "level1/0"


def test_a_kernel_in_the_markdown_of_a_benchmark_is_compared() -> None:
    benchmark = make.a_benchmark()
    held = put(SOFTMAX, repository=benchmark)
    held.provenances.get().source_file.__class__.objects.update(path="README.md")
    copy = put(renamed(SOFTMAX))

    refresh_similarity()

    assert ContaminationMatch.objects.get(kernel=copy).path == "README.md"
