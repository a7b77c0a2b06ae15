"""The structure of a text, names and numbers set aside."""

from __future__ import annotations

import io
import keyword
import tokenize

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from curation.similarity.structure import from_bytes, structure, to_bytes
from validation.pairs.handwritten import handwritten


def test_names_constants_and_callees_do_not_change_the_structure() -> None:
    one = 'def f(x, y):\n    """Add."""\n    z = torch.exp(x) + 1.5  # Why.\n    return z * y\n'
    other = "def g(a, b):\n    c = torch.tanh(a) + 2\n    return c * b\n"

    assert np.array_equal(structure(one), structure(other))


def test_another_operator_changes_the_structure() -> None:
    assert not np.array_equal(structure("return a + b * c"), structure("return a - b * c"))


def test_a_text_shorter_than_one_gram_gives_one_gram() -> None:
    assert len(structure("x")) == 1
    assert len(structure("")) == 1


def test_a_structure_round_trips_through_bytes() -> None:
    one = structure("def f(x):\n    return x + x\n")

    assert np.array_equal(from_bytes(to_bytes(one)), one)


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
