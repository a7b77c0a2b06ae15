"""Pairs of an outside author through the harness, in the interpreter: an honest pair passes, and a
faulty one, whose own test passes, does not pass as computed by Triton.

All faulty pairs run, and the honest ones that are representatives. All run with `--every-variant`.
"""

from dataclasses import fields
from pathlib import Path

import pytest

from tests.hostile.pairs.load import PAIRS, Pair, load_pairs, read_pair
from tests.hostile.zoo.load import defined
from tests.waiting import DEADLINE
from validation.harness.entry import parse
from validation.harness.options import Options
from validation.harness.report import Report
from validation.harness.schedule import check

pytestmark = pytest.mark.slow

ALL = {pair.name: pair for pair in load_pairs()}
HERE = {name: pair for name, pair in ALL.items() if pair.entry.interpretable}
# Faults that the harness does not see yet, and why. A pair that is seen must leave the table.
KNOWN_HOLES = {
    # The harness can't tell a number from an index or a length, and a reference that clamps those,
    # as slices do, would blame honest kernels. As a size, it takes gigabytes in the interpreter.
    "int32-flat-index": "whole numbers of the inputs are never made larger",
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "chosen" in metafunc.fixturenames:
        holes = {
            name: pytest.mark.xfail(reason=reason, strict=True)
            for name, reason in KNOWN_HOLES.items()
        }
        names = _chosen(metafunc.config)
        metafunc.parametrize(
            "chosen", [pytest.param(name, marks=holes.get(name, ())) for name in names]
        )


def _chosen(config: pytest.Config) -> dict[str, Pair]:
    every = config.getoption("--every-variant")
    return {name: pair for name, pair in HERE.items() if every or pair.entry.is_representative}


@pytest.fixture(scope="module")
def reports(pytestconfig: pytest.Config) -> dict[str, Report]:
    """Return the reports of the chosen pairs, of one pool."""
    pairs = _chosen(pytestconfig)
    entries = [parse(pair.record(), name) for name, pair in pairs.items()]
    options = Options(device="interpreter", timeout=DEADLINE)
    found = {report.id: report for report in check(entries, options)}
    return {name: found[pair.record()["id"]] for name, pair in pairs.items()}


def test_each_pair_gets_its_expected_verdict(chosen: str, reports: dict[str, Report]) -> None:
    report, pair = reports[chosen], HERE[chosen]

    assert report.verdict in expected(pair), report.message
    if report.verdict == "passed":
        grades = report.figures["grades"]
        assert {grade: grades.get(grade) for grade in pair.grades} == pair.grades


def expected(pair: Pair) -> frozenset[str]:
    """Return the verdicts that are right here: another where Triton is newer than the pair."""
    newest = pair.metadata.get("max_triton")
    if newest is None or _installed_triton() <= _version(newest):
        return pair.expected
    return frozenset({"unsupported"})


def _installed_triton() -> tuple[int, ...]:
    triton = pytest.importorskip("triton")
    return _version(triton.__version__)


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".")[:2])


@pytest.mark.parametrize("name", ALL)
def test_each_hostile_pair_follows_the_contract(name: str) -> None:
    pair = ALL[name]
    texts = (getattr(pair.entry.code, field.name) for field in fields(pair.entry.code))
    python_code, triton_code, test_code = map(defined, texts)

    assert pair.entry.entry_point in python_code & triton_code
    assert {"CASES", "make_inputs", "test_equivalence"} <= test_code
    assert pair.note.endswith(".")
    assert not pair.fault or pair.fault.endswith(".")


def test_each_folder_matches_the_kind_of_its_entry() -> None:
    faulty = {path.name for path in (PAIRS / "faulty").iterdir() if path.is_dir()}

    assert {name for name, pair in ALL.items() if pair.fault} == faulty
    assert KNOWN_HOLES.keys() <= HERE.keys()


def test_an_unknown_key_of_an_entry_is_refused(tmp_path: Path) -> None:
    source = PAIRS / "honest" / "clamp-inplace"
    for path in source.iterdir():
        if path.is_file():
            (tmp_path / path.name).write_text(path.read_text())
    about = (tmp_path / "entry.toml").read_text()
    (tmp_path / "entry.toml").write_text(f'surprise = "yes"\n{about}')

    with pytest.raises(ValueError, match="surprise"):
        read_pair(tmp_path)
