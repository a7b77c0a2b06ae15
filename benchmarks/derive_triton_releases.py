"""Derive `curation/pairs/triton_releases.json`: the Triton release that first has each name.

For each release that `RELEASES` in that file lists, download the wheel and unpack its sources:

    pip download --no-deps triton==3.4.0
    unzip triton-3.4.0-*.whl 'triton/*.py' -d releases/3.4.0

Then run `python benchmarks/derive_triton_releases.py releases > triton_releases.json`.
The sources are parsed, not imported. The oldest release gives the floor: its names are left out.
"""

import ast
import json
import sys
from collections.abc import Iterator
from pathlib import Path

MODULES = (
    "triton",
    "triton.language",
    "triton.language.math",
    "triton.language.extra",
    "triton.language.target_info",
    "triton.tools.experimental_descriptor",
    "triton.tools.mxfp",
    "triton.tools.ragged_tma",
    "triton.tools.tensor_descriptor",
    "triton.experimental",
)
WITH_SUBMODULES = ("triton.language.extra", "triton.experimental")
"""Together: the modules that kernels import from."""

Definition = ast.FunctionDef | ast.ClassDef


class Release:
    """The sources of one release."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._trees: dict[str, ast.Module | None] = {}

    def names(self) -> set[str]:
        """Dotted names; `name()` where a function or class is defined, and `name(parameter)`."""
        return {name for module in self._modules() for name in self._names(module)}

    def _modules(self) -> Iterator[str]:
        yield from MODULES
        for package in WITH_SUBMODULES:
            for path in sorted((self._root / package.replace(".", "/")).rglob("*.py")):
                parts = path.relative_to(self._root).with_suffix("").parts
                if not any(part.startswith("_") for part in parts):
                    yield ".".join(parts)
                elif parts[-1] == "__init__":
                    yield ".".join(parts[:-1])

    def _names(self, module: str) -> Iterator[str]:
        tree = self._tree(module)
        if tree is None:
            return
        yield module
        for name in self._bound(module, tree):
            if name.startswith("_") and not name.startswith("_experimental"):
                continue
            yield f"{module}.{name}"
            definition = self._definition(module, name)
            if definition is not None:
                yield f"{module}.{name}()"
                yield from (f"{module}.{name}({p})" for p in _parameters(definition))

    def _bound(self, module: str, tree: ast.Module) -> Iterator[str]:
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and (node.level or _is_ours(node.module)):
                for alias in node.names:
                    star = self._tree(self._absolute(module, node)) if alias.name == "*" else None
                    if star is not None:
                        yield from self._bound(self._absolute(module, node), star)
                    if star is None:
                        yield alias.asname or alias.name
            elif isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.List):
                # Gluon 3.4 binds the names in such a list with `globals()[name] = ...`.
                constants = (n.value for n in node.value.elts if isinstance(n, ast.Constant))
                yield from (name for name in constants if isinstance(name, str))
            elif isinstance(node, Definition):
                yield node.name
            elif isinstance(node, ast.Assign):
                yield from (t.id for t in node.targets if isinstance(t, ast.Name))

    def _definition(self, module: str, name: str, depth: int = 0) -> Definition | None:
        """The function or class that a module's name is bound to, through re-exports."""
        tree = self._tree(module)
        if tree is None or depth > 8:
            return None
        for node in reversed(tree.body):
            if isinstance(node, Definition) and node.name == name:
                return node
            if isinstance(node, ast.ImportFrom):
                origin = self._absolute(module, node)
                for alias in node.names:
                    if (alias.asname or alias.name) in (name, "*"):
                        original = name if alias.name == "*" else alias.name
                        if found := self._definition(origin, original, depth + 1):
                            return found
        return None

    def _absolute(self, module: str, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        is_package = (self._root / module.replace(".", "/") / "__init__.py").exists()
        parts = module.split(".")
        kept = parts[: len(parts) - node.level + is_package]
        return ".".join([*kept, *((node.module,) if node.module else ())])

    def _tree(self, module: str) -> ast.Module | None:
        if module not in self._trees:
            path = self._root / module.replace(".", "/")
            file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
            self._trees[module] = ast.parse(file.read_text()) if file.exists() else None
        return self._trees[module]


def _is_ours(module: str | None) -> bool:
    return (module or "").partition(".")[0] == "triton"


def _parameters(definition: Definition) -> Iterator[str]:
    if isinstance(definition, ast.ClassDef):
        made = [n for n in definition.body if isinstance(n, ast.FunctionDef)]
        initializers = [n for n in made if n.name == "__init__"]
        if not initializers:
            return
        definition = initializers[0]
    arguments = definition.args
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        if not argument.arg.startswith("_") and argument.arg != "self":
            yield argument.arg


def derive(folder: Path) -> dict[str, object]:
    roots = sorted(folder.iterdir(), key=lambda path: _numbers(path.name))
    floor, *later = [root for root in roots if (root / "triton").is_dir()]
    known = Release(floor).names()
    first: dict[str, str] = {}
    for root in later:
        new = Release(root).names() - known
        known |= new
        first |= dict.fromkeys(new, _short(root.name))
        # Parameters of a function that was bound before, but where no definition was found.
        hidden = {
            name
            for name in new
            if "(" in name and (bare := name.partition("(")[0]) not in new and f"{bare}()" in new
        }
        first = {name: release for name, release in first.items() if name not in hidden}
    # A name as new as its module or its function needs no row of its own.
    rows = {
        name: release
        for name, release in first.items()
        if not name.endswith("()") and not any(first.get(part) == release for part in _within(name))
    }
    return {"releases": [_short(root.name) for root in (floor, *later)], "first": rows}


def _within(name: str) -> Iterator[str]:
    function, _, parameter = name.partition("(")
    parts = function.split(".")
    yield from (".".join(parts[:length]) for length in range(1, len(parts)))
    if parameter:
        yield function


def _numbers(name: str) -> list[int]:
    return [int(part) if part.isdigit() else -1 for part in name.split(".")]


def _short(release: str) -> str:
    return ".".join(release.split(".")[:2])


if __name__ == "__main__":
    json.dump(derive(Path(sys.argv[1])), sys.stdout, indent=1, sort_keys=True)
    print()
