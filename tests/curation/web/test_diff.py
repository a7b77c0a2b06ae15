"""Comparing twins: what is left once names are set aside, and what it costs."""

import time

from hypothesis import given
from hypothesis import strategies as st

from curation.web.diff import compare
from curation.web.highlight import lines
from tests.showcase import ROTARY

CODE = st.lists(st.sampled_from(["x = a + b", "y = f(x)", "", "return y", "a = tl.load(p)"])).map(
    "\n".join
)


def test_a_near_duplicate_with_renamed_variables_has_an_empty_diff() -> None:
    twin = ROTARY.replace("inside", "mask_2").replace("cols", "col_ids").replace("half", "dim")

    found = compare(ROTARY, twin)

    assert found.changed == 0
    assert ("col_ids", "cols") in found.renamed


def test_words_of_docstrings_strings_and_comments_keep_their_names() -> None:
    text = (
        'def relu(input):\n    """Applies ReLU to the input.\n\n    input: a \\"tensor\\"."""\n'
        "    check(input, 'input', \"input's\")  # the input\n    return max(input, 0)\n"
    )
    renamed = text.replace("(input", "(x")

    found = compare(renamed, text)

    assert found.renamed == (("input", "x"),)
    assert found.right == renamed.rstrip("\n")
    assert found.changed == 0


def test_a_line_in_only_one_text_is_shown_as_new() -> None:
    found = compare("a = 1\nb = 2\n", "a = 1\nc = 3\nb = 2\n")

    assert [(row.kind, row.left, row.right) for row in found.rows] == [
        ("same", 1, 1), ("new", None, 2), ("same", 2, 3),
    ]  # fmt: skip


def test_a_renamed_variable_counts_as_a_change_between_versions() -> None:
    assert compare("a = 1\n", "b = 1\n", align=False).changed == 1


@given(CODE, CODE)
def test_a_diff_shows_every_line_of_both_texts_once_and_in_order(left: str, right: str) -> None:
    found = compare(left, right)

    for side, text in (("left", found.left), ("right", found.right)):
        numbers = [getattr(row, side) for row in found.rows if getattr(row, side)]
        assert numbers == list(range(1, len(text.split("\n")) + 1))


@given(CODE)
def test_the_diff_of_equal_texts_is_empty(text: str) -> None:
    found = compare(text, text)

    assert (found.changed, found.renamed) == (0, ())


def test_a_diff_of_thousands_of_changed_lines_is_truncated_and_fast() -> None:
    left = "\n".join(f"a{n} = {n}" for n in range(5000))
    right = "\n".join(f"b{n} = {n * 3}" for n in range(5000))
    began = time.process_time()

    found = compare(left, right)

    assert found.cut
    assert time.process_time() - began < 20


# --- Highlighting ---------------------------------------------------------------------------
@given(st.text())
def test_each_highlighted_line_is_complete_escaped_html(source: str) -> None:
    for line in lines(source):
        assert line.count("<span") == line.count("</span>")
        assert "<script" not in line
