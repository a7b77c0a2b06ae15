"""Programs that share a sandbox: none reaches another, and each honest one gets its verdict."""

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.hostile.test_validation_killed import descendants
from tests.hostile.zoo.load import honest_entries
from tests.validation.compile import kernels
from tests.validation.harness.sandbox.confining import levels
from tests.waiting import DEADLINE, wait_for
from validation.compile import CompileAnswer, Judge, Unit
from validation.harness.entry import Entry, parse
from validation.harness.options import Options
from validation.harness.pool.worker_pool import WorkerPool
from validation.harness.report import Report, Verdict
from validation.harness.sandbox import Level
from validation.harness.schedule import open_pool, reports

pytestmark = [pytest.mark.parametrize("level", levels(), scope="module"), pytest.mark.slow]

PROGRAMS = Path(__file__).parent / "neighbors"
NOTHING = "reached nothing"
# Longer than its honest neighbors take beside it.
IN_HARNESS, IN_COMPILE = 8, 6


def program(name: str) -> str:
    return (PROGRAMS / f"{name}.py").read_text()


def attacker(seconds: int) -> str:
    return f"{program('attack')}\n\nraise RuntimeError(attack({seconds}))\n"


def honest(name: str) -> Entry:
    found = next(entry for entry in honest_entries() if entry.name == "vector-add")
    return replace(parse(found.record(), name), id=name)


@pytest.fixture(scope="module")
def harness(level: Level) -> Iterator[WorkerPool]:
    with open_pool(Options(jobs=2, level=level, timeout=DEADLINE)) as pool:
        yield pool


@pytest.fixture(scope="module")
def judge(level: Level) -> Iterator[Judge]:
    with Judge(level=level, parallel=2) as open_judge:
        yield open_judge


def judged(entries: list[Entry], harness: WorkerPool) -> dict[str, Report]:
    return {report.id: report for report in reports(entries, harness)}


def test_an_entry_can_not_attack_other_entries_in_the_harness(harness: WorkerPool) -> None:
    names = ["honest0", "honest1", "honest2"]
    evil = replace(honest("evil"), triton_code=attacker(IN_HARNESS))

    done = judged([evil, *map(honest, names)], harness)

    assert {name: done[name].message for name in names if not passed(done[name])} == {}
    assert NOTHING in done["evil"].message


def passed(report: Report) -> bool:
    return report.verdict is Verdict.PASSED


def test_a_kernel_can_not_attack_other_kernels_in_the_compile_check(judge: Judge) -> None:
    evil = Unit(0, kernels.ADD + attacker(IN_COMPILE), "kernel")
    others = [Unit(key, kernels.ADD, "kernel") for key in range(1, 7)]

    done = {unit.key: outcome for unit, outcome in judge.compile([evil, *others])}

    assert {
        k: o.message for k, o in done.items() if k and o.answer is not CompileAnswer.COMPILES
    } == {}
    assert NOTHING in done[0].message


def test_a_daemon_of_a_kernel_can_not_forge_later_verdicts(judge: Judge) -> None:
    evil = Unit(0, program("daemon") + kernels.ADD, "kernel")
    others = [Unit(key, kernels.ADD, "kernel") for key in range(1, 7)]

    assert judge.environment.triton
    before = set(descendants(os.getpid()))
    assert before

    done = {unit.key: outcome for unit, outcome in judge.compile([evil, *others])}

    wait_for("no child is left", lambda: before.issuperset(descendants(os.getpid())))

    assert {
        k: o.message for k, o in done.items() if k and o.answer is not CompileAnswer.COMPILES
    } == {}


def test_an_honest_entry_may_use_a_temporary_folder_of_pytest(harness: WorkerPool) -> None:
    entry = honest("honest")
    entry = replace(entry, test_code=entry.test_code + "\n\n" + program("uses_a_folder"))

    report = judged([entry], harness)["honest"]

    assert passed(report), report.message


def test_an_honest_unit_may_write_move_and_run_a_compiler(judge: Judge) -> None:
    unit = Unit(0, program("honest_needs") + kernels.ADD, "kernel")

    [(_, done)] = judge.compile([unit])

    assert done.answer is CompileAnswer.COMPILES, done.message
