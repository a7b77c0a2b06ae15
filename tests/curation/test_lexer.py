"""Tokens of the Triton lexer: Python's, with Triton's operations and names told apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pygments.lexers import PythonLexer, get_lexer_by_name
from pygments.token import Name

from curation.lexer import COMPUTE, CONSTEXPR, LEXER, MASK, MEMORY, META, POINTER, PROGRAM

KERNEL = """\
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.autotune(configs=[], key=["n"])
@triton.jit
def scale(x_ptr, out_desc, n, BLOCK: tl.constexpr, EVEN: "tl.constexpr" = True):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask).to(tl.float32)
    y = tl.math.exp2(libdevice.tanh(x)) + triton.language.sum(x.max, 0)
    tl.store(out_desc + offsets, y, mask=mask)
"""


def kinds(text: str, name: str) -> set[object]:
    return {kind for kind, value in LEXER.get_tokens(text) if value == name}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("load", MEMORY), ("store", MEMORY), ("program_id", PROGRAM), ("arange", PROGRAM),
        ("exp2", COMPUTE), ("tanh", COMPUTE), ("sum", COMPUTE), ("constexpr", META),
        ("float32", META), ("BLOCK", CONSTEXPR), ("EVEN", CONSTEXPR), ("x_ptr", POINTER),
        ("out_desc", POINTER), ("mask", MASK), ("autotune", Name.Decorator),
        ("jit", Name.Decorator), ("offsets", Name), ("max", Name), ("to", Name), ("tl", Name),
    ],
)  # fmt: skip
def test_each_name_of_a_kernel_has_its_kind(name: str, kind: object) -> None:
    kinds_seen = kinds(KERNEL, name) - {Name.Namespace}

    assert kinds_seen == {kind}


def test_another_alias_of_the_language_is_recognized() -> None:
    text = "import triton.language as T\n\nx = T.load(p)\nnp.load(p)\n"

    assert kinds(text, "load") == {MEMORY, Name}


def test_plain_python_has_the_tokens_of_the_python_lexer() -> None:
    text = "import torch\n\n\n@torch.no_grad()\ndef f(x):\n    return [x.sum(0), max(x), 1.5]\n"
    changed = [
        (ours, theirs)
        for ours, theirs in zip(LEXER.get_tokens(text), PythonLexer().get_tokens(text), strict=True)
        if ours != theirs
    ]

    assert changed == [((Name.Decorator, "no_grad"), (Name, "no_grad"))]


@given(st.text(alphabet=st.sampled_from("tl.loadmsk@:()=_ptr \n\"'#é"), max_size=60))
def test_no_character_is_lost(text: str) -> None:
    parts = [value for _, _, value in LEXER.get_tokens_unprocessed(text)]

    assert "".join(parts) == text


def test_pygments_finds_the_lexer_by_its_name() -> None:
    assert type(get_lexer_by_name("triton")) is type(LEXER)
