"""The example of the harness."""

import json
from pathlib import Path

import validation.harness
import validation.pairs
from validation.harness.entry import read_entries

HARNESS = Path(*validation.harness.__path__)
ADD = Path(*validation.pairs.__path__) / "library" / "add"


def test_the_example_is_the_pair_add_of_the_library() -> None:
    (entry,) = read_entries(HARNESS / "example.jsonl")
    for text in ("python_code", "triton_code", "test_code"):
        assert getattr(entry, text) == (ADD / f"{text}.py").read_text()
    assert json.loads((HARNESS / "example.jsonl").read_text())["metadata"]["entry_point"] == "add"
