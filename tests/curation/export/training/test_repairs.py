"""The extra configuration of repair traces."""

from pathlib import Path
from typing import Any

import pytest

from curation.export.training.repairs import COLUMNS
from curation.models import Pair
from tests.curation.export.writing import differing, every, export, identities
from tests.factories import a_license, a_repair_trace, an_approved_pair, sha

pytestmark = pytest.mark.django_db
WITH_REPAIRS = ("--repairs", "--splits", "60/20/20")


def some_traces(pairs: int = 20) -> list[Pair]:
    """Two traces of each pair."""
    mit = a_license()
    made = [an_approved_pair(license=mit) for _ in range(pairs)]
    for pair in made:
        a_repair_trace(pair=pair, kind="wrong-axis")
        a_repair_trace(pair=pair, kind="wrong-grid", verdict="error")
    return made


def traces(folder: Path) -> list[dict[str, Any]]:
    return [record for of_split in every(folder, "repairs").values() for record in of_split]


def test_a_trace_is_in_the_split_of_its_pair(tmp_path: Path) -> None:
    some_traces()

    folder = export(tmp_path / "out", *WITH_REPAIRS)

    splits = identities(folder, "pairs")
    written = every(folder, "repairs")
    assert all(written.values())
    for split, records in written.items():
        assert {splits[record["metadata"]["pair"]] for record in records} == {split}
    assert len(traces(folder)) == 40


def test_the_answer_holds_the_reason_and_the_pairs_own_code(tmp_path: Path) -> None:
    pair = an_approved_pair(license=a_license())
    trace = a_repair_trace(pair=pair)

    (record,) = traces(export(tmp_path / "out", *WITH_REPAIRS))

    question, answer = record["messages"]
    assert [question["role"], answer["role"]] == ["user", "assistant"]
    for text in (pair.python_code, trace.faulty_code, trace.message):
        assert text.strip() in question["content"]
    assert "The cases of the check, counted from 0" not in question["content"]
    assert answer["content"].startswith(trace.why)
    assert pair.triton_code.strip() in answer["content"]
    assert trace.faulty_code.strip() not in answer["content"]
    assert differing(COLUMNS, record) == []


def test_the_question_shows_the_cases_to_which_the_message_refers(tmp_path: Path) -> None:
    cases = 'CASES = [\n    {"size": 1},\n    {"size": 127},\n]'
    test_code = f"import torch\n\n{cases}\n\n\ndef test_equivalence(case):\n    pass\n"
    a_repair_trace(pair=an_approved_pair(license=a_license(), test_code=test_code))

    (record,) = traces(export(tmp_path / "out", *WITH_REPAIRS))

    assert f"```python\n{cases}\n```" in record["messages"][0]["content"]


def test_traces_of_pairs_that_are_left_out_and_of_other_content_are_left_out(
    tmp_path: Path,
) -> None:
    pair = an_approved_pair(license=a_license())
    a_repair_trace(pair=pair, content_hash=sha("other"))
    a_repair_trace()

    assert traces(export(tmp_path / "out", *WITH_REPAIRS)) == []
