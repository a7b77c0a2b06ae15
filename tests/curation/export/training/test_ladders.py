"""The extra configurations of ladders: only rungs with comparable times, from slow to fast."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from curation.export.training.ladders import COLUMNS, PREFERENCE_COLUMNS
from curation.models import Device, License, Pair
from tests.curation.export.writing import differing, every, export, hashes, identities, manifest
from tests.factories import a_license, a_validation_result, a_validation_run, an_approved_pair

pytestmark = pytest.mark.django_db
WITH_LADDERS = ("--ladders", "--splits", "60/20/20")
LARGE, SMALL = {"n": 4096, "seed": 1}, {"n": 8, "seed": 0}
TEST_CODE = f"CASES = [{SMALL}]\nPERF_CASES = [{LARGE}]\n"
PYTHON = "def scale(x):\n    return x * 2\n"


def a_rung(
    rung: str, median_us: float | None, *, license: License, gpu: str = "NVIDIA H100",
    case: dict[str, int] = LARGE, impossible: str = "", ladder: str = "scale",
) -> Pair:  # fmt: skip
    pair = an_approved_pair(
        license=license, ladder=ladder, rung=rung, split_group=f"ladder:{ladder}",
        python_code=PYTHON, test_code=TEST_CODE, triton_code=f"# {ladder}, {rung}, {gpu}\n",
    )  # fmt: skip
    if median_us is not None:
        timing = {"candidate": {"median_us": median_us}, "impossible": impossible}
        a_validation_result(
            run=a_validation_run(device=Device.CUDA, environment={"gpu": gpu}), pair=pair,
            content_hash=pair.content_hash, figures={"timed_case": case, "timing": timing},
        )  # fmt: skip
    return pair


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


def test_rungs_without_comparable_times_are_left_out(tmp_path: Path) -> None:
    mit = a_license(expression="MIT")
    a_rung("1 naive", 900.0, license=mit)
    a_rung("2 untimed", None, license=mit)
    a_rung("3 other GPU", 100.0, license=mit, gpu="NVIDIA A100")
    a_rung("4 small case", 100.0, license=mit, case=SMALL)
    a_rung("5 impossible", 1.0, license=mit, impossible="1.0 µs, where memory takes 9.0")

    folder = export(tmp_path / "out", *WITH_LADDERS)

    assert written(folder, "ladders") == written(folder, "ladder_preferences") == []


def test_a_rung_that_is_hardly_faster_is_no_step(tmp_path: Path) -> None:
    mit = a_license(expression="MIT")
    rungs = {"1 naive": 100.0, "2 tiled": 98.0, "3 persistent": 50.0}
    naive, _, persistent = [a_rung(name, us, license=mit) for name, us in rungs.items()]

    (record,) = written(export(tmp_path / "out", *WITH_LADDERS), "ladders")

    assert record["metadata"]["pairs"] == [str(naive), str(persistent)]


def test_the_card_names_both_configurations_only_on_request(tmp_path: Path) -> None:
    a_ladder()

    with_it = export(tmp_path / "one", *WITH_LADDERS)
    without = export(tmp_path / "two", *WITH_LADDERS[1:])

    card = (with_it / "README.md").read_text()
    names = {each["config_name"] for each in yaml.safe_load(card.split("---")[1])["configs"]}
    assert {"ladders", "ladder_preferences"} <= names
    assert "has 1 conversation:" in card and "has 3 preferences" in card
    assert manifest(with_it)["ladders"] == {"ladders": 1, "preferences": 3}
    assert not (without / "ladders").exists()
    assert set(identities(with_it, "pairs").values()) == {
        split for split, records in every(with_it, "ladders").items() if records
    }


def test_a_release_with_ladders_is_reproduced_after_later_times(tmp_path: Path) -> None:
    naive, *_ = a_ladder()
    before = hashes(export(tmp_path / "one", "--release", "1", *WITH_LADDERS))
    timing = {"candidate": {"median_us": 1.0}}
    a_validation_result(
        run=a_validation_run(device=Device.CUDA, environment={"gpu": "NVIDIA H100"}), pair=naive,
        content_hash=naive.content_hash, figures={"timed_case": LARGE, "timing": timing},
    )  # fmt: skip

    assert hashes(export(tmp_path / "two", "--release", "1")) == before


def test_datasets_loads_both_configurations_by_the_card(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    a_ladder()
    folder = export(tmp_path / "out", *WITH_LADDERS)

    for kind in ("ladders", "ladder_preferences"):
        loaded = datasets.load_dataset(str(folder), kind, cache_dir=str(tmp_path / "cache"))

        (split,) = [name for name, records in every(folder, kind).items() if records]
        assert list(loaded[split]) == every(folder, kind)[split]
