"""Share of small faults in the most important code that the tests notice.

python -m benchmarks.measure_mutations CHECKOUT [--mutations 200] [--seed 7]

CHECKOUT is a copy of the repository for this use only: the program edits and restores its files. A
mutation changes one comparison, condition, number, operator or returned value. It is noticed if a
test of its room fails or does not end. Prints each unnoticed mutation, and the share of each room.
"""

import argparse
import ast
import copy
import random
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

# The files that are changed, and the tests that must notice it.
ROOMS = {
    "judge": ("validation/harness/judge/*.py", "tests/validation/harness/judge"),
    "licenses": ("ingest/licenses/*.py", "tests/ingest/licenses"),
    "closure": ("ingest/extract/{closure,isolate,resolve,scopes}.py", "tests/ingest/extract"),
    "gates": ("curation/export/gates.py", "tests/curation/export/test_gates.py"),
    "decide": ("curation/decisions/decide.py", "tests/curation/decisions"),
}
SECONDS = 240
COMPARISONS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
OPERATORS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--mutations", type=int, default=200)
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    drawn = random.Random(arguments.seed)  # noqa: S311
    noticed: dict[str, list[bool]] = defaultdict(list)
    for room, (files, tests) in ROOMS.items():
        every = list(mutations(arguments.checkout, files))
        for path, number, line in drawn.sample(every, arguments.mutations // len(ROOMS)):
            text = mutated(path, number)
            noticed[room].append(is_noticed(arguments.checkout, path, text, tests))
            if not noticed[room][-1]:
                print(f"not noticed: {path}:{line}", flush=True)
        print(f"{room}: {sum(noticed[room])} of {len(noticed[room])} noticed", flush=True)
    every_one = [each for room in noticed.values() for each in room]
    print(f"all: {sum(every_one)} of {len(every_one)} noticed")


def mutations(checkout: Path, files: str) -> Iterator[tuple[Path, int, int]]:
    """Yield each possible mutation: the file, the number of the node in it, and its line."""
    for path in sorted(expanded(checkout, files)):
        for number, node in enumerate(ast.walk(ast.parse(path.read_text()))):
            if change(copy.copy(node)):
                yield path, number, getattr(node, "lineno", 0)


def mutated(path: Path, number: int) -> str:
    tree = ast.parse(path.read_text())
    change(next(node for n, node in enumerate(ast.walk(tree)) if n == number))
    return ast.unparse(tree)


def expanded(checkout: Path, files: str) -> Iterator[Path]:
    head, _, rest = files.partition("{")
    if not rest:
        yield from checkout.glob(files)
        return
    names, _, tail = rest.partition("}")
    for name in names.split(","):
        yield from checkout.glob(head + name + tail)


def change(node: ast.AST) -> bool:
    """Change this node in place, if it is of a kind that is changed."""
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in COMPARISONS:
            node.ops = [COMPARISONS[type(operator)]()]
        case ast.BoolOp():
            node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        case ast.If() | ast.IfExp():
            node.test = ast.UnaryOp(ast.Not(), node.test)
        case ast.BinOp(op=operator) if type(operator) in OPERATORS:
            node.op = OPERATORS[type(operator)]()
        case ast.Constant(value=bool() as value):
            node.value = not value
        case ast.Constant(value=int() | float() as value):
            node.value = value + 1
        case ast.Return(value=ast.expr()):
            node.value = ast.Constant(None)
        case _:
            return False
    return True


def is_noticed(checkout: Path, path: Path, text: str, tests: str) -> bool:
    original = path.read_text()
    path.write_text(text)
    try:
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-x",
            "-n",
            "0",
            "-p",
            "no:randomly",
            tests,
        ]
        return (
            subprocess.run(command, cwd=checkout, capture_output=True, timeout=SECONDS).returncode
            != 0
        )
    except subprocess.TimeoutExpired:
        return True
    finally:
        path.write_text(original)


if __name__ == "__main__":
    main()
