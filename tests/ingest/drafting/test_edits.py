"""A text is changed where that was asked for, and nowhere else."""

from __future__ import annotations

import ast

from hypothesis import given
from hypothesis import strategies as st

from ingest.drafting.isolating.standalone import remove_seeding

# Of any script, but nothing that would end a string, a comment or a line.
SAID = st.text(st.characters(exclude_categories=["Cc", "Cs"], exclude_characters='"\\'))


@given(SAID, st.sampled_from(["\n", "", "\n# the end"]))
def test_a_removed_line_may_be_the_last_one(said: str, end: str) -> None:
    text = f'def made():\n    at = "{said}"\n    torch.manual_seed(3){end}'

    changed = remove_seeding(text, ast.parse(text), but="make_inputs")

    assert changed == f'def made():\n    at = "{said}"\n{end.removeprefix(chr(10))}'
