"""Arguments that several commands share refuse wrong values before any work."""

from argparse import ArgumentTypeError
from pathlib import Path

import pytest

from curation.management.arguments import at_least_one, output_file


@pytest.mark.parametrize("text", ["0", "-1", "many", "1.5", "²", ""])
def test_a_limit_is_a_whole_number_of_at_least_one(text: str) -> None:
    with pytest.raises(ArgumentTypeError, match="at least 1"):
        at_least_one(text)
    assert at_least_one("12") == 12


def test_an_output_file_needs_its_folder(tmp_path: Path) -> None:
    with pytest.raises(ArgumentTypeError, match="no folder"):
        output_file(str(tmp_path / "missing" / "drafts.jsonl"))
    with pytest.raises(ArgumentTypeError, match="name a file"):
        output_file(str(tmp_path))
    assert output_file(str(tmp_path / "drafts.jsonl")) == tmp_path / "drafts.jsonl"
