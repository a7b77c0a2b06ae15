"""Share of the Triton side's lines that no case reaches, before and after drafts are observed."""

import argparse
import ast
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from benchmarks.mirrors import python_files
from curation.source.functions import is_docstring, loaded_names, stored_names
from curation.source.text import parse, walk
from ingest.drafting import DraftOutcome, draft
from ingest.extract import MemoryTree
from ingest.simplified_drafts import simplified
from validation.harness.pool.questions import Workers
from validation.observing.edits import Observed
from validation.observing.instrument import inside_kernels, is_kernel
from validation.observing.outcomes import branch_outcomes
from validation.observing.simplify import SECONDS, WORKER, Simplifier, simplifier

KINDS = ("host", "kernel")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, help="bare git folders")
    for folder in parser.parse_args().folders:
        before = [each for each in draft(MemoryTree(python_files(folder))) if each.missing is None]
        with simplifier() as simplify:
            after = simplified(before, simplify)
        for name, outcomes in (("before", before), ("after", after)):
            count = measure(outcomes)
            shares = [f"{count[kind, 'cold']} of {count[kind]} {kind} lines" for kind in KINDS]
            print(f"{folder} {name}: {count['drafts']} drafts, not reached: {' and '.join(shares)}")


def measure(outcomes: Iterable[DraftOutcome]) -> Counter[object]:
    count = Counter[object]()
    with Workers(WORKER, seconds=SECONDS) as workers:
        for made in (each.draft for each in outcomes if each.draft and each.missing is None):
            run = Simplifier(workers, made.entry_point, differentiable=made.differentiable)
            if (seen := run.observe(asdict(made.texts))) is not None:
                count += count_lines(made.texts.triton_code, seen)
    return count


def count_lines(text: str, seen: Observed) -> Counter[object]:
    """Count lines. The constants of launches decide which branches of kernels are reached."""
    tree, count = parse(text), Counter[object]({"drafts": 1})
    launched, kernels = _used(tree, {*seen["launches"]}), inside_kernels(tree)
    outcomes, ran = branch_outcomes("triton_code", text, seen), seen["values"]["triton_code"]
    for kind in KINDS:
        code, cold = set[int](), set[int]()
        for node in (each for each in walk(tree) if (each in kernels) is (kind == "kernel")):
            if isinstance(node, ast.FunctionDef):
                lines = _lines([each for each in node.body if not is_docstring(each)])
                reached = node.name in launched if is_kernel(node) else node.lineno in ran
                code, cold = code | lines, cold | (set() if reached else lines)
            elif isinstance(node, ast.If) and node in outcomes:
                cold |= set() if True in outcomes[node] else _lines(node.body)
                cold |= set() if False in outcomes[node] else _lines(node.orelse)
        count += Counter({kind: len(code), (kind, "cold"): len(cold & code)})
    return count


def _used(tree: ast.Module, names: set[str]) -> set[str]:
    """Return the names of kernels, and of all that these use, even indirectly."""
    more = {each for node in tree.body if stored_names(node) & names for each in loaded_names(node)}
    return names if more <= names else _used(tree, names | more)


def _lines(block: list[ast.stmt]) -> set[int]:
    return {n for each in block for n in range(each.lineno, (each.end_lineno or each.lineno) + 1)}


if __name__ == "__main__":
    main()
