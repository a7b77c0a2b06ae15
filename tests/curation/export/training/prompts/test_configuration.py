"""The configuration `prompts`, and the varied instructions."""

import json
import re
from pathlib import Path

import pytest

from curation.export.training.prompts.phrasing import INSTRUCTION, VARIED
from curation.export.training.prompts.writing import PROMPTS
from tests.curation.export.writing import differing, every, export, records, some_rows
from tests.factories import an_approved_pair, sha

pytestmark = pytest.mark.django_db

PYTHON = "import torch\n\n\ndef add(x, bias):\n    return torch.softmax(x + bias, dim=-1)\n"
TEST = 'CASES = [{"rows": 3, "dtype": "float32", "seed": 0}]\n'
ONLY_TRAIN = ("--splits", "100/0/0")


def a_prompt_pair(number: int = 0, **over: object) -> None:
    values = {
        "slug": f"add-{number}", "entry_point": "add", "python_code": PYTHON, "test_code": TEST,
        "description": "Add a bias, then apply softmax to each row.",
        "content_hash": sha(f"prompt {number}"),
    }  # fmt: skip
    an_approved_pair(**values | over)


def test_a_prompt_has_the_task_its_reference_and_its_inputs(tmp_path: Path) -> None:
    a_prompt_pair()

    folder = export(tmp_path / "out", "--format", "jsonl,prompts", *ONLY_TRAIN)

    (prompt,) = records(folder / "prompts" / "train.jsonl")
    (pair,) = records(folder / "pairs" / "train.jsonl")
    assert differing(PROMPTS, prompt) == []
    assert prompt["id"] == pair["id"]
    assert prompt["python"] == PYTHON
    assert (prompt["sizes"], prompt["dtypes"], prompt["hardware"]) == (
        ["rows=3"], ["float32"], ["cuda"],
    )  # fmt: skip
    assert prompt["description"] in prompt["metadata"]["phrasings"]
    assert len(prompt["metadata"]["phrasings"]) == 3
    assert prompt["metadata"]["from_grammar"] is True


def test_no_prompt_names_triton_but_to_ask_for_a_kernel(tmp_path: Path) -> None:
    for number in range(30):
        a_prompt_pair(number)
    a_prompt_pair(30, python_code=f"# tl.load is faster\n{PYTHON}")
    a_prompt_pair(31, python_code=f"# As the Triton tutorial.\n{PYTHON}")
    a_prompt_pair(32, slug="triton-add")

    folder = export(tmp_path / "out", "--format", "prompts", *ONLY_TRAIN)

    for name in ("prompts/train.jsonl", "torchtune/prompts_train.json"):
        text = (folder / name).read_text()
        assert "a Triton kernel" in text
        assert not re.search(r"(?i)triton|\btl\.", text.replace("a Triton kernel", ""))
    prompts = records(folder / "prompts" / "train.jsonl")
    assert len(prompts) == 30
    assert len({prompt["description"] for prompt in prompts}) > 5


def test_torchtune_reads_the_prompts_as_texts(tmp_path: Path) -> None:
    a_prompt_pair()

    folder = export(tmp_path / "out", "--format", "prompts", *ONLY_TRAIN)

    (row,) = json.loads((folder / "torchtune" / "prompts_train.json").read_text())
    (prompt,) = records(folder / "prompts" / "train.jsonl")
    assert row == {"input": f"{prompt['description']}\n\n```python\n{PYTHON}```\n"}


def test_the_card_explains_each_configuration_with_its_size(tmp_path: Path) -> None:
    some_rows(3, 0)
    a_prompt_pair()
    a_prompt_pair(1)

    card = (export(tmp_path / "out", "--format", "jsonl,prompts") / "README.md").read_text()

    section = card.partition("## Configurations")[2].partition("## Files")[0]
    assert "- `pairs`, 2 records. " in section
    assert "- `kernels`, 3 records. " in section
    assert "- `prompts`, 2 records. The task of each pair in plain English" in section


# --- Instructions ----------------------------------------------------------------------------
def test_instructions_are_the_same_unless_variety_is_requested(tmp_path: Path) -> None:
    for number in range(40):
        a_prompt_pair(number)
    formats = ("--format", "torchtune,alpaca,jsonl", *ONLY_TRAIN)

    plain = export(tmp_path / "plain", *formats)
    varied = export(tmp_path / "varied", *formats, "--varied-instructions")

    assert _instructions(plain) == {INSTRUCTION}
    found = _instructions(varied)
    assert found <= set(VARIED)
    assert len(found) >= 8
    # Instruct, chat and alpaca ask for a pair in the same words.
    alpaca = [row["instruction"] for row in records(varied / "alpaca" / "train.jsonl")]
    chat = json.loads((varied / "torchtune" / "chat_train.json").read_text())
    assert [row["messages"][0]["content"].partition("\n\n")[0] for row in chat] == alpaca
    instruct = json.loads((varied / "torchtune" / "instruct_train.json").read_text())
    assert [row["input"].partition("\n\n")[0] for row in instruct] == alpaca
    assert every(plain, "pairs") == every(varied, "pairs")


def _instructions(folder: Path) -> set[str]:
    return {row["instruction"] for row in records(folder / "alpaca" / "train.jsonl")}


def test_instructions_are_short_plain_sentences_about_triton() -> None:
    assert len(set(VARIED)) == len(VARIED) >= 10
    for sentence in VARIED:
        assert "Triton" in sentence
        assert len(sentence.split()) <= 30
        assert sentence[-1] in ".?"
