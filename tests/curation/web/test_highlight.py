"""Links in highlighted source: operations to Triton's documentation, calls to definitions."""

from curation.web.highlight import lines, sections, table

SOURCE = """\
import triton
import triton.language as tl


@triton.jit
def squared(x):
    return x * x


@triton.jit
def kernel(x_ptr, BLOCK: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, BLOCK))
    tl.store(x_ptr, squared(x).to(tl.float32))
"""


def test_an_operation_links_to_its_documentation() -> None:
    html = lines(SOURCE)[11]

    assert (
        '<a class="nb nb-Memory" rel="noreferrer" tabindex="-1" '
        'href="https://triton-lang.org/main/python-api/generated/triton.language.load.html">load</a>'
    ) in html
    # Types have no page of their own.
    assert "float32.html" not in lines(SOURCE)[12]


def test_a_call_links_to_the_line_of_its_definition() -> None:
    html = table(SOURCE, anchor="triton-")

    assert '<a class="n" href="#triton-6" tabindex="-1">squared</a>' in html
    assert '<tr id="triton-6">' in html


def test_a_link_to_a_definition_uses_the_numbers_of_the_lines() -> None:
    html = table(SOURCE, first=101)

    assert '<a class="n" href="#L106" tabindex="-1">squared</a>' in html


def test_a_call_links_to_a_helper_in_another_section() -> None:
    html = "".join(section.html for section in sections(SOURCE, "kernel"))

    assert 'href="#L6"' in html
    assert html.count('id="L6"') == 1
