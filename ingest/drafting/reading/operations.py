"""Index of a repository's operations.

An operation is an autograd Function, or a host function that launches kernels outside of one. A
host function that a Function uses is also an operation if a test calls it without the Function.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from ingest.drafting.outcomes import DraftPlace, LaunchedKernel, LaunchedOperation
from ingest.drafting.reading.reach import Reach
from ingest.drafting.reading.suites import is_test_path
from ingest.extract.extraction import Session
from ingest.extract.kernels import kernels_of
from ingest.extract.module import FoundKernel, code_end
from ingest.extract.outline import definition_of
from ingest.extract.syntax import text_of
from ingest.extract.targets import Local

FUNCTION = re.compile(rb"\bclass\s+\w+\s*\([^)]*\bFunction\b")
KernelId = tuple[str, int]


class Operations:
    """The operations of a tree, by the name of the function or class that launches them."""

    def __init__(self, session: Session, reach: Reach) -> None:
        self._session = session
        self._reach = reach
        self.kernels = {(k.module.path, k.start): _place(k) for k in self._entries()}
        self.by_name: dict[Local, LaunchedOperation] = {}
        self.without_launcher: list[LaunchedOperation] = []
        self._part_of: dict[Local, Local] = {}
        self._inner: dict[Local, LaunchedOperation] = {}
        """Host functions that a Function uses and that launch other kernels than the Function."""
        self._find()

    def nearest(self, starts: Iterable[Local]) -> Local | None:
        """Return the first operation between these names and a kernel. Else return the operation
        that the names belong to, or None.
        """
        way = list(self._reach.walk(starts))
        for known in (self.by_name, self._inner):
            found = next((one for one in way if one in known), None)
            if found is not None:
                return found
        return next((self._part_of[one] for one in way if one in self._part_of), None)

    def get(self, local: Local) -> LaunchedOperation:
        return self.by_name.get(local) or self._inner[local]

    def _entries(self) -> Iterator[FoundKernel]:
        for path in sorted(self._session.candidates):
            module = self._session.repository.module(path)
            for kernel in kernels_of(module, self._session.resolver) if module else ():
                if self._session.references.kind(kernel) == "entry" and kernel.language == "triton":
                    yield kernel

    def _find(self) -> None:
        launched: defaultdict[Local, list[KernelId]] = defaultdict(list)
        homeless: list[KernelId] = []
        for kernel in self._entries():
            identity = (kernel.module.path, kernel.start)
            hosts = [
                Local(launcher.path, -1, launcher.qualname.partition(".")[0])
                for launcher in self._session.references.launchers(kernel)
                if not is_test_path(launcher.path)
            ]
            for host in hosts:
                launched[host].append(identity)
            if not hosts and not is_test_path(identity[0]):
                homeless.append(identity)
        for function in self._functions():
            kernels = [k for k in self._reach.kernels([function]) if k in self.kernels]
            if kernels:
                for local in self._reach.walk([function]):
                    if self._reach.launches(local):
                        self._part_of.setdefault(local, function)
                self._add(function, kernels)
        for host, kernels in launched.items():
            if host not in self._part_of:
                self._add(host, kernels)
        functions = {frozenset(known.kernels) for known in self.by_name.values()}
        for host, kernels in launched.items():
            operation = self._operation(host, kernels)
            if host not in self.by_name and frozenset(operation.kernels) not in functions:
                self._inner[host] = operation
        for identity in homeless:
            place = self.kernels[identity]
            if not any(place in one.kernels for one in self.by_name.values()):
                self.without_launcher.append(LaunchedOperation(place.qualname, None, (place,)))

    def _functions(self) -> Iterator[Local]:
        """Yield every class that is derived from autograd's Function."""
        repository = self._session.repository
        for path in repository.paths:
            if not path.endswith(".py") or is_test_path(path):
                continue
            data = repository.read(path)
            module = repository.module(path) if data and FUNCTION.search(data) else None
            for leaf in module.scope.leaves if module else ():
                node = definition_of(leaf.node)
                if node.type != "class_definition":
                    continue
                bases = node.child_by_field_name("superclasses")
                if bases is not None and re.search(rb"\bFunction\b", bases.text or b""):
                    yield Local(path, -1, text_of(node.child_by_field_name("name") or node))

    def _add(self, local: Local, kernels: Iterable[KernelId]) -> None:
        self.by_name[local] = self._operation(local, kernels)

    def _operation(self, local: Local, kernels: Iterable[KernelId]) -> LaunchedOperation:
        places = tuple(dict.fromkeys(self.kernels[kernel] for kernel in kernels))
        return LaunchedOperation(local.name, self._where(local), places)

    def _where(self, local: Local) -> DraftPlace | None:
        module = self._session.repository.module(local.path)
        bindings = self._session.resolver.bindings(local, {}) if module else []
        if module is None or not bindings:
            return None
        node = bindings[-1].leaf.node
        source = module.source
        last = source.line_of(code_end(definition_of(node)) - 1)
        return DraftPlace(local.path, source.line_of(node.start_byte), last)


def _place(kernel: FoundKernel) -> LaunchedKernel:
    return LaunchedKernel(kernel.module.path, kernel.qualname, kernel.first_line)
