"""Description of a pair: one English sentence in the imperative, from its Python code.

Recipes and Inductor's modules describe a function in its docstring, as a noun phrase and a chain of
operations: "Each element of a vector: the larger of it and bias, then the hard tanh." The rules
below rewrite such a docstring; a docstring that is an imperative sentence is kept.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from pathlib import PurePath

from curation.pairs.module_descriptions import MODULES
from curation.pairs.recipe_phrases import RULES

LONGEST = 400
PROPER = ("Mish", "Huber's")


def derive(
    *, origin: str, entry_point: str, operation_type: str, python_code: str, split_group: str,
    provenance: Mapping[str, str],
) -> str:  # fmt: skip
    """Return the description of a pair, or "" if its Python code does not parse."""
    try:
        tree = ast.parse(python_code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    if origin == "real-world" or split_group.startswith("operation:"):
        return _of_real_code(tree, entry_point, operation_type, split_group, provenance)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == entry_point:
            return from_docstring(ast.get_docstring(node) or "")
    return ""


def from_docstring(docstring: str) -> str:
    """Convert a recipe's or a module's docstring into an imperative sentence."""
    text = _american(" ".join(docstring.split()))
    if not text:
        return ""
    if text in MODULES:
        return MODULES[text]
    summary = text.rstrip(".")
    for pattern, sentence in RULES:
        match = re.fullmatch(pattern, summary)
        if match:
            return _capitalized(sentence(match)) + "."
    if VERB.match(text):
        return text
    first, rest = summary.split(" ", 1) if " " in summary else (summary, "")
    noun = first if first in PROPER or not first[1:].islower() else first.lower()
    return f"Compute {noun}{f' {rest}' if rest else ''}."


def _of_real_code(
    tree: ast.Module,
    entry_point: str,
    operation_type: str,
    split_group: str,
    provenance: Mapping[str, str],
) -> str:
    """Describe by the docstring of the function whose answer is returned; else by name."""
    returned = _returned_calls(tree, entry_point)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name in returned:
            text = (ast.get_docstring(node) or "").strip().split("\n\n")[0]
            sentence = re.split(r"(?<=[.!])\s", " ".join(text.split()))[0]
            if len(sentence) <= LONGEST and (said := _computation(sentence.rstrip("."))):
                return f"{said}."
    kind = f" ({operation_type})" if operation_type and operation_type != "other" else ""
    repository = public_name(provenance.get("repository", ""))
    if split_group.startswith("operation:") and repository:
        name = split_group.rpartition(":")[2]
        return f"Compute `{name}`{kind}, as its test in {repository} compares it."
    return f"Compute `{entry_point}`{kind}{f', from {repository}' if repository else ''}."


def _returned_calls(tree: ast.Module, entry_point: str) -> frozenset[str]:
    """Return the functions whose answer the entry point returns as it is."""
    return frozenset(
        each.value.func.id
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name == entry_point
        for each in ast.walk(node)
        if isinstance(each, ast.Return)
        and isinstance(each.value, ast.Call)
        and isinstance(each.value.func, ast.Name)
    )


def public_name(repository: str) -> str:
    """Return the public name of a repository. A folder's path must not be exported."""
    return f"local/{PurePath(repository).name}" if repository.startswith("/") else repository


def _computation(sentence: str) -> str:
    """Convert an author's sentence to the imperative. Return "" if it describes no computation."""
    if match := REFERENCE.fullmatch(sentence):
        return f"Compute {match['what']}"
    if match := COMPUTES.match(sentence):
        verb, rest = match[0], sentence[match.end() :]
        return f"{'Apply' if verb == 'Applies' else verb.rstrip('s')}{rest}"
    return ""


COMPUTES = re.compile(
    r"(?:Computes?|Calculates?|Apply|Applies|Performs?|Multiply|Normalizes?|Quantizes?|"
    r"Dequantizes?)(?=\s)"
)
REFERENCE = re.compile(
    r"(?i)(?:a |the )?(?:pure[- ])?(?:py)?torch (?:reference|implementation)(?: implementation)? "
    r"(?:for|of) (?P<what>.+)"
)
VERB = re.compile(
    r"(?:Accumulate|Add|Apply|Average|Blend|Bound|Cap|Clamp|Clip|Compute|Concatenate|Convert|"
    r"Convolve|Count|Dequantize|Divide|Find|Flip|Gate|Gather|Interpolate|Invert|Keep|Look|Map|Modulate|Move|"
    r"Multiply|Negate|Normalize|Pad|Quantize|Repeat|Reverse|Roll|Rotate|Sample|Scale|Select|Set|"
    r"Shift|Smooth|Sort|Square|Stack|Standardize|Subtract|Sum|Take|Transpose|Turn|Update|For|"
    r"Along|Over)\b"
)


def _american(text: str) -> str:
    return re.sub(
        r"(?i)(normal|quant|general|central|min|max)is(e|ed|es|ing|ation)\b", r"\1iz\2", text
    )


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]
