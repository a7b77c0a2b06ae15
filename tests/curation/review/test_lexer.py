"""The quick lexer says of every text what Pygments' own says."""

import tokenize
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pygments.lexers import PythonLexer

from curation.review.lexer import LEXER
from tests.showcase import PYTHON, ROTARY, SOFTMAX, TEST, TRITON

PLAIN = PythonLexer(stripnl=False, ensurenl=True)
WORDS = """
match case type _ def class from import in is or and not self cls print lazy rb r f t u b x x1 for_
format é · ¼ 1 0 00 1.5 .5 1e5 0x1for 1_000 1j . .. ... ( ) [ ] { } : , ; = == := != -> ** // @ @a
\' " \'\'\' \"\"\" f" \\ # True None __init__ __x range len async yield await else if lambda except
ValueError NotImplemented Ellipsis
"""
PIECES = st.sampled_from((*WORDS.split(), " ", "  ", "\t", "\n", "\n    ", "\f", "\\\n", "\xa0"))


@given(st.lists(PIECES, max_size=40).map("".join))
@example("match x:\n    case _:\n        a.self = .5 - 1.\n")
def test_of_pieces_of_python(source: str) -> None:
    assert list(LEXER.get_tokens(source)) == list(PLAIN.get_tokens(source))


@given(st.text(max_size=60))
def test_of_any_text(source: str) -> None:
    assert list(LEXER.get_tokens(source)) == list(PLAIN.get_tokens(source))


@pytest.mark.parametrize(
    "source",
    [PYTHON, TRITON, TEST, ROTARY, SOFTMAX, Path(tokenize.__file__).read_text(encoding="utf-8")],
    ids=["python", "triton", "test", "rotary", "softmax", "tokenize"],
)
def test_of_real_sources(source: str) -> None:
    assert list(LEXER.get_tokens(source)) == list(PLAIN.get_tokens(source))
