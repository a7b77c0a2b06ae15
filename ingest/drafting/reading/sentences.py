"""Sentences about what an operation computes, from the author or from a vocabulary."""

from __future__ import annotations

import ast
import re
import textwrap
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from curation.source.text import UNREADABLE
from ingest.drafting.reading.naming import plain_name

VOCABULARY = Path(__file__).resolve().with_name("vocabulary.toml")
LONGEST = 90
# A sentence of a docstring that starts with a capitalized word and is not a list of arguments.
SENTENCE = re.compile(r"[A-Z][a-z]+ [^\n:]{8,}?(?=[.:]?\s*$|\. )")
# Verbs for operations. Others begin sentences about the implementation: "Launch the kernel".
VERBS = re.findall(
    r"\w+",
    "Accumulate Add Append Apply Build Calculate Cast Clip Compute Concatenate Convert Copy Count"
    " Dequantize Divide Extract Fill Fuse Gather Implement Interleave Mask Merge Multiply Normalize"
    " Pack Pad Perform Permute Quantize Reduce Rewind Rotate Run Scale Scatter Select Sort Split"
    " Subtract Sum Transform Transpose Unpack Update Verify",
)
IMPERATIVE = {re.sub(r"(?<=[^aeiou])y$", "ie", verb) + "s": verb for verb in VERBS}
# Words in an author's sentence that a reader who sees only the pair does not understand.
FOREIGN = re.compile(
    r"\b(varlen version|see |this |these |same as|torchtitan|wrapper|unlike|standalone)", re.I
)
# Mentions of a language. Both sides get the same sentence, so it must not name a language.
OF_A_LANGUAGE = re.compile(
    r",?\s*(?:\b|(?<=[a-z]))(using|in|with|via) (a |the )?(plain |pure |native )?"
    r"(PyTorch|torch|Triton)( kernels?| operations| ops)?\b(?! function| \w+ kernels)",
    re.I,
)
# Words about how it is computed. PyTorch does it otherwise, and copies are not changed in place.
MANNER = re.compile(
    r",? in[ -]place\b|,? (in|with) (one|a single) (fused )?(kernel|launch)\b", re.I
)
GRADIENTS = re.compile(r"_(bwd|backward)$")


def first_sentence(source: str) -> str:
    """Return the first sentence of a definition's docstring, put into the imperative. Return "" if
    it has no known verb or needs the rest of its file to be understood.
    """
    return next(_sentences(source), "")


def find_sentence(source: str) -> str:
    """Return a sentence of a definition's docstring about what is computed, or ""."""
    return next(_sentences(source, first=False), "")


def _sentences(source: str, *, first: bool = True) -> Iterator[str]:
    try:
        node = ast.parse(textwrap.dedent(source)).body[0]
    except (*UNREADABLE, IndexError):
        return
    text = ast.get_docstring(node) if isinstance(node, ast.FunctionDef | ast.ClassDef) else None
    paragraphs = (text or "").split("\n\n")[: 1 if first else 2]
    for paragraph in paragraphs:
        line = " ".join(paragraph.split())
        for part in [line] if first else re.split(r"(?<=\.)\s+(?=[A-Z])", line):
            if sentence := _imperative(part):
                yield sentence


def _imperative(text: str) -> str:
    sentence = SENTENCE.match(text)
    if sentence is None or len(sentence[0]) > LONGEST or '"' in sentence[0] or "\\" in sentence[0]:
        return ""
    first, _, rest = sentence[0].partition(" ")
    if first not in IMPERATIVE and first not in VERBS:
        return ""
    if FOREIGN.search(sentence[0]):
        return ""
    return without_language(f"{IMPERATIVE.get(first, first)} {rest.rstrip('.')}.")


def without_language(sentence: str) -> str:
    """Return a sentence without the words that name PyTorch or Triton, or how it is computed."""
    return MANNER.sub("", OF_A_LANGUAGE.sub("", sentence))


def describe_names(names: Iterable[str]) -> str:
    """Return the vocabulary's sentence for the first of the names that it knows, or ""."""
    plain = list(dict.fromkeys(map(plain_name, names)))
    known = _vocabulary()["operations"]
    sentences = (known.get(name, "") for name in plain)
    return next(filter(None, (*sentences, *map(_compose, plain))), "")


def _compose(name: str) -> str:
    """Compose a sentence from a name such as `chunk_gated_delta_rule`, or return ""."""
    gradients = GRADIENTS.search(name)
    rest = GRADIENTS.sub("", name)
    manner = ""
    for word, phrase in _vocabulary()["manners"].items():
        if rest.startswith(f"{word}_"):
            rest, manner = rest.removeprefix(f"{word}_"), phrase
        elif rest.endswith(f"_{word}"):
            rest, manner = rest.removesuffix(f"_{word}"), phrase
    subject = _vocabulary()["subjects"].get(rest.removesuffix("_fwd"))
    if subject is None:
        return ""
    what = f"the gradients of {subject}" if gradients else subject
    return f"Compute {what} {manner}".rstrip() + "."


@cache
def _vocabulary() -> dict[str, dict[str, str]]:
    return tomllib.loads(VOCABULARY.read_text())
