"""Description of a pair: one English sentence in the imperative, from its Python code.

For recipes, ladders and Inductor's modules, it is the docstring of the Python function.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from pathlib import PurePath

LONGEST = 400


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
            return " ".join((ast.get_docstring(node) or "").split())
    return ""


def _of_real_code(
    tree: ast.Module,
    entry_point: str,
    operation_type: str,
    split_group: str,
    provenance: Mapping[str, str],
) -> str:
    """Describe a pair by the docstring of the function that computes its result, or by name."""
    # Functions whose result the entry point returns unchanged.
    returned = {
        each.value.func.id
        for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name == entry_point
        for each in ast.walk(node)
        if isinstance(each, ast.Return)
        and isinstance(each.value, ast.Call)
        and isinstance(each.value.func, ast.Name)
    }
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


def public_name(repository: str) -> str:
    """Return a repository's name for exports, which must not contain the path of a local folder."""
    return f"local/{PurePath(repository).name}" if repository.startswith("/") else repository


def _computation(sentence: str) -> str:
    """Put an author's sentence into the imperative. Return "" if it describes no computation."""
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
