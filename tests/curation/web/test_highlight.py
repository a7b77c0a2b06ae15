"""Links in highlighted source, and the parts in which a text is shown: its kernel first."""

import re

import pytest

from curation.web.highlight import (
    MOST_LINES,
    Section,
    functions,
    kernel_first,
    lines,
    opened_at_kernel,
    table,
)
from tests.showcase import ROTARY

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


# --- Parts ----------------------------------------------------------------------------------
DECORATED = "import triton\n\n\n@triton.jit\ndef kernel(x):\n    pass\n"
CONFIGURED = DECORATED.replace(
    "@triton.jit", "@triton.autotune(\n" + "    Config(),\n" * 20 + ")\n@triton.jit"
)


def numbers(part: Section) -> list[int]:
    return [int(number) for number in re.findall(r'<tr id="\w*?(\d+)"', part.html)]


def test_a_unit_opens_on_its_kernel_and_folds_everything_else() -> None:
    kernel, rest = kernel_first(ROTARY, "rotate_kernel", "1 helper")

    assert numbers(kernel)[0] == ROTARY[: ROTARY.index("@triton.jit\ndef rotate")].count("\n") + 1
    assert (kernel.title, rest.title, rest.open) == ("", "1 helper", False)
    assert sorted([*numbers(kernel), *numbers(rest)]) == list(range(1, ROTARY.count("\n") + 1))


def test_a_call_of_the_kernel_links_to_its_folded_helper() -> None:
    kernel, rest = kernel_first(ROTARY, "rotate_kernel", "1 helper")

    assert 'href="#L9"' in kernel.html
    assert 9 in numbers(rest)


def test_a_helper_with_a_comment_is_not_folded() -> None:
    _, rest = kernel_first(ROTARY, "rotate_kernel", "1 helper", notes={9: "a comment"})

    assert rest.open


@pytest.mark.parametrize("source", [DECORATED, "def (:\n", "x = 1\n" * 6000 + DECORATED])
def test_a_short_or_unreadable_or_cut_text_keeps_its_order(source: str) -> None:
    for parts in (kernel_first(source, "kernel", "rest"), opened_at_kernel(source)):
        assert [numbers(part)[0] for part in parts] == [1]
        assert len(numbers(parts[0])) == min(len(lines(source)), MOST_LINES)


def test_long_decorators_are_folded_above_the_kernel() -> None:
    parts = kernel_first(CONFIGURED, "kernel", "Imports")

    assert [part.title for part in parts] == ["23 lines above kernel", "", "Imports"]
    assert "def</span>" in parts[1].html


def test_many_lines_above_the_kernel_of_a_file_are_folded() -> None:
    source = "import torch\n" * 30 + DECORATED

    above, kernel = opened_at_kernel(source)

    assert (above.title, numbers(kernel)) == ("33 lines above kernel", [34, 35, 36])


def test_a_kernel_is_a_jitted_function_that_no_other_calls() -> None:
    branch = "if True:\n    @triton.jit\n    def other(x):\n        pass\n"
    source = f"{ROTARY}\n\ndef launch(x):\n    rotate_kernel[(1,)](x)\n\n\n{branch}"

    assert [(each.name, each.kernel) for each in functions(source) or ()] == [
        ("load_angle", False), ("rotate_kernel", True), ("launch", False), ("other", True),
    ]  # fmt: skip


def test_a_carriage_return_ends_a_line() -> None:
    source = ROTARY.replace("\n", "\r")

    assert functions(source) == functions(ROTARY)
    assert len(lines(source)) == len(lines(ROTARY))
