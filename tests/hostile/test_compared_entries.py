"""The comparison with other evaluators: entries in their form, and answers of their processes."""

import json
from pathlib import Path

import pytest

from benchmarks.compare_evaluators import ask_other
from benchmarks.compared_entries import Item, prepare

RIGHT = """
from types import SimpleNamespace


def eval_one_op(reference, candidate, tests, performance_tests):
    answers = [reference(*test.args) for test in tests]
    return 1.0, 1.0, [SimpleNamespace(is_correct=True, error_msg="") for _ in answers], []
"""


def clones(folder: Path, evaluation: str) -> tuple[Path, Path]:
    """Write clones that have only the file that is asked."""
    kernelbench, backendbench = folder / "kernelbench", folder / "backendbench"
    (kernelbench / "src/kernelbench").mkdir(parents=True)
    (backendbench / "BackendBench").mkdir(parents=True)
    (backendbench / "BackendBench/eval.py").write_text(evaluation)
    return kernelbench, backendbench


def items_of(prepared: Path) -> list[Item]:
    lines = (prepared / "items.jsonl").read_text().splitlines()
    return [Item(**json.loads(line)) for line in lines]


def test_half_of_the_drawn_entries_are_faulty_and_a_seed_draws_them_again(tmp_path: Path) -> None:
    first, again = tmp_path / "first", tmp_path / "again"
    for folder in (first, again):
        prepare(folder, *clones(tmp_path / f"clones of {folder.name}", RIGHT), of_each=3)

    assert [bool(item.fault) for item in items_of(first)] == [False, True] * 3
    assert items_of(first) == items_of(again)


@pytest.mark.slow
def test_an_evaluator_that_crashes_gives_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INPUTS_ON", "cpu")
    crash = "import os\n\n\ndef eval_one_op(*words):\n    os.abort()\n"
    prepare(tmp_path / "right", *clones(tmp_path / "clones", RIGHT), of_each=1)
    prepare(tmp_path / "crash", *clones(tmp_path / "others", crash), of_each=1)
    item = items_of(tmp_path / "right")[0]

    right = ask_other("backendbench", item, tmp_path / "right")
    crashed = ask_other("backendbench", item, tmp_path / "crash")

    assert (right.answer, right.reason) == ("accepted", "")
    assert (crashed.answer, crashed.reason) == ("no answer", "crash")
