"""Seeding of random numbers that a test's helpers draw from other generators than torch's, and
initialization of memory that the author leaves uninitialized.

A case must give the same inputs in each process.
"""

from __future__ import annotations

import ast
import re

from curation.source.text import UNREADABLE, Edits

SEEDED = 'torch.manual_seed(case["seed"])'
GENERATORS = {"random": 'random.seed(case["seed"])', "np": 'np.random.seed(case["seed"])'}
EMPTY = {"empty": "zeros", "empty_like": "zeros_like", "new_empty": "new_zeros"}
FILLING = re.compile(r"(?!requires_grad_)\w+_")


def seed_helpers(text: str) -> str:
    """Return the text of `make_inputs` and its helpers, with seeds for other generators."""
    try:
        text = _filled(text)
        tree = ast.parse(text)
    except UNREADABLE:
        return text
    imported = {
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    for name, seeding in GENERATORS.items():
        draws = name == "random" or f"{name}.random." in text
        if name in imported and draws and seeding not in text:
            text = text.replace(SEEDED, f"{SEEDED}\n    {seeding}", 1)
    return text


def _filled(text: str) -> str:
    """Return the text without uninitialized tensors. Those that no method fills become zeros.
    Tensors of int8 become random: they are no indices, and an author may use them uninitialized.
    """
    if "empty" not in text:
        return text
    tree = ast.parse(text)
    edits = Edits(text)
    filled = {
        id(node.func.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if FILLING.fullmatch(node.func.attr)
    }
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=module, attr=attr) as func) if (
                attr in EMPTY and id(node) not in filled
            ):
                dtype = next((ast.unparse(k.value) for k in node.keywords if k.arg == "dtype"), "")
                of_torch = ast.unparse(module) == "torch"
                if attr == "empty" and of_torch and dtype == "torch.int8":
                    shape = node.args[0] if node.args else None
                    if isinstance(shape, ast.Tuple):
                        edits.put(func, "torch.randint")
                        edits.replace(edits.start(shape), edits.start(shape), "-128, 128, ")
                        continue
                edits.replace(edits.end(module), edits.end(func), f".{EMPTY[attr]}")
    return edits.text()
