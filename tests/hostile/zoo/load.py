"""Reads the zoo and writes it as a file of entries, in the form of the dataset's pairs.

    python -m tests.hostile.zoo.load --write zoo.jsonl [--honest | --cheats] [--interpreter]

What is expected of an entry stays here: the file holds nothing that a pair would not have.
"""

import argparse
import hashlib
import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

ZOO = Path(__file__).parent
USUAL_BASE = "vector-add"


class Verdict(StrEnum):
    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    TIMEOUT = "timeout"
    CRASHED = "crashed"
    NOT_TRITON = "not_triton"
    VACUOUS = "vacuous"
    UNSUPPORTED = "unsupported"
    # Passed, but with a grade that says what is the matter.
    MIXED = "mixed"
    DIFFERS = "differs"
    WEAK = "weak"


def outcome(verdict: str, grades: Mapping[str, Any]) -> Verdict:
    """Return what came of an entry: its verdict, or the grade that qualifies a pass."""
    if verdict != Verdict.PASSED:
        return Verdict(verdict)
    if grades.get("computed_by") == "mixed":
        return Verdict.MIXED
    if grades.get("special_values") == "differ":
        return Verdict.DIFFERS
    noticed, _, all_kinds = str(grades.get("test_strength", "0 of 0")).partition(" of ")
    return Verdict.PASSED if noticed == all_kinds else Verdict.WEAK


class Check(StrEnum):
    """Families of checks, any of which may be the one that catches a cheat."""

    CONTRACT = "contract"
    OWN_TEST = "own-test"
    VALUES = "values"
    VARIATIONS = "variations"
    MEMORY = "memory"
    REPEATABILITY = "repeatability"
    KERNEL_MATTERS = "kernel-matters"
    TEST_CAN_FAIL = "test-can-fail"
    BOUNDS = "bounds"
    GRADIENTS = "gradients"
    CONTAINMENT = "containment"


class Needs(StrEnum):
    """The device that is needed to see that an entry is a cheat."""

    NOTHING = "nothing"
    GPU = "gpu"
    # Or compute-sanitizer, on a GPU.
    INTERPRETER = "interpreter"


class Danger(StrEnum):
    """Effects of an entry on a machine that does not confine it."""

    HANGS = "hangs"
    FORKS = "forks"
    MEMORY = "memory"
    DISK = "disk"
    KILLS = "kills"


@dataclass(frozen=True, slots=True)
class Code:
    python_code: str
    triton_code: str
    test_code: str

    def write(self, folder: Path) -> None:
        """As a stranger would: three files in an empty folder."""
        for field in fields(self):
            (folder / f"{field.name}.py").write_text(getattr(self, field.name))


@dataclass(frozen=True, slots=True)
class Cheat:
    does: str
    expected: frozenset[Verdict]
    caught_by: frozenset[Check]
    # Why a verdict of passed is fair too, for what is right and only leaves something behind.
    contained: str
    dangers: frozenset[Danger]


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
    cheat: Cheat | None = None

    @property
    def expected(self) -> frozenset[Verdict]:
        return self.cheat.expected if self.cheat else frozenset({Verdict.PASSED})

    @property
    def interpretable(self) -> bool:
        return self.needs is not Needs.GPU

    @property
    def dangerous(self) -> bool:
        return bool(self.cheat and self.cheat.dangers)

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
                "origin": "manual",
                "differentiable": self.differentiable,
            },
        }


def zoo() -> tuple[Entry, ...]:
    """All entries, the honest ones first, each kind in the order of its names."""
    honest = {folder.name: _honest(folder) for folder in _folders("honest")}
    cheats = (_cheat(folder, honest) for folder in _folders("cheats"))
    return (*honest.values(), *cheats)


def honest_entries() -> tuple[Entry, ...]:
    return tuple(entry for entry in zoo() if not entry.cheat)


def cheats() -> tuple[Entry, ...]:
    return tuple(entry for entry in zoo() if entry.cheat)


def _folders(kind: str) -> Iterator[Path]:
    return (path.parent for path in sorted((ZOO / kind).glob("*/entry.toml")))


def _honest(folder: Path) -> Entry:
    about = tomllib.loads((folder / "entry.toml").read_text())
    about.pop("note", None)
    texts = {field.name: (folder / f"{field.name}.py").read_text() for field in fields(Code)}
    return Entry(
        name=folder.name,
        code=Code(**texts),
        dtypes=tuple(about.pop("dtypes")),
        differentiable=about.pop("differentiable", False),
        **about,
    )


def _cheat(folder: Path, honest: Mapping[str, Entry]) -> Entry:
    about = tomllib.loads((folder / "entry.toml").read_text())
    base = honest[about.pop("base", USUAL_BASE)]
    code = _edited(base.code, about.pop("edits", []), folder, about.pop("prelude", ""))
    needs, reason = Needs(about.pop("needs", Needs.NOTHING)), about.pop("reason", "")
    cheat = Cheat(
        does=about.pop("does"),
        expected=frozenset(map(Verdict, about.pop("expected"))),
        caught_by=frozenset(map(Check, about.pop("caught_by"))),
        contained=about.pop("contained", ""),
        dangers=frozenset(map(Danger, about.pop("dangers", []))),
    )
    if about:
        raise ValueError(f"{folder.name}/entry.toml says what nobody reads: {', '.join(about)}.")
    return replace(base, name=folder.name, code=code, needs=needs, reason=reason, cheat=cheat)


def _edited(code: Code, edits: Iterable[Mapping[str, str]], folder: Path, prelude: str) -> Code:
    texts = {field.name: getattr(code, field.name) for field in fields(Code)}
    for edit in edits:
        file, old = edit["file"], edit["old"]
        if texts[file].count(old) != 1:
            count = texts[file].count(old)
            raise ValueError(f"{folder.name}: {old!r} stands {count} times in {file}, not once.")
        texts[file] = texts[file].replace(old, edit["new"])
    if prelude:
        texts["triton_code"] += "\n\n" + (ZOO / "cheats" / "preludes" / f"{prelude}.py").read_text()
    for file in texts:
        appended = folder / f"{file}.append.py"
        if appended.exists():
            texts[file] += "\n\n" + appended.read_text()
    return Code(**texts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", type=Path, required=True, metavar="FILE")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--honest", action="store_true", help="only the honest entries")
    kind.add_argument("--cheats", action="store_true", help="only the cheats")
    parser.add_argument("--interpreter", action="store_true", help="only what needs no GPU")
    arguments = parser.parse_args()

    chosen = honest_entries() if arguments.honest else cheats() if arguments.cheats else zoo()
    if arguments.interpreter:
        chosen = tuple(entry for entry in chosen if entry.interpretable)
    lines = (json.dumps(entry.record(), ensure_ascii=False) + "\n" for entry in chosen)
    arguments.write.write_text("".join(lines))


if __name__ == "__main__":
    main()
