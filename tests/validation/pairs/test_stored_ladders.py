"""Ladders by recipe in the database, and their times from a machine with a GPU."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from curation.evidence.ladders import timed_rungs
from curation.models import Pair
from curation.pairs.store import store_pairs
from tests.factories import a_pair
from validation.harness.entry import Entry, read_entries
from validation.harness.report import Check, Report, Verdict
from validation.pairs.generation import ladder_drafts
from validation.pairs.recipes.ladders import LADDERS

LADDER = "layer-norm"


@pytest.fixture
def rungs(db: None) -> list[Pair]:
    """Store one ladder."""
    store_pairs(draft for draft in ladder_drafts() if draft.ladder == LADDER)
    return list(Pair.objects.filter(ladder=LADDER).order_by("rung"))


@pytest.mark.django_db
def test_generate_pairs_stores_all_ladders_once_and_beyond_the_caps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    transposes = [ladder for ladder in LADDERS if ladder.recipe == "ladder-transpose"]
    monkeypatch.setattr("validation.pairs.generation.LADDERS", transposes)
    first, again = run("generate_pairs", "--ladders"), run("generate_pairs", "--ladders")

    assert "4 ladders with 12 rungs by 1 recipe." in first
    assert "12 pairs stored, 0 known before." in first
    assert "0 pairs stored, 12 known before." in again
    assert Pair.objects.exclude(ladder="").count() == 12


def test_a_report_of_the_written_rungs_gives_them_their_times(
    rungs: list[Pair], tmp_path: Path
) -> None:
    a_pair()
    entries, report = tmp_path / "ladders.jsonl", tmp_path / "report.jsonl"

    assert "4 pairs written" in run(
        "validate", "--ladders", "--pending", "--device", "cuda", "--write", str(entries)
    )
    written = {entry.id: entry for entry in read_entries(entries)}
    lines = [
        json.dumps(a_report(written[rung.content_hash], 400.0 / number))
        for number, rung in enumerate(rungs, 1)
    ]
    report.write_text("\n".join(lines))
    run("validate", "--import-report", str(report))
    place, timed = timed_rungs(rungs) or (None, [])

    assert place is not None
    assert place.gpu == "NVIDIA H100"
    assert [rung.pair.rung for rung in timed] == [rung.rung for rung in rungs]


@pytest.mark.django_db
def test_kernels_have_no_ladders() -> None:
    with pytest.raises(CommandError, match="Only pairs have ladders"):
        run("validate", "--ladders", "--device", "compiler")


def a_report(entry: Entry, median_us: float) -> dict[str, Any]:
    case = {
        "rows": 8192, "cols": 4096, "dtype": "bfloat16", "layout": "contiguous", "seed": 0,
    }  # fmt: skip
    report = Report(
        id=entry.id,
        verdict=Verdict.PASSED,
        message="8 checks pass",
        checks=(Check("test", Verdict.PASSED, "3 cases pass"),),
        seconds={"total": 4.5},
        environment={"device": "cuda", "gpu": "NVIDIA H100", "torch": "2.13.0"},
        figures={
            "grades": {"accuracy": "close"},
            "timed_case": case,
            "timing": {"candidate": {"median_us": median_us}},
        },
    ).as_dict()
    return {**report, "texts": entry.digest}


def run(*words: str) -> str:
    out = StringIO()
    call_command(*words, stdout=out)
    return out.getvalue()
