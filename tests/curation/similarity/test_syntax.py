from __future__ import annotations

import ast
import io
import keyword
import time
import tokenize
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.similarity.literals import number, string
from curation.similarity.structure import structure
from curation.similarity.syntax import syntax_hash, syntax_hashes
from tests.curation.similarity.kernels import (
    SOFTMAX,
    reformatted,
    renamed,
    unrelated,
    with_other_constants,
)
from validation.pairs.handwritten import handwritten


def test_other_constants_change_the_exact_but_not_the_loose_syntax_hash() -> None:
    exact, loose = syntax_hashes(SOFTMAX)
    other_exact, other_loose = syntax_hashes(with_other_constants(SOFTMAX))

    assert exact != other_exact
    assert loose == other_loose


@given(seed=st.integers(0, 10_000))
@settings(max_examples=40)
def test_formatting_and_docstrings_never_change_the_syntax_hash(seed: int) -> None:
    text = unrelated(seed)
    documented = text.replace("):\n", '):\n    """What it does.\n\n    At length."""\n', 1)
    commented = "\n".join(line + "  # why" for line in text.splitlines())

    for same in (reformatted(text), documented, commented):
        assert syntax_hash(same) == syntax_hash(text)


@given(seed=st.integers(0, 10_000), suffix=st.from_regex(r"_[a-z]{1,8}", fullmatch=True))
@settings(max_examples=40)
def test_renaming_locals_and_parameters_never_changes_the_syntax_hash(
    seed: int, suffix: str
) -> None:
    text = unrelated(seed)

    assert syntax_hash(renamed(text, suffix)) == syntax_hash(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("import triton.language as tl\ntl.load(p)", "from triton import language as L\nL.load(p)"),
        ("import triton.language as tl\ntl.load(p)", "from triton.language import load\nload(p)"),
        ("def f(a, B: tl.constexpr): pass", 'def f(x, C: "tl.constexpr"): pass'),
        ("def f(a: int) -> int:\n return a", "def g(b):\n return b"),
        ("f(a, b)", "f(\n    a,\n    b,\n)"),
        ("x = (a + b)", "x = a + b"),
        ("x = 'a' 'b'", 'x = "ab"'),
        ("x = 1e-5", "x = 0.00001"),
        ("return_ = (1, 2)", "return_ = 1, 2"),
        ("def f(x):\n    return x\nf(x=1)", "def f(y):\n    return y\nf(y=1)"),
        ("def f(BLOCK): pass\nm['BLOCK']", "def f(B): pass\nm['B']"),
    ],
)
def test_equivalent_spellings_have_the_same_syntax_hash(one: str, other: str) -> None:
    assert syntax_hash(one) == syntax_hash(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("tl.load(p)", "tl.store(p)"),
        ("a = b + c", "a = b - c"),
        ("a = b; c = a", "a = b; c = b"),
        ("x[a:]", "x[:a]"),
        ("(a + b) * c", "a + b * c"),
        ("f(mask=a)", "f(other=a)"),
        ("x = (a,)", "x = (a)"),
        ("def f(B: tl.constexpr): pass", "def f(B): pass"),
        ("if a:\n    b()\nc()", "if a:\n    b()\n    c()"),
        ("x = 'a'", "x = 'b'"),
        ("a < b", "a <= b"),
        ("a is b", "a is not b"),
        ("helper(x)", "other(x)"),
        ("def f(): pass", "async def f(): pass"),
        ("f(x)", "f(*x)"),
    ],
)
def test_different_programs_have_different_syntax_hashes(one: str, other: str) -> None:
    assert syntax_hash(one) != syntax_hash(other)


@given(text=st.text(alphabet=st.characters(codec="utf-8") | st.sampled_from("()[]'\"\\\n :.=def")))
@settings(max_examples=200)
def test_any_text_has_a_syntax_hash(text: str) -> None:
    assert len(syntax_hash(text)) == 64


@given(value=st.floats(allow_nan=False, allow_infinity=False, min_value=0))
def test_a_number_is_normalized_for_any_spelling(value: float) -> None:
    assert number(repr(value)) == number(f"{value:.20e}")


@given(value=st.text(st.characters(codec="ascii"), max_size=30))
def test_a_string_is_normalized_for_any_spelling(value: str) -> None:
    assert string(repr(value)) == "'" + value


@pytest.mark.slow
def test_the_standard_library_is_read_in_bounded_time() -> None:
    sources = sorted(Path(ast.__file__).parent.glob("*.py"))[:60]
    for source in sources:
        text = source.read_text("utf-8", "replace")
        start = time.process_time()

        syntax_hash(text)

        assert time.process_time() - start < 0.5 + len(text) / 20_000


# --- The structure of a text, names and numbers set aside -----------------------------------
def test_names_constants_and_callees_do_not_change_the_structure() -> None:
    one = 'def f(x, y):\n    """Add."""\n    z = torch.exp(x) + 1.5  # Why.\n    return z * y\n'
    other = "def g(a, b):\n    c = torch.tanh(a) + 2\n    return c * b\n"

    assert np.array_equal(structure(one), structure(other))


def test_another_operator_changes_the_structure() -> None:
    assert not np.array_equal(structure("return a + b * c"), structure("return a - b * c"))


def test_a_text_shorter_than_one_gram_gives_one_gram() -> None:
    assert len(structure("x")) == 1
    assert len(structure("")) == 1


def test_the_structure_has_the_grams_of_python_tokens() -> None:
    for draft in handwritten():
        text = draft.triton_code
        tokens = _tokens(text)
        runs = {tuple(tokens[place : place + 5]) for place in range(max(1, len(tokens) - 4))}

        assert len(structure(text)) == len(runs)


@given(text=st.text(max_size=200))
def test_any_text_has_a_structure(text: str) -> None:
    assert len(structure(text)) >= 1


def _tokens(text: str) -> list[str]:
    """The same tokens by Python's tokenizer."""
    layout = {tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    every = [
        t for t in tokenize.generate_tokens(io.StringIO(text).readline) if t.type not in layout
    ]
    found: list[str] = []
    starts_line = True
    for place, token in enumerate(every):
        if token.type == tokenize.NEWLINE:
            starts_line = True
            continue
        if token.type == tokenize.STRING:
            if not (starts_line and every[place + 1].type == tokenize.NEWLINE):
                found.append("string")
        elif token.type == tokenize.NUMBER:
            found.append("number")
        elif token.type == tokenize.NAME and not keyword.iskeyword(token.string):
            found.append("name")
        else:
            found.append(token.string)
        starts_line = False
    return found
