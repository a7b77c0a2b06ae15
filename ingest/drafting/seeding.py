"""Seeding of random numbers that the helpers of a test draw outside of torch's own generator.

A case must give the same inputs in each process.
"""

from __future__ import annotations

import ast
import re

from ingest.drafting.edits import UNREADABLE, Edits

SEEDED = 'torch.manual_seed(case["seed"])'
GENERATORS = {"random": 'random.seed(case["seed"])', "np": 'np.random.seed(case["seed"])'}
DRAWS = re.compile(r"\btorch\.(rand|randn|randint|randperm|normal|bernoulli)\w*\(")


def seed_helpers(text: str) -> str:
    """Return the text of `make_inputs` and its helpers with a seed for Python's generator, and one
    before constants that torch draws when the module is read.
    """
    try:
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
    tree = ast.parse(text)
    drawn = [
        node
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign) and DRAWS.search(ast.unparse(node))
    ]
    if not drawn:
        return text
    edits = Edits(text)
    start = edits.start(drawn[0])
    edits.replace(start, start, "torch.manual_seed(0)\n")
    return edits.text()
