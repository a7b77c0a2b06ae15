"""Comparing twins: what is left once names are set aside, and what it costs."""

import time

from hypothesis import given
from hypothesis import strategies as st

from curation.web.diff import compare
from curation.web.highlight import lines, place_of, sections
from tests.showcase import ROTARY

CODE = st.lists(st.sampled_from(["x = a + b", "y = f(x)", "", "return y", "a = tl.load(p)"])).map(
    "\n".join
)


def test_a_twin_in_other_names_differs_in_nothing() -> None:
    twin = ROTARY.replace("inside", "mask_2").replace("cols", "col_ids").replace("half", "dim")

    found = compare(ROTARY, twin)

    assert found.changed == 0
    assert ("col_ids", "cols") in found.renamed


def test_a_line_that_is_there_in_one_alone_is_left() -> None:
    found = compare("a = 1\nb = 2\n", "a = 1\nc = 3\nb = 2\n")

    assert [(row.kind, row.left, row.right) for row in found.rows] == [
        ("same", 1, 1), ("new", None, 2), ("same", 2, 3),
    ]  # fmt: skip


def test_from_one_version_to_the_next_a_name_is_a_change() -> None:
    assert compare("a = 1\n", "b = 1\n", align=False).changed == 1


@given(CODE, CODE)
def test_every_line_of_both_is_shown_once_and_in_order(left: str, right: str) -> None:
    found = compare(left, right)

    for side, text in (("left", found.left), ("right", found.right)):
        numbers = [getattr(row, side) for row in found.rows if getattr(row, side)]
        assert numbers == list(range(1, len(text.split("\n")) + 1))


@given(CODE)
def test_what_is_the_same_does_not_differ(text: str) -> None:
    found = compare(text, text)

    assert (found.changed, found.renamed) == (0, ())


def test_thousands_of_changed_lines_are_cut_and_still_quick() -> None:
    left = "\n".join(f"a{n} = {n}" for n in range(5000))
    right = "\n".join(f"b{n} = {n * 3}" for n in range(5000))
    began = time.process_time()

    found = compare(left, right)

    assert found.cut
    assert time.process_time() - began < 20


# --- Highlighting ---------------------------------------------------------------------------
@given(st.text())
def test_each_line_is_whole_html_by_itself_and_escaped(source: str) -> None:
    for line in lines(source):
        assert line.count("<span") == line.count("</span>")
        assert "<script" not in line


def test_helpers_are_sections_that_cover_every_line_once() -> None:
    found = sections(ROTARY, "rotate_kernel")

    assert [section.title for section in found] == ["", "load_angle", ""]
    assert [section.start for section in found[1:]] == [section.end + 1 for section in found[:-1]]
    assert found[-1].end == ROTARY.count("\n")


def test_old_line_ends_count_as_lines() -> None:
    found = sections("def helper():\r    pass\r\rdef f():\r    pass\r", "f")

    assert [(section.title, section.start, section.end) for section in found] == [
        ("helper", 1, 3), ("", 4, 5),
    ]  # fmt: skip


def test_what_can_not_be_parsed_is_one_section() -> None:
    assert [section.title for section in sections("def (:\n", "x")] == [""]


def test_a_function_is_found_in_its_unit() -> None:
    assert place_of("b\nc\n", "a\nb\nx\nb\nc\n") == (4, 5)
    assert place_of("z\n", "a\n") is None
