"""Functions of ours as standalone modules: appended to the text of a test file, as if its author
had written them there, and isolated with all that they need like any kernel.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count, pairwise

from ingest.drafting.statements import stores
from ingest.drafting.suites import Suite
from ingest.extract.found_kernel import FoundKernel
from ingest.extract.isolate import isolate
from ingest.extract.repository import Repository
from ingest.extract.resolve import Resolver
from ingest.extract.syntax import ParseTimeout

DEVICE = "DEVICE"
DEVICE_LINE = 'DEVICE = "cuda" if torch.cuda.is_available() else "cpu"'

Edit = tuple[int, int, bytes]
Offset = Callable[[int | None, int | None], int]


@dataclass(frozen=True, slots=True)
class Module:
    """`reasons` say why it does not stand alone; none if it does."""

    text: str
    drawn_from: tuple[str, ...]
    reasons: tuple[str, ...]
    notes: tuple[str, ...] = ()


class Isolator:
    def __init__(self, repository: Repository, resolver: Resolver, ours: Sequence[str]) -> None:
        """`ours`: paths of stand-ins that are no files of the repository."""
        self._repository = repository
        self._resolver = resolver
        self._ours = frozenset(ours)
        self._numbers = count(1)

    def module(self, suite: Suite, function: str, name: str, *, keeps_device: bool) -> Module:
        """`function` with all that it needs. `keeps_device`: a device that the file names stays
        one, else what is made is made on the default device."""
        text = "\n".join((_on_device(suite, keeps_device), "", "", function, ""))
        path = f"{suite.path}#{next(self._numbers)}"
        try:
            module = self._repository.hold(path, text)
        except ParseTimeout as error:
            return Module("", (), (str(error),))
        bindings = module.scope.bindings(name)
        if not bindings or module.source.tree.root_node.child_count == 0:
            return Module("", (), ("It could not be read back.",))
        node = bindings[-1].leaf.node
        unit = isolate(FoundKernel(module, node, "triton", None), self._repository, self._resolver)
        drawn = {place.partition("#")[0] for place in unit.drawn_from} - self._ours
        return Module(unit.source, tuple(sorted(drawn)), unit.reasons, unit.notes)

    def again(self, suite: Suite, text: str, name: str) -> Module:
        """A standalone module whose text has changed, without what nothing in it needs any more."""
        try:
            module = self._repository.hold(f"{suite.path}#{next(self._numbers)}", text)
        except ParseTimeout as error:
            return Module("", (), (str(error),))
        bindings = module.scope.bindings(name)
        if not bindings:
            return Module("", (), ("It could not be read back.",))
        node = bindings[-1].leaf.node
        unit = isolate(FoundKernel(module, node, "triton", None), self._repository, self._resolver)
        return Module(unit.source, (), unit.reasons, unit.notes)


def _on_device(suite: Suite, keeps_device: bool) -> str:
    """The file's text without the devices that it names, or with the one of the machine."""
    data = suite.text.encode()
    starts = [0]
    for line in data.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)

    def offset(line: int | None, column: int | None) -> int:
        return starts[(line or 1) - 1] + (column or 0)

    edits: list[Edit] = []
    for node, local in _calls(suite.tree):
        edits += _device_edits(node, local, offset, keeps_device)
    parts, at = [], 0
    for first, last, replacement in sorted(edits):
        if first < at:
            continue
        parts += [data[at:first], replacement]
        at = last
    text = b"".join([*parts, data[at:]]).decode()
    return f"{text}\n{DEVICE_LINE}" if keeps_device else text


def _calls(tree: ast.Module) -> list[tuple[ast.Call, frozenset[str]]]:
    """Every call with the names that the functions around it bind."""
    found: list[tuple[ast.Call, frozenset[str]]] = []
    pending: list[tuple[ast.AST, frozenset[str]]] = [(tree, frozenset())]
    while pending:
        node, local = pending.pop()
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            a = node.args
            local |= {p.arg for p in (*a.posonlyargs, *a.args, *a.kwonlyargs)}
            if isinstance(node, ast.FunctionDef):
                local = local.union(*(stores(inner) for inner in node.body))
        if isinstance(node, ast.Call):
            found.append((node, local))
        pending.extend((child, local) for child in ast.iter_child_nodes(node))
    return found


def _device_edits(
    call: ast.Call, local: frozenset[str], offset: Offset, keeps_device: bool
) -> list[Edit]:
    edits: list[Edit] = []
    end = offset(call.func.end_lineno, call.func.end_col_offset)
    # The arguments in the order of the text; a device goes with the comma before it.
    arguments = sorted(
        (*call.args, *(k.value for k in call.keywords)), key=lambda n: (n.lineno, n.col_offset)
    )
    before = {
        id(node): offset(previous.end_lineno, previous.end_col_offset)
        for previous, node in pairwise(arguments)
    }
    for keyword in call.keywords:
        if keyword.arg == "device" and is_device(keyword.value, local):
            value = keyword.value
            first = offset(value.lineno, value.col_offset)
            last = offset(value.end_lineno, value.end_col_offset)
            if keeps_device:
                edits.append((first, last, DEVICE.encode()))
            elif id(value) in before:
                edits.append((before[id(value)], last, b""))
            else:
                edits.append((first, last, b"None"))
    if isinstance(call.func, ast.Attribute):
        start = offset(call.func.value.end_lineno, call.func.value.end_col_offset)
        last = offset(call.end_lineno, call.end_col_offset)
        to_device = call.func.attr == "cuda" and not call.args and not call.keywords
        if call.func.attr == "to" and len(call.args) == 1 and not call.keywords:
            to_device = is_device(call.args[0], local)
        if to_device and end:
            edits.append((start, last, b".to(DEVICE)" if keeps_device else b""))
    return edits


def is_device(node: ast.expr, local: frozenset[str]) -> bool:
    """Whether an expression names a device of its own accord: text, or a global called so."""
    match node:
        case ast.Constant(value=str(value)):
            return bool(re.fullmatch(r"(cuda|gpu|xpu|npu|hip)(:\d+)?", value))
        case ast.Name(id=name):
            return name not in local and name.lower() in {"device", "dev", "torch_device"}
        case ast.Attribute(value=ast.Name(id=name), attr="device"):
            return name not in local
        case ast.Call(func=ast.Attribute(attr="device"), args=[inner]):
            return is_device(inner, local)
        case ast.Call(args=[]):
            return "device" in ast.unparse(node.func)
    return False
