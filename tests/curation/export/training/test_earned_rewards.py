"""Answers of an export, in the formats that models are trained on, before the reward service."""

import json
from pathlib import Path
from typing import Any

import pytest

from curation.models import Pair
from tests.curation.export.training.test_ladders import WITH_LADDERS, a_ladder
from tests.curation.export.writing import export, records
from tests.factories import a_repair_trace, an_approved_pair
from tests.validation.rewards.serving import library_pair
from validation.harness.pool.worker_pool import WorkerPool
from validation.rewards.answer import Tier
from validation.rewards.completions import extract_code
from validation.rewards.judge import RewardJudge
from validation.rewards.question import JudgeQuestion

pytestmark = pytest.mark.django_db
ADD, KERNEL = library_pair("add")
FORMATS = ("--format", "torchtune,alpaca,trl", "--repairs", "--splits", "100/0/0")


def answers(folder: Path) -> dict[str, Any]:
    """Return the first answer of each format, as a model that was trained on it would write it."""
    arrays = {name: json.loads((folder / f"torchtune/{name}_train.json").read_text())
              for name in ("instruct", "chat")}  # fmt: skip
    lines = {name: records(folder / f"{name}/train.jsonl") for name in ("alpaca", "trl", "repairs")}
    return {
        "instruct": arrays["instruct"][0]["output"],
        "chat": arrays["chat"][0]["messages"],
        "alpaca": lines["alpaca"][0]["output"],
        "trl": lines["trl"][0]["completion"],
        "repairs": lines["repairs"][0]["messages"],
    }


def test_an_answer_of_each_format_earns_the_full_reward(pool: WorkerPool, tmp_path: Path) -> None:
    pair = an_approved_pair(
        python_code=ADD.python_code, triton_code=KERNEL, test_code=ADD.test_code, entry_point="add"
    )
    a_repair_trace(pair=pair)

    codes = {name: extract_code(answer) for name, answer in
             answers(export(tmp_path / "out", *FORMATS)).items()}  # fmt: skip

    assert codes == dict.fromkeys(codes, f"{KERNEL.strip()}\n")
    judged = RewardJudge(pool).answer(JudgeQuestion(ADD, codes["chat"] or "", Tier.FULL))
    assert (judged.verdict, judged.reward) == ("passed", 1.0)


def test_the_answers_of_ladders_are_in_fences(tmp_path: Path) -> None:
    a_ladder()

    folder = export(tmp_path / "out", *WITH_LADDERS)

    codes = {f"{code.strip()}\n" for code in Pair.objects.values_list("triton_code", flat=True)}
    (preference, *_) = records(folder / "ladder_preferences" / "train.jsonl")
    (ladder,) = records(folder / "ladders" / "train.jsonl")
    for answer in (preference["chosen"], preference["rejected"], ladder["messages"]):
        assert extract_code(answer) in codes
