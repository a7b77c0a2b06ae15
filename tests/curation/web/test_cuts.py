"""A page has a bounded size, and is made in bounded time, whatever an author writes."""

import time
from typing import Any

import pytest
from django.test import Client

from curation.lexer import is_readable
from curation.models import Kernel
from curation.web.diff import compare
from curation.web.highlight import (
    LONGEST_LINE,
    MOST_LINES,
    MOST_MARKUP,
    lines,
    opened_at_kernel,
)
from tests import factories as make

SUM = "x = " + "+".join("1" * 30_000)
HUGE = "".join(f"value_{number} = {number}\n" for number in range(90_000))
EQUAL = "x = 1\n" * 100_000


def shown(browser: Client, **columns: Any) -> tuple[str, Kernel]:
    kernel = make.a_kernel(**columns)
    place = {"kernel": kernel, "start_line": 1, "end_line": 2}
    make.a_provenance(**place, source_file=make.a_source_file(path="é" * 990))
    return browser.get(kernel.get_absolute_url()).content.decode(), kernel


@pytest.mark.slow
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("source", "most"),
    [
        pytest.param(f"{SUM}\n", 100_000, id="60 kB on one line"),
        pytest.param(HUGE, 2_000_000, id="2 MB"),
        pytest.param(EQUAL, 2_000_000, id="100,000 equal lines"),
        pytest.param("\u202e" * 1000 + ("\n" + "\u202e" * 1000) * 150, 2_000_000, id="boxes"),
        pytest.param("&" * 1_900_000, 100_000, id="2 MB of ampersands on one line"),
    ],
)
def test_a_page_has_a_bounded_size(browser: Client, source: str, most: int) -> None:
    page, kernel = shown(browser, standalone_source=source, function_source=source)

    assert len(page) < most
    assert f'class="cut" href="{kernel.get_absolute_url()}standalone_source.py"' in page


@pytest.mark.slow
@pytest.mark.django_db
def test_a_text_of_many_short_tokens_is_not_truncated(browser: Client) -> None:
    source = f"{SUM[:1990]}\n" * 90

    page, _ = shown(browser, standalone_source=source)

    assert len(page) < 500_000
    assert 'class="cut"' not in page


@pytest.mark.django_db
def test_parameters_notes_and_evidence_are_truncated_too(browser: Client) -> None:
    parameter = {"name": "p" * 6000, "annotation": "a" * 6000, "default": "1" * 6000}
    page, _ = shown(
        browser, parameters=[parameter] * 500, notes=["n" * 6000] * 500,
        standalone_reasons=["r" * 6000] * 500, standalone=False,
        kind_evidence=[{"says": "s" * 6000, "text": "t" * 6000}] * 500,
    )  # fmt: skip

    assert len(page) < 600_000
    assert "and 950 more" in page


def test_a_truncated_line_shows_the_number_of_omitted_characters() -> None:
    [line] = lines(SUM)

    assert line.endswith('<a class="cut">… 58,003 more characters</a>')
    assert line.count("<span") == line.count("</span>")


def test_the_line_after_a_truncated_line_keeps_its_highlighting() -> None:
    _, second, _ = lines(f"'''{'a' * 5000}\nb\n'''\n")

    assert second == '<span class="s1">b</span>' or second == '<span class="sd">b</span>'


def test_the_last_row_shows_the_number_of_omitted_lines() -> None:
    [section] = opened_at_kernel(EQUAL, whole="/whole")

    assert section.html.count("<tr id=") == MOST_LINES
    assert section.html.endswith(
        '<a class="cut" href="/whole">… 95,000 more lines</a></td></tr></table>'
    )


def test_a_huge_text_is_shown_without_highlighting() -> None:
    assert "<span" not in "".join(lines(HUGE))


def test_a_source_that_imitates_a_truncation_link_is_escaped() -> None:
    source = '<a class="cut">\n'

    [section] = opened_at_kernel(source, whole="/whole")

    assert "/whole" not in section.html


@pytest.mark.parametrize(
    "source", [" \n" * 90_000, "x = 1\n" + "\n \t" * 60_000], ids=["blank lines", "indented"]
)
def test_a_text_of_blanks_is_highlighted_in_bounded_time(source: str) -> None:
    began = time.process_time()

    assert not is_readable(source)
    assert sum(map(len, lines(source))) <= MOST_MARKUP
    assert time.process_time() - began < 20


def test_a_diff_is_truncated_by_characters_too() -> None:
    found = compare("a" * 3_000_000, "a" * 3_000_000 + "b")

    assert found.cut
    assert len(found.left) == len(found.right) == 400_000


@pytest.mark.django_db
def test_a_diff_has_a_bounded_size(browser: Client) -> None:
    kernel = make.a_kernel(standalone_source=HUGE)
    twin = make.a_kernel(standalone_source=f"{SUM}\n" + HUGE.replace("value", "other"))
    make.a_duplicate_link(kernel=twin, of_kernel=kernel)

    page = browser.get(f"{kernel.get_absolute_url()}?tab=diff").content.decode()

    assert len(page) < 2_000_000
    assert f'class="cut" href="{twin.get_absolute_url()}standalone_source.py"' in page


# --- The whole text -------------------------------------------------------------------------
@pytest.mark.django_db
def test_the_whole_text_can_be_downloaded_unchanged(browser: Client) -> None:
    source = f"# \u202e <script>\n{SUM}\n"
    kernel = make.a_kernel(standalone_source=source)

    answer = browser.get(f"{kernel.get_absolute_url()}standalone_source.py")

    assert answer.content.decode() == source
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.django_db
def test_only_text_fields_can_be_downloaded_and_only_by_reviewers(
    browser: Client, client: Client
) -> None:
    kernel, pair = make.a_kernel(), make.a_pair()

    assert browser.get(f"{pair.get_absolute_url()}test_code.py").status_code == 200
    assert browser.get(f"{kernel.get_absolute_url()}content_hash.py").status_code == 404
    assert browser.get(f"{kernel.get_absolute_url()}test_code.py").status_code == 404
    client.force_login(make.a_person())
    assert client.get(f"{pair.get_absolute_url()}test_code.py").status_code == 403
    client.logout()
    answer = client.get(f"{pair.get_absolute_url()}test_code.py")
    assert (answer.status_code, answer.headers["Location"].partition("?")[0]) == (302, "/login/")


def test_a_line_of_the_maximum_length_is_not_truncated() -> None:
    assert "cut" not in lines("a" * LONGEST_LINE)[0]
    assert "… 1 more character<" in lines("a" * (LONGEST_LINE + 1))[0]
