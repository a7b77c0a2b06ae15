"""Lookup of the kernels, functions and modules that a test's names refer to."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping

from curation.source.functions import dotted_name
from ingest.drafting.cutting.slices import Cut
from ingest.drafting.reading.reach import Reach
from ingest.drafting.reading.suites import SuiteFile
from ingest.drafting.reading.weights import innermost_call
from ingest.extract.targets import External, Local


class Launching:
    """The meaning of the names in one test.

    `local`: the names that the test binds. `bound`: those parameters of the test that are functions
    or classes, each with the expression of its value.
    """

    def __init__(self, suite: SuiteFile, reach: Reach) -> None:
        self._suite, self._reach = suite, reach
        self.local: frozenset[str] = frozenset()
        self.bound: Mapping[str, str] = {}
        self._launched: dict[int, tuple[Local, ...]] = {}

    def module_kind(self, call: ast.expr) -> str | None:
        """Return the kind of the module that a call constructs: `kernel`, `local` or `torch`.
        Return None for any other expression.
        """
        parts = dotted_name(call.func) if isinstance(call, ast.Call) else None
        if parts is None or (parts[0] in self.local and not self.bound.get(parts[0])):
            return None
        parts = tuple((self.bound.get(parts[0]) or parts[0]).split(".")) + parts[1:]
        if not parts[-1][:1].isupper():
            return None
        target = self._suite.meaning(parts)
        if isinstance(target, Local):
            return "kernel" if self._reach.launches(target) else "local"
        return (
            "torch" if isinstance(target, External) and target.module.startswith("torch") else None
        )

    def launching(self, statements: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
        return (statement for statement in statements if self.launches(statement))

    def launches(self, node: ast.AST) -> tuple[Local, ...]:
        """Return the repository's names in a statement through which a kernel is launched."""
        if id(node) not in self._launched:
            found = [local for local in self.find_locals(node) if self._reach.launches(local)]
            self._launched[id(node)] = tuple(found)
        return self._launched[id(node)]

    def find_locals(self, node: ast.AST) -> Iterator[Local]:
        bound = self.bound
        for inner in ast.walk(node):
            parts = dotted_name(inner)
            if parts is None:
                continue
            if parts[0] in bound:
                meant = dotted_name(ast.parse(bound[parts[0]], mode="eval").body)
                parts = (*meant, *parts[1:]) if meant else parts
            elif parts[0] in self.local:
                continue
            target = self._suite.meaning(parts)
            if isinstance(target, Local):
                yield target

    def modules_among(self, whole: Cut) -> str:
        """Return the name of a module that is a parameter and that both sides read, or ""."""
        for statement in whole.inputs:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call):
                    if name in whole.parameters and self.module_kind(innermost_call(call)):
                        return name
        return ""
