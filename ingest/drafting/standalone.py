"""Functions of ours as standalone modules: appended to the text of a test file, as if its author
had written them there, and isolated with all that they need like any kernel.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import count

from ingest.drafting.devices import DEVICE_LINE, on_device
from ingest.drafting.edits import UNREADABLE
from ingest.drafting.seeds import unseeded
from ingest.drafting.suites import Suite
from ingest.extract.isolate import isolate
from ingest.extract.module import FoundKernel
from ingest.extract.repository import Repository
from ingest.extract.resolve import Resolver
from ingest.extract.syntax import ParseTimeout


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

    def side(self, suite: Suite, function: str, name: str) -> Module:
        """`function` with all that it needs; a device that the file names stays one."""
        around = f"{on_device(suite.text, suite.tree, kept=True)}\n{DEVICE_LINE}"
        return self.isolated(suite, f"{around}\n\n\n{function}\n", name)

    def inputs(self, suite: Suite, function: str, name: str) -> Module:
        """`function` with all that it needs, made on the default device and as it is seeded, in
        the functions of other files too."""
        around = on_device(suite.text, suite.tree, kept=False)
        made = self.isolated(suite, f"{around}\n\n\n{function}\n", name)
        try:
            text = on_device(made.text, ast.parse(made.text), kept=False)
            text = unseeded(text, ast.parse(text), but=name)
        except UNREADABLE:
            return made
        if made.reasons or text == made.text:
            return made
        again = self.isolated(suite, text, name)
        if again.reasons:
            return made
        return replace(again, drawn_from=made.drawn_from, notes=made.notes)

    def isolated(self, suite: Suite, text: str, name: str) -> Module:
        """What `name` stands for in a text, without what nothing in it needs."""
        try:
            module = self._repository.hold(f"{suite.path}#{next(self._numbers)}", text)
        except ParseTimeout as error:
            return Module("", (), (str(error),))
        bindings = module.scope.bindings(name)
        if not bindings or module.source.tree.root_node.child_count == 0:
            return Module("", (), ("It could not be read back.",))
        node = bindings[-1].leaf.node
        unit = isolate(FoundKernel(module, node, "triton", None), self._repository, self._resolver)
        drawn = {place.partition("#")[0] for place in unit.drawn_from} - self._ours
        return Module(unit.source, tuple(sorted(drawn)), unit.reasons, unit.notes)
