"""The whole zoo through the harness, in the interpreter: every cheat is caught by a check that
knows why, no honest entry fails, and the run goes on after each.

What only a GPU can show is left to `tests.benchmarks.measure_harness zoo` on a machine with one.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hostile.zoo.load import Check, Danger, Entry, Verdict, outcome, zoo
from validation.harness import Options, Report, check
from validation.harness.entry import parse

ZOO = {entry.name: entry for entry in zoo()}
HERE = {name: entry for name, entry in ZOO.items() if entry.interpretable}
ELSEWHERE = {name: entry for name, entry in ZOO.items() if not entry.interpretable}

# What the harness calls what the zoo calls a family of checks.
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
}
# An entry that can't be imported, or does not come back, has shown one check why: the sandbox.
STOPPED = {
    Verdict.ERROR: {Check.CONTRACT, Check.CONTAINMENT, Check.OWN_TEST},
    Verdict.CRASHED: {Check.CONTAINMENT, Check.OWN_TEST},
    Verdict.TIMEOUT: {Check.CONTAINMENT},
}
HANGING = 5.0
# What fills memory on purpose is soon there.
MEMORY = 3 << 29


@pytest.fixture(scope="module")
def reports() -> dict[str, Report]:
    """One run for all tests. What hangs on purpose is not waited for as long as the rest."""
    found: dict[str, Report] = {}
    for hangs in (False, True):
        some = [parse(e.record(), e.name) for e in HERE.values() if _hangs(e) is hangs]
        options = Options(timeout=HANGING if hangs else 60.0, memory=MEMORY)
        found |= {report.id: report for report in check(some, options)}
    return {name: found[entry.record()["id"]] for name, entry in HERE.items()}


@pytest.mark.parametrize("name", HERE)
def test_the_verdict_is_the_one_that_the_entry_deserves(
    name: str, reports: dict[str, Report]
) -> None:
    report = reports[name]

    expected = HERE[name].expected
    qualified = {Verdict.PASSED, Verdict.WEAK, Verdict.DIFFERS} if not HERE[name].cheat else set()
    assert outcome_of(report) in expected | qualified, report.message


@pytest.mark.parametrize("name", [name for name, entry in HERE.items() if entry.cheat])
def test_a_cheat_is_caught_by_a_check_that_knows_why(name: str, reports: dict[str, Report]) -> None:
    report, cheat = reports[name], HERE[name].cheat
    assert cheat is not None

    families: set[Check] = set()
    for made in report.checks:
        if made.verdict and (verdict := Verdict(made.verdict)) is not Verdict.PASSED:
            families |= FAMILIES[made.name] | STOPPED.get(verdict, set())

    passes = str(report.verdict) == str(Verdict.PASSED)
    passed_by_right = passes and (cheat.contained or outcome_of(report) is not Verdict.PASSED)
    assert report.message
    assert families & cheat.caught_by or passed_by_right, report.message


def test_every_result_says_where_it_was_obtained(reports: dict[str, Report]) -> None:
    for report in reports.values():
        assert report.environment["device"] == "interpreter"
        assert report.environment["sandbox"] in ("bubblewrap", "landlock")
        assert {"torch", "triton", "python", "seed"} <= report.environment.keys()


def test_what_needs_a_gpu_says_why() -> None:
    assert ELSEWHERE
    assert all(entry.reason.endswith(".") for entry in ELSEWHERE.values())


def test_it_runs_alone_and_its_exit_code_says_whether_all_passed(tmp_path: Path) -> None:
    honest, cheat = HERE["vector-add"].record(), HERE["zeros"].record()
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


def _hangs(entry: Entry) -> bool:
    return entry.cheat is not None and Danger.HANGS in entry.cheat.dangers


def _shell(*words: object) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "validation.harness", "--device", "interpreter"]
    return subprocess.run([*command, *map(str, words)], capture_output=True, text=True, check=False)
