"""Lines of the harness that a verdict rests on, counted by following imports.

They run where no code of an entry's Triton side does: the judging process, the processes that play
recorded programs and the one that runs the reference. The others run beside the entry's code.

    python -m benchmarks.count_trusted_lines
"""

import argparse
import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import validation.harness

PACKAGE = "validation.harness"
FOLDER = Path(validation.harness.__path__[0])
# The command, and the roles of the processes named above.
TRUSTED = (
    "__main__",
    "replayer.role",
    "replayer.compiling",
    "worker.child",
    "worker.reference",
    "worker.server",
)


def main() -> None:
    argparse.ArgumentParser(description=str(__doc__).partition("\n")[0]).parse_args()
    trusted = imported(f"{PACKAGE}.{name}" for name in TRUSTED)
    lines = {name: len(file(name).read_text().splitlines()) for name in modules()}
    for name in sorted(trusted):
        sys.stdout.write(f"{lines[name]:7,}  {name}\n")
    total = sum(lines[name] for name in trusted)
    sys.stdout.write(f"{total:7,}  of {sum(lines.values()):,} lines of the harness\n")


def imported(roots: Iterator[str]) -> set[str]:
    """Return the modules of the harness that the roots import, directly or through others."""
    waiting, reached = list(roots), set[str]()
    while waiting:
        name = waiting.pop()
        if name not in reached and file(name).exists():
            reached.add(name)
            waiting += imports(ast.parse(file(name).read_text()))
    return reached


def imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PACKAGE):
            yield str(node.module)
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def modules() -> Iterator[str]:
    for path in sorted(FOLDER.rglob("*.py")):
        parts = path.relative_to(FOLDER).with_suffix("").parts
        yield ".".join((PACKAGE, *(part for part in parts if part != "__init__")))


def file(module: str) -> Path:
    """Return the file of a module of the harness. It need not exist."""
    path = FOLDER.joinpath(*module.removeprefix(PACKAGE).split(".")[1:])
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


if __name__ == "__main__":
    main()
