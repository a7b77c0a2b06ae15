"""Standalone modules of the functions that drafting writes: reference, candidate and inputs.

A function is appended to the text of its test file, and isolated in the same way as kernels.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

from curation.source.text import UNREADABLE, Edits
from ingest.drafting.isolating.devices import define_device, place_on_device
from ingest.drafting.reading.suites import SuiteFile
from ingest.extract.isolate import isolate
from ingest.extract.module import FoundKernel
from ingest.extract.repository import Repository
from ingest.extract.resolve import Resolver
from ingest.extract.syntax import ParseTimeout


@dataclass(frozen=True, slots=True)
class StandaloneModule:
    """A standalone text. `reasons` explain why it is not standalone, and are empty if it is."""

    text: str
    drawn_from: tuple[str, ...]
    reasons: tuple[str, ...]


class Isolator:
    def __init__(self, repository: Repository, resolver: Resolver, ours: Sequence[str]) -> None:
        """Set up isolation. `ours`: paths of stand-ins, which are not files of the repository."""
        self._repository = repository
        self._resolver = resolver
        self._for_tests = Resolver(repository, resolver.packages | {"numpy", "pytest"})
        self._ours = frozenset(ours)
        self._numbers = count(1)

    def side(self, suite: SuiteFile, function: str, name: str) -> StandaloneModule:
        """Isolate the reference or candidate. Devices in the file become the machine's device."""
        around = define_device(place_on_device(suite.text, suite.tree, kept=True))
        return self.isolated(suite, f"{around}\n\n\n{function}\n", name)

    def inputs(self, suite: SuiteFile, function: str, name: str) -> StandaloneModule:
        """Isolate `make_inputs`. Its helpers, even those of other files, use the default device and
        do not set seeds.
        """
        around = place_on_device(suite.text, suite.tree, kept=False)
        made = self.isolated(suite, f"{around}\n\n\n{function}\n", name, self._for_tests)
        try:
            text = place_on_device(made.text, ast.parse(made.text), kept=False)
            text = remove_seeding(text, ast.parse(text), but=name)
        except UNREADABLE:
            return made
        if made.reasons or text == made.text:
            return made
        again = self.isolated(suite, text, name, self._for_tests)
        if again.reasons:
            return made
        return replace(again, drawn_from=made.drawn_from)

    def isolated(
        self, suite: SuiteFile, text: str, name: str, resolver: Resolver | None = None
    ) -> StandaloneModule:
        """Isolate a name in a text: keep the code that it needs and drop all other code."""
        try:
            module = self._repository.hold(f"{suite.path}#{next(self._numbers)}", text)
        except ParseTimeout as error:
            return StandaloneModule("", (), (str(error),))
        bindings = module.scope.bindings(name)
        if not bindings or module.source.tree.root_node.child_count == 0:
            return StandaloneModule("", (), ("It could not be read back.",))
        node = bindings[-1].leaf.node
        unit = isolate(
            FoundKernel(module, node, "triton"),
            self._repository,
            resolver or self._resolver,
            keep_tuning=True,
        )
        drawn = {place.partition("#")[0] for place in unit.drawn_from} - self._ours
        return StandaloneModule(unit.source, tuple(sorted(drawn)), unit.reasons)


SEEDS = {
    "torch.manual_seed", "torch.random.manual_seed", "torch.cuda.manual_seed",
    "torch.cuda.manual_seed_all",
}  # fmt: skip


def remove_seeding(text: str, tree: ast.Module, but: str) -> str:
    """Return the text without calls that seed torch, except those in the function `but`.

    A helper that sets a seed would return the same numbers in every case. `make_inputs` sets the
    seed of the case.
    """
    edits = Edits(text)
    for function in tree.body:
        if isinstance(function, ast.FunctionDef) and function.name != but:
            for block in _blocks(function):
                seeding = [statement for statement in block if _seeds(statement)]
                for statement in seeding:
                    edits.drop(statement, alone=len(seeding) == len(block))
    return edits.text()


def _blocks(function: ast.FunctionDef) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(function):
        for field in ("body", "orelse", "finalbody"):
            # The bodies of lambdas and conditional expressions are not lists of statements.
            if isinstance(block := getattr(node, field, None), list):
                yield block


def _seeds(statement: ast.stmt) -> bool:
    match statement:
        case ast.Expr(value=ast.Call(func=called)):
            return ast.unparse(called) in SEEDS
    return False
