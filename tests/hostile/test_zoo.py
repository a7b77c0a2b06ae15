"""The zoo in the harness, in the interpreter: a check that fits a fault finds it, no honest entry
fails, and the run goes on after each.

The representatives run: some honest entries and one variant of each kind of fault. All run with
`--every-variant`. Entries that need a GPU are left to `benchmarks.measure_harness zoo`.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hostile.zoo.catalog import Check, Danger, Verdict
from tests.hostile.zoo.load import Entry, outcome, zoo
from tests.waiting import DEADLINE
from validation.harness.entry import parse
from validation.harness.options import Options
from validation.harness.report import Report
from validation.harness.schedule import check

pytestmark = pytest.mark.slow

ZOO = {entry.name: entry for entry in zoo()}
HERE = {name: entry for name, entry in ZOO.items() if entry.interpretable}
ELSEWHERE = {name: entry for name, entry in ZOO.items() if not entry.interpretable}

# The families of checks that the harness's checks belong to.
FAMILIES = {
    "test": {Check.OWN_TEST},
    "accuracy": {Check.VALUES},
    "variations": {Check.VARIATIONS},
    "memory": {Check.MEMORY},
    "determinism": {Check.REPEATABILITY},
    "triton": {Check.KERNEL_MATTERS},
    "falsifiable": {Check.TEST_CAN_FAIL},
    "bounds": {Check.BOUNDS},
    "gradients": {Check.GRADIENTS},
    "compiles": {Check.CONTRACT},
}
# Families that find an entry which can't be imported or does not come back.
STOPPED = {
    Verdict.ERROR: {Check.CONTRACT, Check.CONTAINMENT, Check.OWN_TEST},
    Verdict.CRASHED: {Check.CONTAINMENT, Check.OWN_TEST},
    Verdict.TIMEOUT: {Check.CONTAINMENT},
}
HANGING = 5.0
# Entries that fill memory reach this limit soon.
MEMORY = 3 << 29


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    chosen = _chosen(metafunc.config)
    if "name" in metafunc.fixturenames:
        metafunc.parametrize("name", chosen)
    if "faulty" in metafunc.fixturenames:
        metafunc.parametrize("faulty", [name for name, entry in chosen.items() if entry.cheat])


@pytest.fixture(scope="module")
def reports(pytestconfig: pytest.Config) -> dict[str, Report]:
    """Reports of one run, by entry. Entries that hang on purpose get a short timeout."""
    chosen = _chosen(pytestconfig)
    found: dict[str, Report] = {}
    for hangs in (False, True):
        some = [parse(e.record(), e.name) for e in chosen.values() if _hangs(e) is hangs]
        options = Options(timeout=HANGING if hangs else DEADLINE, memory=MEMORY)
        found |= {report.id: report for report in check(some, options)}
    return {name: found[entry.record()["id"]] for name, entry in chosen.items()}


def test_each_entry_gets_its_expected_verdict(name: str, reports: dict[str, Report]) -> None:
    report = reports[name]

    expected = HERE[name].expected
    qualified = {Verdict.PASSED, Verdict.WEAK, Verdict.DIFFERS} if not HERE[name].cheat else set()
    assert outcome_of(report) in expected | qualified, report.message


def test_each_fault_is_found_by_an_expected_check(faulty: str, reports: dict[str, Report]) -> None:
    report, cheat = reports[faulty], HERE[faulty].cheat
    assert cheat is not None

    families: set[Check] = set()
    for made in report.checks:
        if made.verdict and (verdict := Verdict(made.verdict)) is not Verdict.PASSED:
            families |= FAMILIES[made.name] | STOPPED.get(verdict, set())

    passes = str(report.verdict) == str(Verdict.PASSED)
    may_pass = passes and (cheat.passes_because or outcome_of(report) is not Verdict.PASSED)
    assert report.message
    assert families & cheat.caught_by or may_pass, report.message


def test_every_result_records_its_environment(reports: dict[str, Report]) -> None:
    for report in reports.values():
        assert report.environment["device"] == "interpreter"
        assert report.environment["sandbox"] in ("bubblewrap", "landlock")
        assert {"torch", "triton", "python", "seed"} <= report.environment.keys()


def test_an_entry_that_needs_a_gpu_has_a_reason() -> None:
    assert ELSEWHERE
    assert all(entry.reason.endswith(".") for entry in ELSEWHERE.values())


def test_the_harness_runs_standalone_and_its_exit_code_reports_failures(tmp_path: Path) -> None:
    honest, cheat = HERE["vector-add"].record(), HERE["ignores-its-inputs.zeros"].record()
    good, bad, report = tmp_path / "good.jsonl", tmp_path / "bad.jsonl", tmp_path / "report.jsonl"
    good.write_text(json.dumps(honest) + "\n")
    bad.write_text(json.dumps(honest) + "\n" + json.dumps(cheat) + "\n")

    assert _shell(good).returncode == 0
    done = _shell(bad, "--report", str(report))

    assert done.returncode == 1
    assert "2 entries in " in done.stdout
    lines = {line["id"]: line for line in map(json.loads, report.read_text().splitlines())}
    assert lines[honest["id"]]["verdict"] == "passed"
    assert lines[cheat["id"]]["verdict"] == "failed"
    assert lines[cheat["id"]]["checks"][0]["words"]


def outcome_of(report: Report) -> Verdict:
    return outcome(report.verdict, report.figures.get("grades", {}))


def _chosen(config: pytest.Config) -> dict[str, Entry]:
    every = config.getoption("--every-variant")
    return {name: entry for name, entry in HERE.items() if every or entry.is_representative}


def _hangs(entry: Entry) -> bool:
    return entry.cheat is not None and Danger.HANGS in entry.cheat.dangers


def _shell(*words: object) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "validation.harness", "--device", "interpreter"]
    return subprocess.run([*command, *map(str, words)], capture_output=True, text=True, check=False)
