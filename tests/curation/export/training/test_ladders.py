"""The extra configurations of ladders: only rungs with comparable times, from slow to fast."""

import json
from pathlib import Path
from typing import Any

import pytest

from curation.export.training.ladders import COLUMNS, PREFERENCE_COLUMNS
from curation.export.training.prompts.phrasing import fenced
from curation.models import Device, Pair
from tests.curation.export.writing import differing, every, export, manifest
from tests.factories import a_license, a_validation_result, a_validation_run, an_approved_pair

pytestmark = pytest.mark.django_db
WITH_LADDERS = ("--ladders", "--splits", "60/20/20")
LARGE, SMALL = {"n": 4096, "seed": 1}, {"n": 8, "seed": 0}
TEST_CODE = f"CASES = [{SMALL}]\nPERF_CASES = [{LARGE}]\n"
PYTHON = "def scale(x):\n    return x * 2\n"


def a_rung(
    rung: str, median_us: float | None = None, *, gpu: str = "NVIDIA H100",
    case: dict[str, int] = LARGE, impossible: str = "", **over: Any,
) -> Pair:  # fmt: skip
    values = {"ladder": "scale", "python_code": PYTHON, "test_code": TEST_CODE, **over}
    group = f"ladder:{values['ladder']}"
    code = f"# {rung}, {gpu}\n"
    pair = an_approved_pair(rung=rung, split_group=group, triton_code=code, **values)
    if median_us is not None:
        timed(pair, median_us, gpu, case, impossible)
    return pair


def timed(
    pair: Pair, us: float, gpu: str, case: dict[str, int] = LARGE, impossible: str = ""
) -> None:
    timing = {"candidate": {"median_us": us}, "impossible": impossible}
    run = a_validation_run(device=Device.CUDA, environment={"gpu": gpu})
    figures = {"timed_case": case, "timing": timing}
    a_validation_result(run=run, pair=pair, figures=figures)


def a_ladder(ladder: str = "scale") -> list[Pair]:
    """Three rungs. The one that is declared second is measured as the fastest."""
    mit = a_license(expression="MIT")
    times = {"1 naive": 900.0, "2 tiled": 100.0, "3 persistent": 300.0}
    return [a_rung(name, time, license=mit, ladder=ladder) for name, time in times.items()]


def written(folder: Path, kind: str) -> list[dict[str, Any]]:
    return [record for of_split in every(folder, kind).values() for record in of_split]


def test_a_conversation_goes_from_the_slowest_to_the_fastest_rung(tmp_path: Path) -> None:
    naive, tiled, persistent = a_ladder()

    folder = export(tmp_path / "out", *WITH_LADDERS)

    (record,) = written(folder, "ladders")
    assert record["metadata"]["pairs"] == [str(naive), str(persistent), str(tiled)]
    assert record["metadata"]["times_us"] == [900.0, 300.0, 100.0]
    assert json.loads(record["metadata"]["case"]) == LARGE
    assert [message["role"] for message in record["messages"]] == ["user", "assistant"] * 3
    assert PYTHON.strip() in record["messages"][0]["content"]
    assert "900.0 µs on NVIDIA H100" in record["messages"][2]["content"]
    assert tiled.triton_code.strip() in record["messages"][-1]["content"]
    assert differing(COLUMNS, record) == []


def test_preferences_choose_the_faster_of_each_two_rungs(tmp_path: Path) -> None:
    naive, tiled, persistent = a_ladder()

    records = written(export(tmp_path / "out", *WITH_LADDERS), "ladder_preferences")

    chosen = {(r["metadata"]["rejected"], r["metadata"]["chosen"]): r for r in records}
    assert {key: r["metadata"]["speedup"] for key, r in chosen.items()} == {
        (str(naive), str(persistent)): 3.0,
        (str(naive), str(tiled)): 9.0,
        (str(persistent), str(tiled)): 3.0,
    }
    record = chosen[str(naive), str(tiled)]
    assert tiled.triton_code.strip() in record["chosen"]
    assert naive.triton_code.strip() in record["rejected"]
    assert differing(PREFERENCE_COLUMNS, record) == []


def test_instructions_have_only_the_fastest_rung(tmp_path: Path) -> None:
    _, tiled, _ = a_ladder()

    folder = export(tmp_path / "out", "--format", "torchtune,jsonl,alpaca,prompts")

    assert {pair["metadata"]["rung"] for pair in written(folder, "pairs")} == {
        "1 naive", "2 tiled", "3 persistent",
    }  # fmt: skip
    (row,) = written(folder, "alpaca")
    assert row["output"] == fenced(tiled.triton_code)
    (prompt,) = written(folder, "prompts")
    assert prompt["id"] == str(tiled)


def test_without_times_instructions_have_the_last_rung(tmp_path: Path) -> None:
    mit = a_license(expression="MIT")
    _, last = [a_rung(name, license=mit) for name in ("1 naive", "2 tiled")]

    (row,) = written(export(tmp_path / "out", "--format", "alpaca"), "alpaca")

    assert row["output"] == fenced(last.triton_code)


def test_without_comparable_times_an_export_says_that_it_has_no_ladder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mit = a_license(expression="MIT")
    a_rung("1 naive", 900.0, license=mit)
    a_rung("2 untimed", None, license=mit)
    a_rung("3 other GPU", 100.0, license=mit, gpu="NVIDIA A100")
    a_rung("4 small case", 100.0, license=mit, case=SMALL)
    a_rung("5 impossible", 1.0, license=mit, impossible="1.0 µs, where memory takes 9.0")

    folder = export(tmp_path / "out", *WITH_LADDERS)

    told = capsys.readouterr().out
    assert "No ladder was exported, because no two of its rungs have times" in told
    assert not list(folder.glob("ladder*"))
    assert "## Ladders" not in (folder / "README.md").read_text()
    assert manifest(folder)["ladders"] == {"ladders": 0, "preferences": 0}


def test_a_rung_that_is_hardly_faster_is_no_step(tmp_path: Path) -> None:
    mit = a_license(expression="MIT")
    rungs = {"1 naive": 100.0, "2 tiled": 98.0, "3 persistent": 50.0}
    naive, _, persistent = [a_rung(name, us, license=mit) for name, us in rungs.items()]

    (record,) = written(export(tmp_path / "out", *WITH_LADDERS), "ladders")

    assert record["metadata"]["pairs"] == [str(naive), str(persistent)]
