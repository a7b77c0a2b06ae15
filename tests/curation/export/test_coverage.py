"""An export claims nothing that was not compared with the benchmarks."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from curation.evidence import benchmarks
from curation.evidence.benchmark_files import fingerprint_benchmark, write_fingerprints
from curation.export.coverage import NotComparedError
from curation.models import Fingerprint, Release
from tests.curation.export.writing import a_seen_kernel, export, identities, manifest, reasons
from tests.curation.similarity.kernels import SOFTMAX
from tests.factories import a_benchmark, an_approved_pair, an_operation_overlap

pytestmark = pytest.mark.django_db

CLAIM = "No split contains an overlap with a registered benchmark."
UNKNOWN = "No benchmark was compared: overlap is unknown."


@pytest.fixture
def compared(settings: Any, tmp_path: Path) -> str:
    """A shipped benchmark with one problem; returns the version that it gives."""
    settings.BENCHMARK_FINGERPRINTS = tmp_path / "shipped"
    settings.BENCHMARK_FINGERPRINTS.mkdir()
    made = fingerprint_benchmark("ada/bench", "c" * 40, "MIT", [("softmax.py", SOFTMAX)])
    write_fingerprints(made, settings.BENCHMARK_FINGERPRINTS)
    benchmarks.register_shipped()
    return benchmarks.version()


def a_compared_kernel(version: str) -> None:
    a_seen_kernel()
    Fingerprint.objects.update(compared_with=version)


def card(folder: Path) -> str:
    return (folder / "README.md").read_text()


def test_an_export_without_benchmarks_says_that_overlap_is_unknown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a_seen_kernel()

    folder = export(tmp_path / "out")

    assert UNKNOWN in card(folder)
    assert CLAIM not in card(folder)
    assert manifest(folder)["benchmarks"]["sentences"] == [UNKNOWN]
    assert UNKNOWN in capsys.readouterr().out


def test_a_release_of_compared_records_lists_the_benchmarks(tmp_path: Path, compared: str) -> None:
    a_compared_kernel(compared)

    folder = tmp_path / "out"
    call_command("export_dataset", "--out", str(folder), "--release", "1")

    assert Release.objects.get().name == "1"
    assert CLAIM in card(folder)
    assert "| ada/bench | `cccccccccccc` | MIT | 1 | 1 |" in card(folder)
    assert manifest(folder)["benchmarks"]["compared"] == [
        {"name": "ada/bench", "commit": "c" * 40, "license": "MIT", "problems": 1, "texts": 1}
    ]


def an_older_comparison() -> None:
    kernel = a_seen_kernel()
    Fingerprint.objects.filter(kernel=kernel).update(compared_with="f" * 64)


@pytest.mark.parametrize(
    ("rows", "options", "sentence"),
    [
        (partial(a_benchmark, name="bob/bench"), (), "Not compared: bob/bench. Overlap with it is"),
        (an_older_comparison, (), "1 of 2 records were not compared with these benchmarks"),
        (lambda: None, ("--with-launcher",), "Launchers of kernels were not compared: its overlap"),
    ],
    ids=["another benchmark", "older benchmarks", "launchers"],
)
def test_an_incomplete_comparison_is_named_instead_of_a_claim(
    rows: Callable[[], object], options: tuple[str, ...], sentence: str,
    tmp_path: Path, compared: str,
) -> None:  # fmt: skip
    a_compared_kernel(compared)
    rows()

    written = card(export(tmp_path / "out", *options))

    assert sentence in written
    assert CLAIM not in written


def test_the_card_counts_pairs_with_the_operation_of_a_benchmark_problem(
    tmp_path: Path, compared: str
) -> None:
    pair = an_approved_pair()
    an_approved_pair()
    Fingerprint.objects.update(compared_with=compared)
    for problem in ("level1/1", "level1/2"):
        an_operation_overlap(pair=pair, problem=problem)

    folder = export(tmp_path / "out")

    sentence = "1 of 2 pairs have the same operation as a benchmark problem."
    assert sentence in card(folder)
    assert manifest(folder)["benchmarks"]["same_operation"] == 1


@pytest.mark.parametrize(
    ("missing", "remedy"),
    [("a comparison", "manage.py examine"), ("a benchmark", "bob/bench"), ("all", UNKNOWN)],
)
def test_a_release_without_a_benchmark_comparison_is_refused(
    missing: str, remedy: str, tmp_path: Path, compared: str, settings: Any
) -> None:
    a_seen_kernel()
    Fingerprint.objects.update(compared_with="f" * 64 if missing == "a comparison" else compared)
    if missing == "a benchmark":
        a_benchmark(name="bob/bench")
    if missing == "all":
        settings.BENCHMARK_FINGERPRINTS = tmp_path / "none"
        Fingerprint.objects.update(compared_with=Fingerprint.NO_BENCHMARKS)
    release = ("export_dataset", "--out", str(tmp_path / "out"), "--release", "1")

    with pytest.raises(NotComparedError, match=f"1 is no release yet.*{remedy}"):
        call_command(*release)
    assert not Release.objects.exists()

    call_command(*release, "--without-benchmarks")
    assert Release.objects.get().name == "1"


def test_an_uncompared_kernel_is_exported_only_without_benchmarks(tmp_path: Path) -> None:
    kernel = a_seen_kernel()
    Fingerprint.objects.update(compared_with="")

    assert reasons(export(tmp_path / "with")) == {kernel.name: "unexamined"}
    assert len(identities(export(tmp_path / "without", "--without-benchmarks"))) == 1
