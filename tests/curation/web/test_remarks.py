"""Remarks on an edited test: what loosens it is named, what only moves it is not."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.web.remarks import remarks_on_test

TEST = '''\
import pytest
import torch

CASES = [
    {"n": 16},
    {"n": 37},
]
TOLERANCE = {
    torch.float32: (1e-5, 1e-6),
}


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    """The two functions agree."""
    out, expected = candidate(*case), reference(*case)
    rtol, atol = TOLERANCE[out.dtype]
    assert out.shape == expected.shape
    if out.numel():
        assert torch.allclose(out, expected, rtol=rtol, atol=atol)
'''
TOLERANCE = "This edit changes a tolerance of the test."
CASES = "This edit changes the cases of the test."
ASSERTION = "This edit changes an assertion of the test."


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("(1e-5, 1e-6)", "(1e-1, 1e-1)", [TOLERANCE]),
        ("\n\n\n@pytest", "\nTOLERANCE[torch.float32] = (1, 1)\n\n\n@pytest", [TOLERANCE]),
        ("rtol, atol = TOLERANCE[out.dtype]", "rtol, atol = 1, 1", [TOLERANCE]),
        ("rtol=rtol", "rtol=0.5", [TOLERANCE, ASSERTION]),
        ('    {"n": 37},\n', "", [CASES]),
        ('"case", CASES', '"case", CASES[:1]', [CASES]),
        ("    assert out.shape == expected.shape\n", "", [ASSERTION]),
        ("torch.allclose(out, expected,", "torch.allclose(out, out,", [TOLERANCE, ASSERTION]),
        (
            "\n    assert out.shape",
            "\n    torch.allclose = print\n    assert out.shape",
            [ASSERTION],
        ),
    ],
)
def test_an_edit_that_may_loosen_the_test_gets_a_warning(
    old: str, new: str, expected: list[str]
) -> None:
    edited = TEST.replace(old, new, 1)
    assert edited != TEST

    assert [remark.text for remark in remarks_on_test(TEST, edited)] == expected


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("CASES = [", "# Small ones first.\nCASES = ["),
        ('    {"n": 16},\n    {"n": 37},\n', '{"n": 16}, {"n": 37}'),
        ('"""The two functions agree."""', '"""They agree."""'),
        ("1e-5", "0.00001"),
    ],
)
def test_a_change_of_layout_gets_no_warning(old: str, new: str) -> None:
    assert old in TEST

    assert remarks_on_test(TEST, TEST.replace(old, new, 1)) == []


def test_a_warning_shows_the_old_and_new_statement() -> None:
    (remark,) = remarks_on_test(TEST, TEST.replace("1e-6", "1.0"))

    assert remark.before == ("TOLERANCE = {torch.float32: (1e-05, 1e-06)}",)
    assert remark.after == ("TOLERANCE = {torch.float32: (1e-05, 1.0)}",)


def test_a_long_statement_is_truncated_in_a_warning() -> None:
    many = ", ".join(f'{{"n": {n}}}' for n in range(200))
    (remark,) = remarks_on_test(TEST, TEST.replace('{"n": 37},', f"{many},"))

    assert len(remark.after[0]) == 200


def test_a_test_that_does_not_parse_gets_a_warning_to_read_it_whole() -> None:
    (remark,) = remarks_on_test(TEST, "def broken(:\n")

    assert "does not parse" in remark.text


@given(st.sampled_from(TEST.splitlines()), st.text(max_size=30))
def test_an_unchanged_test_never_gets_a_warning(line: str, text: str) -> None:
    edited = TEST.replace(line, text)
    try:
        ast.parse(edited)
    except (SyntaxError, ValueError):
        return

    assert remarks_on_test(edited, edited) == []
