"""Two sources are one when nothing but their endings and outer blanks differ."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.identity import content_hash, normalized

SOURCE = "@triton.jit\ndef f(x):\n    pass\n"


@pytest.mark.parametrize(
    "same",
    [
        SOURCE.replace("\n", "\r\n"),
        SOURCE.replace("\n", "\r"),
        "\n\n" + SOURCE + "\n\n",
        SOURCE.replace("(x):", "(x):   "),
        SOURCE.rstrip("\n"),
    ],
)
def test_line_endings_and_outer_blanks_do_not_change_the_content_hash(same: str) -> None:
    assert content_hash(same) == content_hash(SOURCE)


@pytest.mark.parametrize(
    "other",
    [
        SOURCE.replace("pass", "pass  # why"),
        SOURCE.replace("    pass", "     pass"),
        SOURCE.replace("f(x)", "g(x)"),
        SOURCE.replace("pass", "\n    pass"),
    ],
)
def test_any_other_edit_changes_the_content_hash(other: str) -> None:
    assert content_hash(other) != content_hash(SOURCE)


def test_the_content_hash_depends_on_the_boundary_between_sources() -> None:
    assert content_hash("a\nb", "c") != content_hash("a", "b\nc")


@given(st.text())
def test_normalizing_a_text_is_idempotent(text: str) -> None:
    assert normalized(normalized(text)) == normalized(text)
