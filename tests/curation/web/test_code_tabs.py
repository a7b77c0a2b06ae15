"""Code on an item's page: the whole file around a kernel, its helpers' files and licenses."""

import re
from typing import Any

import pytest
from django.test import Client

from curation.models import Kernel
from tests import factories as make

pytestmark = pytest.mark.django_db

UNIT = "@triton.jit\ndef helper(x):\n    pass\n\n\n@triton.jit\ndef kernel(x):\n    helper(x)\n"
OWN = "@triton.jit\ndef kernel(x):\n    helper(x)\n"
HEADER = "# All rights reserved. (c) Odd Labs\n"


def a_kernel_of(text: str | None, **over: Any) -> Kernel:
    """Return a kernel in a file of this text, at the place where its function begins."""
    kernel = make.a_kernel(name="kernel", function_source=OWN, standalone_source=UNIT)
    file = make.a_source_file()
    start = 1
    if text is not None:
        make.a_source_text(sha256=file.sha256, text=text)
        start = text[: text.index(OWN)].count("\n") + 1
    place = {"kernel": kernel, "source_file": file, "start_line": start, "end_line": start + 2}
    make.a_provenance(**place | over)
    return kernel


def page(browser: Client, kernel: Kernel, tab: str = "") -> str:
    return browser.get(kernel.get_absolute_url(), {"tab": tab}).content.decode()


def numbers(html: str) -> list[int]:
    return [int(number) for number in re.findall(r'<tr id="L(\d+)"', html)]


def test_the_whole_file_is_shown_with_the_kernel_marked(browser: Client) -> None:
    html = page(browser, a_kernel_of(f"{HEADER}{UNIT}x = 1\n"), "file")

    assert "All rights reserved" in html
    assert numbers(html) == list(range(1, 11))
    [marked] = re.findall(r'<table[^>]* id="unit">.*?</table>', html)
    assert numbers(marked) == [7, 8, 9]
    assert '?tab=file#unit"' in html


def test_a_long_file_is_shown_around_the_kernel(browser: Client) -> None:
    html = page(browser, a_kernel_of("x = 1\n" * 6000 + UNIT + "x = 1\n" * 6000), "file")

    assert (numbers(html)[0], numbers(html)[-1]) == (5006, 7008)
    assert "1,000 lines above and below it, of 12,009." in html


@pytest.mark.parametrize(
    ("over", "sentence"),
    [({}, "Only these lines of the file are stored."), ({"cell": 3}, "of cell 3 of a notebook.")],
)
def test_the_kernel_alone_is_shown_of_a_file_that_is_not_stored(
    browser: Client, over: dict[str, Any], sentence: str
) -> None:
    html = page(browser, a_kernel_of(None, **over), "file")

    assert numbers(html) == [1, 2, 3]
    assert sentence in html


def test_the_helpers_are_counted_and_their_files_named(browser: Client) -> None:
    kernel = a_kernel_of(None, drawn_from=["a/kernels.py", "a/math.py"])

    html = page(browser, kernel)

    assert "1 helper from 2 files: a/kernels.py, a/math.py</summary>" in html
    assert "With 1 helper from 2 files: a/kernels.py, a/math.py</li>" in html


def test_the_blocked_header_of_a_helper_is_quoted_first(browser: Client) -> None:
    kernel = a_kernel_of(None, drawn_from=["helpers.py", "kernels.py"])
    own = kernel.provenances.get().source_file
    helper = make.a_source_file(repository=own.repository, path="helpers.py")
    for file, verdict, text in ((own, "permissive", "The MIT License"), (helper, "blocked", "NC")):
        make.some_license_evidence(
            source_file=file, repository=own.repository, verdict=verdict, matched_text=text,
            license=make.a_license(verdict=verdict), path=file.path,
        )  # fmt: skip

    quotes = re.findall(r'<pre class="quote"[^>]*>(.*?)</pre>', page(browser, kernel))

    assert quotes == ["NC", "The MIT License"]
