"""Changes of a draft's inputs: removal of inputs that the reader of a pair does not need.

A test passes to each side (reference and Triton code) what its helpers take. Not needed: the size
of a tensor, a switch that has the same value in all cases, and a buffer for results.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from curation.source.functions import is_docstring, signature
from curation.source.text import Edits, parse, walk
from validation.observing.edits import Change, Observed, Texts

SIDES = ("python_code", "triton_code")
CHANCE = 3
Given = Sequence[Mapping[str, Any]]
"""Facts of one input in each case: its literal, or the shape, dtype and content of a tensor."""


@dataclass(frozen=True, slots=True)
class _Inputs:
    texts: Texts
    sides: Mapping[str, ast.FunctionDef]
    handed: ast.Tuple
    """The tuple of inputs that `make_inputs` returns."""
    given: Mapping[str, Given]
    """Facts of the inputs by parameter name, in the order of the parameters."""

    def readers(self, name: str) -> list[str]:
        return [side for side in SIDES if any(self.reads(side, name))]

    def reads(self, side: str, name: str) -> Iterator[ast.Name]:
        for statement in self.sides[side].body:
            for node in walk(statement):
                if isinstance(node, ast.Name) and node.id == name:
                    yield node

    def returns(self, name: str) -> bool:
        match self.sides["triton_code"].body[-1]:
            case ast.Return(value=ast.Tuple(elts=values)):
                pass
            case ast.Return(value=ast.expr() as value):
                values = [value]
            case _:
                return False
        return any(isinstance(each, ast.Name) and each.id == name for each in values)

    def tensors(self) -> Iterator[tuple[str, Given]]:
        for name, given in self.given.items():
            if all("shape" in each for each in given):
                yield name, given

    def without(self, name: str, written: str = "", buffer: str = "") -> Change:
        """Return a change that drops an input.

        written: expression that replaces the input where it is read.
        buffer: expression with which the Triton code allocates the input.
        """
        place = [*self.given].index(name)
        edits = {text: Edits(self.texts[text]) for text in (*SIDES, "test_code")}
        _cut(self.handed.elts, place, edits["test_code"])
        for side in SIDES:
            _cut(self.sides[side].args.args, place, edits[side])
            for node in self.reads(side, name) if written else ():
                edits[side].put(node, written)
        if buffer:
            self._allocate(name, buffer, edits["triton_code"])
        return {text: each.made() for text, each in edits.items()}

    def _allocate(self, name: str, buffer: str, edits: Edits) -> None:
        """Let the Triton code allocate the buffer where it copied the input, or at its start."""
        if not re.search(r"^import torch$", self.texts["triton_code"], re.M):
            edits.replace(0, 0, "import torch\n")
        body = [each for each in self.sides["triton_code"].body if not is_docstring(each)]
        for statement in body:
            if ast.unparse(statement) == f"{name} = {name}.clone()":
                edits.put(statement, f"{name} = {buffer}")
                return
        start = edits.start(body[0])
        edits.replace(start, start, f"{name} = {buffer}\n{' ' * body[0].col_offset}")


def inputs(texts: Texts, seen: Observed, entry: str) -> Iterator[Change]:
    """Drop inputs that neither side reads, that other inputs determine, or that are buffers."""
    known = _read(texts, seen, entry)
    if known is None:
        return
    for name, given in known.given.items():
        readers = known.readers(name)
        if not readers:
            yield known.without(name)
            continue
        told = _told_by_a_tensor(known, name, given) or _literal(known, given, len(readers))
        if told:
            yield known.without(name, written=told)
        elif readers == ["triton_code"] and (buffer := _buffer(known, name, given)):
            yield known.without(name, buffer=buffer)


def _told_by_a_tensor(known: _Inputs, name: str, given: Given) -> str:
    """Return the size, shape or dtype of a tensor that an input always equals, or ""."""
    values = [each.get("value") or "" for each in given]
    for tensor, facts in known.tensors():
        if values == [f"torch.{each['dtype']}" for each in facts]:
            return f"{tensor}.dtype"
        for part in ("", "[-1:]"):
            if values == [str(each["shape"][-1:] if part else each["shape"]) for each in facts]:
                return f"{tensor}.shape{part}"
    numbers = [int(each) for each in values if each.isdecimal()]
    varied = len(set(numbers)) > 1 and len(numbers) == len(values)
    return _size([*known.tensors()], numbers) if varied else ""


def _literal(known: _Inputs, given: Given, readers: int) -> str:
    """Return an expression for a plain input that has the same value in all cases, or "".

    A number that both sides read is an option and stays. For one side, prefer a tensor's size.
    """
    values = [each.get("value") or "" for each in given]
    if readers == 1 and values[0].isdecimal():
        return _size([*known.tensors()], [*map(int, values)]) if len({*values}) == 1 else ""
    single = len({*values}) == 1 and (readers == 1 or values[0] in ("None", "True", "False"))
    return values[0] if single else ""


def _buffer(known: _Inputs, name: str, given: Given) -> str:
    """Return an expression that allocates a tensor like an input, or "".

    The Triton code returns the input, so the reference does not need its earlier content.
    """
    others = [(tensor, facts) for tensor, facts in known.tensors() if tensor != name]
    if not others or any("shape" not in each for each in given) or not known.returns(name):
        return ""
    fill = "zeros" if all(each["zeros"] for each in given) else "empty"
    for tensor, facts in others:
        if _equal("shape", given, facts) and _equal("dtype", given, facts):
            return f"torch.{fill}_like({tensor})"
    sizes = [_size(others, [each["shape"][n] for each in given]) for n in _dimensions(given)]
    if not all(sizes):
        return ""
    dtypes = [tensor for tensor, facts in others if _equal("dtype", given, facts)]
    dtype = f"{dtypes[0]}.dtype" if dtypes else f"torch.{given[0]['dtype']}"
    shape = ", ".join(sizes) + "," * (len(sizes) == 1)
    return f"torch.{fill}(({shape}), dtype={dtype}, device={others[0][0]}.device)"


def _size(others: Sequence[tuple[str, Given]], sizes: Sequence[int]) -> str:
    """Return the size of a tensor that equals `sizes` in all cases, or a number, or "".

    A small number that no case varies stays a number: it may equal a tensor's size by chance.
    """
    if len(set(sizes)) == 1 and sizes[0] <= CHANCE:
        return str(sizes[0])
    for tensor, facts in others:
        for n in _dimensions(facts):
            if sizes == [each["shape"][n] for each in facts]:
                return f"{tensor}.shape[{n}]"
    return str(sizes[0]) if len(set(sizes)) == 1 else ""


def _dimensions(facts: Given) -> range:
    return range(min(len(each["shape"]) for each in facts))


def _equal(fact: str, given: Given, facts: Given) -> bool:
    return [each[fact] for each in given] == [each[fact] for each in facts]


def _read(texts: Texts, seen: Observed, entry: str) -> _Inputs | None:
    sides = {side: _function(texts[side], entry) for side in SIDES}
    made = _function(texts["test_code"], "make_inputs")
    plain = {side: each for side, each in sides.items() if each is not None and _is_plain(each)}
    if made is None or len(plain) < len(sides):
        return None
    parameters = [each.arg for each in plain["triton_code"].args.args]
    match made.body[-1]:
        case ast.Return(value=ast.Tuple(elts=elements) as handed) if len(elements) == len(
            parameters
        ) > 1 and parameters == [each.arg for each in plain["python_code"].args.args]:
            given = [[case["inputs"][n] for case in seen["cases"]] for n in range(len(parameters))]
            return _Inputs(texts, plain, handed, dict(zip(parameters, given, strict=True)))
    return None


def _function(text: str, name: str) -> ast.FunctionDef | None:
    functions = (each for each in parse(text).body if isinstance(each, ast.FunctionDef))
    return next((each for each in functions if each.name == name), None)


def _is_plain(function: ast.FunctionDef) -> bool:
    """Return whether all parameters of a function are positional and without defaults."""
    rest = function.args
    others = (*rest.posonlyargs, *rest.kwonlyargs, rest.vararg, rest.kwarg)
    return not any(others) and not signature(rest).defaults


def _cut(elements: Sequence[ast.expr] | Sequence[ast.arg], place: int, edits: Edits) -> None:
    """Remove an element of a list and the comma after it. For the last element, the comma before it
    is kept, so that changes of neighbors do not overlap.
    """
    start, last = edits.start(elements[place]), place == len(elements) - 1
    end = edits.end(elements[place]) if last else edits.start(elements[place + 1])
    edits.replace(start, end, "")
