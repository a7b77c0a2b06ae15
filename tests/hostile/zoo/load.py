"""Build the entries of the zoo and write them as a file, in the form of the dataset's pairs.

    python -m tests.hostile.zoo.load --write zoo.jsonl [--honest | --cheats] [--representatives]
                                     [--interpreter]

The file holds what a pair has and nothing of what is expected of an entry.
"""

import argparse
import ast
import hashlib
import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import validation.pairs
from tests.hostile.zoo.catalog import (
    PROGRAMS,
    Check,
    Danger,
    Edit,
    Kind,
    Needs,
    Variant,
    Verdict,
    load_kinds,
)

ZOO = Path(__file__).parent
PAIRS = Path(*validation.pairs.__path__) / "library"
# Pairs of the product's own library that are honest entries too, and whether they represent.
LIBRARY = {
    "adam-step": True, "conv1d": True, "conv2d": False, "cross-entropy": False, "dropout": False,
    "embedding": False, "fused-softmax": True, "group-norm": True, "int8-matmul": True,
    "layer-norm": False, "matmul": True, "paged-attention": False,
    "rotary-embedding": False, "scatter-add": False,
}  # fmt: skip
# The beginning of a file that imports nothing itself.
BEGINNINGS = {
    "python_code": "import torch\n",
    "triton_code": "import torch\nimport triton\nimport triton.language as tl\n",
    "test_code": """\
from python_code import {entry_point} as reference
from triton_code import {entry_point} as candidate

import pytest
import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
""",
}


def outcome(verdict: str, grades: Mapping[str, Any]) -> Verdict:
    """Return the outcome of an entry: its verdict, or the grade that qualifies a pass."""
    if verdict != Verdict.PASSED:
        return Verdict(verdict)
    if grades.get("computed_by") == "mixed":
        return Verdict.MIXED
    if grades.get("special_values") == "differ":
        return Verdict.DIFFERS
    noticed, _, all_kinds = str(grades.get("test_strength", "0 of 0")).partition(" of ")
    if noticed != all_kinds:
        return Verdict.WEAK
    if grades.get("sizes") != "any":
        return Verdict.NARROW
    return Verdict.UNVARIED if grades.get("unvaried") else Verdict.PASSED


@dataclass(frozen=True, slots=True)
class Code:
    python_code: str
    triton_code: str
    test_code: str


@dataclass(frozen=True, slots=True)
class Cheat:
    """What is known of an entry that the harness must find."""

    kind: str
    behavior: str
    expected: frozenset[Verdict]
    caught_by: frozenset[Check]
    passes_because: str
    harmless_because: str
    dangers: frozenset[Danger]
    represents_its_kind: bool


@dataclass(frozen=True, slots=True)
class Entry:
    name: str
    code: Code
    entry_point: str
    operation_type: str
    difficulty: str
    dtypes: tuple[str, ...]
    differentiable: bool
    needs: Needs = Needs.NOTHING
    reason: str = ""
    # Only an honest entry names itself so.
    representative: bool = False
    cheat: Cheat | None = None
    origin: str = "manual"

    @property
    def expected(self) -> frozenset[Verdict]:
        """The outcomes that are right. Few inputs do not accuse an entry that may pass."""
        own = self.cheat.expected if self.cheat else frozenset({Verdict.PASSED})
        return own | {Verdict.NARROW, Verdict.UNVARIED} if Verdict.PASSED in own else own

    @property
    def interpretable(self) -> bool:
        return self.needs is not Needs.GPU

    @property
    def dangerous(self) -> bool:
        return bool(self.cheat and self.cheat.dangers)

    @property
    def is_representative(self) -> bool:
        """Whether it runs by default: some honest entries, and one variant of each kind."""
        return self.cheat.represents_its_kind if self.cheat else self.representative

    def record(self) -> dict[str, Any]:
        texts = {field.name: getattr(self.code, field.name) for field in fields(Code)}
        content = hashlib.sha256("\0".join(texts.values()).encode()).hexdigest()
        return {
            "id": f"{self.name}-{content[:8]}",
            **texts,
            "metadata": {
                "operation_type": self.operation_type,
                "difficulty": self.difficulty,
                "tags": [],
                "entry_point": self.entry_point,
                "origin": self.origin,
                "differentiable": self.differentiable,
            },
        }


def zoo() -> tuple[Entry, ...]:
    """Return all entries: the honest ones, then the variants of each kind."""
    honest = [*map(_honest, _honest_folders()), *_library()]
    return (*honest, *_variants({entry.name: entry for entry in honest}))


def honest_entries() -> tuple[Entry, ...]:
    return tuple(entry for entry in zoo() if not entry.cheat)


def cheats() -> tuple[Entry, ...]:
    return tuple(entry for entry in zoo() if entry.cheat)


def _honest_folders() -> Iterator[Path]:
    return (path.parent for path in sorted((ZOO / "honest").glob("*/entry.toml")))


def _honest(folder: Path) -> Entry:
    about = tomllib.loads((folder / "entry.toml").read_text())
    about.pop("note", None)
    test = about.pop("test", "one_output")
    return Entry(
        name=folder.name,
        code=read_code(folder, about["entry_point"], test),
        dtypes=tuple(about.pop("dtypes")),
        differentiable=about.pop("differentiable", False),
        **about,
    )


def _library() -> Iterator[Entry]:
    for name, representative in LIBRARY.items():
        about = tomllib.loads((PAIRS / name / "pair.toml").read_text())
        texts = ((PAIRS / name / f"{text}.py").read_text() for text in BEGINNINGS)
        yield Entry(
            name=f"library.{name}",
            code=Code(*texts),
            entry_point=about["entry_point"],
            operation_type=about["operation_type"],
            difficulty="medium",
            dtypes=(),
            differentiable=about["differentiable"],
            representative=representative,
        )


def read_code(folder: Path, entry_point: str, test: str = "one_output") -> Code:
    """Return the three texts of an entry, each with its usual beginning and end.

    test: the name of the usual test that a text without any gets, of `programs/tests`.
    """
    texts = {}
    for name, beginning in BEGINNINGS.items():
        text = (folder / f"{name}.py").read_text()
        if not text.startswith(("import ", "from ")):
            lines = 2 if text.startswith(("def ", "class ", "@")) else name != "test_code"
            text = beginning.format(entry_point=entry_point) + "\n" * lines + text
        texts[name] = text
    if "def test_equivalence" not in texts["test_code"]:
        texts["test_code"] += "\n\n" + (PROGRAMS / "tests" / f"{test}.py").read_text()
    return Code(**texts)


def defined(source: str) -> set[str]:
    """Return the names that a text binds at its top."""
    names = set()
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return names


def _variants(honest: Mapping[str, Entry]) -> Iterator[Entry]:
    for kind in load_kinds():
        for variant in kind.variants:
            yield _variant(kind, variant, honest[variant.base])


def _variant(kind: Kind, variant: Variant, base: Entry) -> Entry:
    name, outcome = f"{kind.name}.{variant.name}", kind.outcome_of(variant)
    code = _edited(base.code, variant.edits, name)
    cheat = Cheat(
        kind=kind.name,
        behavior=" ".join(filter(None, (kind.behavior, variant.how))),
        expected=outcome.expected,
        caught_by=outcome.caught_by,
        passes_because=outcome.passes_because,
        harmless_because=kind.harmless_because,
        dangers=frozenset(variant.dangers),
        represents_its_kind=variant is kind.variants[0],
    )
    programs = [code.triton_code, *kind.programs(variant, base.entry_point)]
    return replace(
        base,
        name=name,
        code=replace(code, triton_code="\n\n".join(programs)),
        needs=variant.needs,
        reason=variant.needs_because,
        representative=False,
        cheat=cheat,
        origin=variant.origin,
    )


def _edited(code: Code, edits: Iterable[Edit], name: str) -> Code:
    for edit in edits:
        text: str = getattr(code, edit.file)
        count = text.count(edit.old)
        if count != 1:
            raise ValueError(f"{name}: {edit.old!r} stands {count} times in {edit.file}, not once.")
        code = replace(code, **{edit.file: text.replace(edit.old, edit.new)})
    return code


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", type=Path, required=True, metavar="FILE")
    half = parser.add_mutually_exclusive_group()
    half.add_argument("--honest", action="store_true", help="only the honest entries")
    half.add_argument("--cheats", action="store_true", help="only the variants of kinds of faults")
    parser.add_argument(
        "--representatives",
        action="store_true",
        help="some honest entries, and one variant of each kind of fault",
    )
    parser.add_argument("--interpreter", action="store_true", help="only what needs no GPU")
    arguments = parser.parse_args()

    chosen = honest_entries() if arguments.honest else cheats() if arguments.cheats else zoo()
    if arguments.representatives:
        chosen = tuple(entry for entry in chosen if entry.is_representative)
    if arguments.interpreter:
        chosen = tuple(entry for entry in chosen if entry.interpretable)
    lines = (json.dumps(entry.record(), ensure_ascii=False) + "\n" for entry in chosen)
    arguments.write.write_text("".join(lines))


if __name__ == "__main__":
    main()
