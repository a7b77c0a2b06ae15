"""Entries for the comparison of evaluators, drawn by a seed and written as each of them takes them.

Only faults that give a wrong or a fake answer are drawn. A fake answer has right values that
Triton did not compute. Each entry returns one tensor, because KernelBench compares only that.
"""

import ast
import importlib.util
import json
import shutil
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

import torch

from tests.hostile.pairs.load import load_pairs
from tests.hostile.zoo.catalog import Needs, Verdict, load_kinds
from tests.hostile.zoo.load import Code, zoo

SEED = 20261127
FAKE = {"not_by_triton", "refused_by_triton"}
TOPICS = {"wrong_values", "wrong_only_elsewhere", "right_only_when_shown", "memory", *FAKE}
# Their answer is right: the fault is an access, a gradient or a changed input. No other evaluator
# looks at these. The last kind recognizes only the harness and pytest.
LEFT_OUT = {
    "reads-beyond-its-input", "writes-beyond-its-output", "writes-far-away",
    "changes-its-input", "returns-its-input", "wrong-gradient", "autograd-computes",
    "right-only-where-it-is-judged",
}  # fmt: skip
# An entry that may pass with a grade is no clear fault.
PASSES = {
    Verdict.PASSED, Verdict.MIXED, Verdict.DIFFERS, Verdict.WEAK, Verdict.NARROW, Verdict.UNVARIED,
}  # fmt: skip
PRECISIONS = {torch.float16: "fp16", torch.bfloat16: "bf16"}
EIGHT_BITS = {torch.float8_e4m3fn, torch.float8_e5m2}

REFERENCE = """

import os

import torch
from entry_inputs import random_inputs


class Model(torch.nn.Module):
    def forward(self, arguments):
        return {entry_point}(*arguments)


def get_inputs():
    # One list: KernelBench would turn a tensor of whole numbers into one of fractions.
    return [random_inputs({case}, os.environ["INPUTS_ON"])]


def get_init_inputs():
    return []
"""
CANDIDATE = """

import torch


class ModelNew(torch.nn.Module):
    def forward(self, arguments):
        return {entry_point}(*arguments)
"""
INPUTS = """

import torch


def random_inputs(number, device):
    case = dict(CASES[number])
    if "seed" in case:
        case["seed"] = int(torch.randint(2**31, ()))
    return list(make_inputs(case, device))
"""


@dataclass(frozen=True, slots=True)
class Item:
    """A drawn entry. KernelBench gets one `case`, and `precision` as its word for the type."""

    name: str
    fault: str
    entry_point: str
    case: int
    precision: str


@dataclass(frozen=True, slots=True)
class Source:
    """An entry that may be drawn. `fault` is empty, `wrong` or `fake`."""

    name: str
    fault: str
    entry_point: str
    code: Code
    record: dict[str, Any]


def prepare(folder: Path, kernelbench: Path, backendbench: Path, of_each: int = 50) -> None:
    """Write `of_each` honest and as many faulty entries, and the Python files of both clones."""
    shutil.rmtree(folder, ignore_errors=True)
    for package in (kernelbench / "src/kernelbench", backendbench / "BackendBench"):
        shutil.copytree(package, folder / "evaluators" / package.name, ignore=_all_but_python)
    sources = [*_of_the_zoo(), *_of_the_pairs()]
    drawn: dict[bool, list[tuple[Item, Source]]] = {True: [], False: []}
    random = Random(SEED)  # noqa: S311 - a draw, no secret
    for source in random.sample(sources, len(sources)):
        items = drawn[bool(source.fault)]
        if len(items) < of_each and (item := _write(source, folder)):
            items.append((item, source))
    # Alternate, so that the first ones of the file are half honest, half faulty.
    pairs = [pair for both in zip(drawn[False], drawn[True], strict=True) for pair in both]
    _write_lines(folder / "items.jsonl", [asdict(item) for item, _ in pairs])
    _write_lines(folder / "records.jsonl", [source.record for _, source in pairs])
    print(f"{len(pairs)} entries of {len(sources)} in {folder}, seed {SEED}")


def load(path: Path) -> ModuleType:
    """Import a file by its path, under its own name."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def _of_the_zoo() -> list[Source]:
    topics = {kind.name: kind.topic for kind in load_kinds()}
    sources = []
    for entry in zoo():
        fault = ""
        if cheat := entry.cheat:
            topic = topics[cheat.kind]
            clear = topic in TOPICS and cheat.kind not in LEFT_OUT and not entry.expected & PASSES
            if not clear or entry.dangerous:
                continue
            fault = "fake" if topic in FAKE else "wrong"
        if entry.needs is not Needs.INTERPRETER:
            record = entry.record()
            sources.append(Source(entry.name, fault, entry.entry_point, entry.code, record))
    return sources


def _of_the_pairs() -> list[Source]:
    sources = []
    for pair in load_pairs():
        unclear = pair.fault and (pair.name in LEFT_OUT or pair.expected & PASSES)
        if not unclear and "mutates" not in pair.metadata:
            fault = "wrong" if pair.fault else ""
            sources.append(
                Source(pair.name, fault, pair.entry.entry_point, pair.entry.code, pair.record())
            )
    return sources


def _write(source: Source, folder: Path) -> Item | None:
    """Write an entry as each evaluator takes it. Return None if its answer is not one tensor."""
    target = folder / "entries" / source.name
    target.mkdir(parents=True)
    code = source.code
    (target / "python_code.py").write_text(code.python_code)
    (target / "triton_code.py").write_text(code.triton_code)
    (target / "entry_inputs.py").write_text(_inputs_alone(code.test_code) + INPUTS)
    item = _examine(source, target)
    if item is None:
        shutil.rmtree(target)
        return None
    words = {"entry_point": source.entry_point, "case": item.case}
    (target / "reference.py").write_text(code.python_code + REFERENCE.format(**words))
    (target / "candidate.py").write_text(code.triton_code + CANDIDATE.format(**words))
    return item


def _inputs_alone(test_code: str) -> str:
    """Return test_code without its tests and without the import of the Triton side."""
    tree = ast.parse(test_code)
    tree.body = [
        statement
        for statement in tree.body
        if not (isinstance(statement, ast.ImportFrom) and statement.module == "triton_code")
        and not (isinstance(statement, ast.FunctionDef) and statement.name.startswith("test_"))
    ]
    return ast.unparse(tree) + "\n"


def _examine(source: Source, target: Path) -> Item | None:
    """Run the Python side on the CPU, to find its largest case that KernelBench can compare."""
    python_side, inputs = load(target / "python_code.py"), load(target / "entry_inputs.py")
    made = [inputs.make_inputs(case, "cpu") for case in inputs.CASES]
    if any(isinstance(arguments, dict) for arguments in made):
        # The other evaluators call by position.
        return None
    tensors = [_tensors(arguments) for arguments in made]
    sizes = [sum(tensor.nbytes for tensor in some) for some in tensors]
    for case in sorted(range(len(sizes)), key=sizes.__getitem__, reverse=True):
        answer = getattr(python_side, source.entry_point)(*inputs.random_inputs(case, "cpu"))
        types = {tensor.dtype for tensor in (*tensors[case], *_tensors(answer))}
        # torch.allclose, which KernelBench calls, knows no type of eight bits and no equal NaN.
        if isinstance(answer, torch.Tensor) and not types & EIGHT_BITS and not answer.isnan().any():
            precision = next((word for dtype, word in PRECISIONS.items() if dtype in types), "fp32")
            return Item(source.name, source.fault, source.entry_point, case, precision)
    return None


def _tensors(value: Any) -> list[torch.Tensor]:
    if isinstance(value, list | tuple):
        return [tensor for part in value for tensor in _tensors(part)]
    return [value] if isinstance(value, torch.Tensor) else []


def _all_but_python(folder: str, names: list[str]) -> list[str]:
    paths = [Path(folder, name) for name in names]
    return [path.name for path in paths if path.is_file() and path.suffix != ".py"]


def _write_lines(path: Path, lines: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
