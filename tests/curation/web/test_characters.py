"""Characters that a reader does not see are shown as boxes wherever strangers' text is shown."""

import re
import unicodedata

import pytest
from django.template import Context, Template
from django.test import Client
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from curation.characters import INVISIBLE, boxed, has_invisible, invisible, listed
from curation.models import Kernel, Pair
from curation.web.highlight import lines
from tests import factories as make
from tests.curation.web.strange_text import a_kernel_saying, a_pair_saying, item_pages, other_pages

# One of each kind: override, isolate, mark, zero-width, joiner, byte order mark, soft hyphen, tag,
# variation selector, filler, control, spaces, separator.
EACH = (
    "\u202e\u2066\u2069\u200f\u061c\u200b\u200d\u2060\ufeff\xad\u180e\U000e0041\ufe0f\u3164\x1b\x85"
    "\xa0\u2009\u3000\u2028"
)
BAD = f"a{EACH}b"


@pytest.fixture
def kernel(db: None) -> Kernel:
    return a_kernel_saying(BAD)


@pytest.fixture
def pair(kernel: Kernel) -> Pair:
    return a_pair_saying(BAD, kernel)


def left_in(page: str) -> set[str]:
    """Return the invisible characters of a page, without the fields that are there to edit."""
    page = re.sub(r"<textarea.*?</textarea>|<input[^>]*>", "", page, flags=re.DOTALL)
    return {f"U+{ord(character):04X}" for character in INVISIBLE.findall(page)}


def test_no_tab_of_an_item_contains_an_invisible_character(
    browser: Client, kernel: Kernel, pair: Pair
) -> None:
    for url in item_pages(kernel, pair):
        page = browser.get(url).content.decode()
        assert left_in(page) == set(), url
        assert '<span class="cp" title="RIGHT-TO-LEFT OVERRIDE">U+202E</span>' in page, url


def test_no_list_page_contains_an_invisible_character(browser: Client, pair: Pair) -> None:
    for url in (f"{reverse('find')}?q=a", *other_pages(BAD, pair)):
        assert left_in(browser.get(url).content.decode()) == set(), url


def test_a_text_field_lists_its_invisible_characters(browser: Client, pair: Pair) -> None:
    page = browser.get(reverse("edit-pair", args=[pair.pk])).content.decode()

    assert "U+202E RIGHT-TO-LEFT OVERRIDE once on line 1" in page
    assert BAD in page


def test_the_first_evidence_lists_the_invisible_characters(browser: Client, kernel: Kernel) -> None:
    page = browser.get(kernel.get_absolute_url()).content.decode()

    first = re.findall(r'<li class="(\w+)" data-open.*?class="sum">(.+?)<', page, re.DOTALL)[0]
    assert first == ("wrong", "Characters in the code are invisible or reorder the text")
    assert "Unit: U+202E RIGHT-TO-LEFT OVERRIDE 3 times, first on line 1" in page


def test_a_joiner_in_a_comment_is_only_a_doubt(browser: Client) -> None:
    kernel = make.a_kernel(standalone_source="# \u2764\ufe0f\nx = 1\n")

    page = browser.get(kernel.get_absolute_url()).content.decode()

    assert "Characters in comments or strings are invisible" in page
    assert "Unit: U+FE0F VARIATION SELECTOR-16 once on line 1." in page


# --- The characters themselves --------------------------------------------------------------
def test_every_control_format_and_space_character_is_covered() -> None:
    kinds = {"Cc", "Cf", "Zl", "Zp", "Zs"}
    every = {c for c in map(chr, range(0x110000)) if unicodedata.category(c) in kinds}

    assert {c for c in every if not INVISIBLE.match(c)} == {"\t", "\n", " "}


@given(st.text(st.sampled_from(["a", "\n", "\t", *EACH, "é", "\x0b", "\ufe00"])))
def test_has_invisible_agrees_with_the_regular_expression(text: str) -> None:
    assert has_invisible(text) == (INVISIBLE.search(text) is not None)


@given(st.text(st.sampled_from(["a", " ", "\n", "'", '"', "#", *EACH]), max_size=60))
def test_code_point_boxes_do_not_break_lines_or_html_elements(source: str) -> None:
    shown = lines(source)

    assert len(shown) == source.removesuffix("\n").count("\n") + 1
    for line in shown:
        assert line.count("<span") == line.count("</span>")
        assert INVISIBLE.search(line) is None


def test_a_code_point_box_keeps_the_highlighting_around_it() -> None:
    [line] = lines("x = 'a\u200bb'\n")

    assert '<span class="s1">\'a<span class="cp" title="ZERO WIDTH SPACE">U+200B</span>b' in line


@pytest.mark.parametrize(
    ("text", "deceives", "also"),
    [
        ("x = 1\n", "", ""),
        ("\ufeffx = 1\n", "", ""),
        ("a\n\fb\n", "", ""),
        ("s = 'a\u202eb'\n", "U+202E RIGHT-TO-LEFT OVERRIDE once on line 1", ""),
        ("# \u2066\n# \u2066\n", "U+2066 LEFT-TO-RIGHT ISOLATE 2 times, first on line 1", ""),
        ("x = 1\na\u200bb = 1\n", "U+200B ZERO WIDTH SPACE once on line 2", ""),
        ("x\ufe00 = 1\n", "U+FE00 VARIATION SELECTOR-1 once on line 1", ""),
        ("s = f'{a\u200b}'\n", "U+200B ZERO WIDTH SPACE once on line 1", ""),
        ("# \U000e0041\n", "U+E0041 TAG LATIN CAPITAL LETTER A once on line 1", ""),
        ("# \x1b[8m\n", "U+001B CONTROL CHARACTER once on line 1", ""),
        ('def f():\n    """a\xa0b"""\n', "", "U+00A0 NO-BREAK SPACE once on line 2"),
        ("x = 1  # \u2764\ufe0f\n", "", "U+FE0F VARIATION SELECTOR-16 once on line 1"),
        ("s = 'a\u200bb'\n", "", "U+200B ZERO WIDTH SPACE once on line 1"),
    ],
)
def test_deceptive_characters_are_listed_apart_from_common_ones(
    text: str, deceives: str, also: str
) -> None:
    assert tuple(map(listed, invisible(text))) == (deceives, also)


def test_the_list_of_code_points_names_the_first_eight() -> None:
    deceiving, _ = invisible("# " + "".join(map(chr, range(1, 9))) + "\u202e\u2066")

    assert listed(deceiving).endswith("; and 2 other code points")


# --- The filter -----------------------------------------------------------------------------
def test_the_visible_filter_escapes_only_unescaped_text() -> None:
    shown = Template("{% load review %}{{ a|visible }} {{ b|linebreaksbr|visible }}").render(
        Context({"a": "<b>\u202e", "b": "1\n<2>"})
    )

    assert shown == f"&lt;b&gt;{boxed(chr(0x202E))} 1<br>&lt;2&gt;"


def test_a_long_text_is_truncated_with_a_character_count() -> None:
    shown = Template("{% load review %}{{ a|visible:5 }}").render(Context({"a": "&" * 1005}))

    assert shown == f"{'&amp;' * 5} … 1,000 more characters"
