"""Search for the kernels that a name launches, directly or through the functions it calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ingest.drafting.reading.suites import Suites
from ingest.extract.kernels import kernels_of
from ingest.extract.meaning import MeaningReader
from ingest.extract.module import Module
from ingest.extract.outline import Leaf
from ingest.extract.repository import Repository
from ingest.extract.resolve import Resolver
from ingest.extract.targets import Local

MOST = 3000


class Reach:
    """Call graph of one repository. The names that a name directly needs are computed once."""

    def __init__(self, repository: Repository, resolver: Resolver) -> None:
        self._repository = repository
        self._resolver = resolver
        self._needs: dict[Local, tuple[Local, ...]] = {}
        self._kernels: dict[Local, tuple[str, int] | None] = {}
        self._reached: dict[Local, bool] = {}
        self.suites = Suites()

    def walk(self, starts: Iterable[Local]) -> Iterator[Local]:
        """Yield these names and the names that they need, nearest names first."""
        level = list(dict.fromkeys(starts))
        seen = set(level)
        while level and len(seen) < MOST:
            yield from level
            following: dict[Local, None] = {}
            for local in level:
                if self.kernel(local) is None:
                    following.update(dict.fromkeys(n for n in self.needs(local) if n not in seen))
            seen.update(following)
            level = list(following)

    def kernels(self, starts: Iterable[Local]) -> tuple[tuple[str, int], ...]:
        """Return the path and first byte of each kernel that host code launches from these names,
        nearest kernels first.
        """
        found = (self.kernel(local) for local in self.walk(starts))
        return tuple(dict.fromkeys(kernel for kernel in found if kernel is not None))

    def launches(self, local: Local) -> bool:
        if local not in self._reached:
            self._reached[local] = any(self.kernel(one) is not None for one in self.walk([local]))
        return self._reached[local]

    def kernel(self, local: Local) -> tuple[str, int] | None:
        if local not in self._kernels:
            self._read(local)
        return self._kernels[local]

    def needs(self, local: Local) -> tuple[Local, ...]:
        if local not in self._needs:
            self._read(local)
        return self._needs[local]

    def _read(self, local: Local) -> None:
        needs: dict[Local, None] = {}
        kernel: tuple[str, int] | None = None
        module = self._repository.module(local.path)
        if module is not None:
            starts = {found.start for found in kernels_of(module, self._resolver)}
            for binding in self._resolver.bindings(local, {}):
                if binding.leaf.start in starts:
                    kernel = (local.path, binding.leaf.start)
                elif local.scope < 0:
                    needs.update(self._asked_for(module, binding.leaf))
        self._needs[local] = tuple(needs)
        self._kernels[local] = kernel

    def _asked_for(self, module: Module, leaf: Leaf) -> dict[Local, None]:
        reading = (self._resolver.packages, False)
        if reading not in leaf.resolved:
            reader = MeaningReader(self._repository, self._resolver, module, [module.scope], {})
            leaf.resolved[reading] = reader.read(leaf.node, leaf, leaf.names, False)
        return leaf.resolved[reading].needs
