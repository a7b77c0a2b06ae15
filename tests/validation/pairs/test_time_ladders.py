"""All rungs as a file for the harness on a GPU, and its report as times of the stored rungs."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from curation.evidence.ladders import timed_rungs
from curation.models import Pair, ValidationResult
from curation.pairs.store import store_pairs
from validation.harness.report import Check, Report, Verdict
from validation.pairs.contract import violations
from validation.pairs.ladder_generation import ladder_drafts
from validation.pairs.recipes.ladders.norms import NORM_LADDERS
from validation.pairs.recipes.ladders.transposes import TRANSPOSE_LADDERS
from validation.reported import ReportUnreadable

LADDER = "layer-norm"


@pytest.fixture
def rungs(db: None) -> list[Pair]:
    """Store one ladder."""
    store_pairs(draft for draft in ladder_drafts(NORM_LADDERS) if draft.ladder == LADDER)
    return list(Pair.objects.filter(ladder=LADDER).order_by("rung"))


@pytest.mark.django_db
def test_generate_pairs_stores_all_ladders_once_and_beyond_the_caps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    recipes = "validation.management.commands.generate_pairs.LADDER_RECIPES"
    monkeypatch.setattr(recipes, TRANSPOSE_LADDERS)
    first, again = run("generate_pairs", "--ladders"), run("generate_pairs", "--ladders")

    assert "4 ladders with 12 rungs by 1 recipe." in first
    assert "12 pairs stored, 0 known before." in first
    assert "0 pairs stored, 12 known before." in again
    assert Pair.objects.exclude(ladder="").count() == 12


def test_the_written_file_holds_the_rungs_of_the_library_and_of_the_recipes(tmp_path: Path) -> None:
    file = tmp_path / "ladders.jsonl"

    assert "211 rungs written" in run("time_ladders", "--write", str(file))
    records = [json.loads(line) for line in file.read_text().splitlines()]
    assert len({record["id"] for record in records}) == 211
    assert violations(records[0]) == []


def test_a_report_gives_the_stored_rungs_their_times(rungs: list[Pair], tmp_path: Path) -> None:
    reports = [a_report(rung, 400.0 / number) for number, rung in enumerate(rungs, 1)]

    assert "Results of 4 rungs stored." in imported(tmp_path, reports)
    place, timed = timed_rungs(rungs) or (None, [])
    assert place is not None
    assert place.gpu == "NVIDIA H100"
    assert [rung.pair.rung for rung in timed] == [rung.rung for rung in rungs]
    result = ValidationResult.objects.filter(pair=rungs[0]).get()
    assert list(result.checks.values_list("name", flat=True)) == ["test"]


def test_a_report_on_other_pairs_is_refused(rungs: list[Pair], tmp_path: Path) -> None:
    report = a_report(rungs[0], 1.0)

    with pytest.raises(ReportUnreadable, match="no ladder that is stored"):
        imported(tmp_path, [{**report, "id": "other-01234567"}])


def test_a_report_of_the_interpreter_is_refused(rungs: list[Pair], tmp_path: Path) -> None:
    report = a_report(rungs[0], 1.0)

    with pytest.raises(ReportUnreadable, match="names no GPU"):
        imported(tmp_path, [{**report, "environment": {"torch": "2.13.0"}}])


@pytest.mark.django_db
def test_a_line_that_is_no_report_is_named(tmp_path: Path) -> None:
    with pytest.raises(ReportUnreadable, match="line 1"):
        imported(tmp_path, [{"id": "layer-norm"}])


def a_report(pair: Pair, median_us: float) -> dict[str, Any]:
    case = {"rows": 8192, "cols": 4096, "dtype": "bfloat16", "seed": 0}
    return Report(
        id=str(pair),
        verdict=Verdict.PASSED,
        message="8 checks pass",
        checks=(Check("test", Verdict.PASSED, "3 cases pass"),),
        seconds={"total": 4.5},
        environment={"gpu": "NVIDIA H100", "torch": "2.13.0"},
        figures={"timed_case": case, "timing": {"candidate": {"median_us": median_us}}},
    ).as_dict()


def imported(folder: Path, reports: list[dict[str, Any]]) -> str:
    file = folder / "report.jsonl"
    file.write_text("".join(f"{json.dumps(report)}\n" for report in reports))
    return run("time_ladders", "--report", str(file))


def run(*words: str) -> str:
    out = StringIO()
    call_command(*words, stdout=out)
    return out.getvalue()
