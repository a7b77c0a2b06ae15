"""Extraction of all kernels of a repository, each with its standalone unit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial

from ingest.extract.decoding import decode
from ingest.extract.embedded import in_markdown, in_strings, in_template
from ingest.extract.fragments import kernels_in
from ingest.extract.isolate import isolate
from ingest.extract.kernels import describe, kernels_of
from ingest.extract.module import FoundKernel, Module
from ingest.extract.notebooks import cell_of
from ingest.extract.pallas import PallasCall, kernel_at, other_backend, pallas_calls
from ingest.extract.records import Extraction, Problem, TookTooLong
from ingest.extract.references import References
from ingest.extract.repository import (
    MARKDOWN,
    SOURCES,
    Repository,
    has_known_suffix,
    is_candidate,
    unfit,
)
from ingest.extract.resolve import Resolver
from ingest.extract.source_tree import SourceTree

Progress = Callable[[str, int, int], None]
"""Callback with the stage, the number of finished files and the total number of files."""
At = Callable[[str], AbstractContextManager[object]]
"""Context manager around the work on the file or kernel at a path. It may raise TookTooLong."""


def extract(
    tree: SourceTree,
    paths: Sequence[str] | None = None,
    progress: Progress | None = None,
    at: At = nullcontext,
) -> Iterator[Extraction | Problem]:
    """Yield every kernel of the given files (default: all), ordered by path and line.

    Definitions and launches are searched for in the complete tree, regardless of `paths`.
    """
    session = Session(tree, progress, at)
    return session.run(None if paths is None else frozenset(paths))


@dataclass(eq=False)
class Session:
    """One extraction from a tree, with the tree's kernels and their uses."""

    tree: SourceTree
    progress: Progress | None
    at: At = nullcontext
    candidates: set[str] = field(default_factory=set)
    problems: dict[str, list[Problem]] = field(default_factory=dict)
    pallas: dict[str, dict[int, list[PallasCall]]] = field(default_factory=dict)
    """Calls that pass each Pallas kernel, by the kernel's path and first byte."""

    def __post_init__(self) -> None:
        self.repository = Repository(self.tree)
        self.resolver = Resolver(self.repository)
        self.references = References(self.resolver)

    def run(self, wanted: frozenset[str] | None) -> Iterator[Extraction | Problem]:
        try:
            self.know()
            yield from self._found(wanted)
        finally:
            self.repository.forget()

    def know(self) -> None:
        """Index every kernel of the tree and every use of a kernel."""
        self._find()
        self._read_uses()

    def _found(self, selected: frozenset[str] | None) -> Iterator[Extraction | Problem]:
        paths = sorted({*self.candidates, *self.problems})
        for number, path in enumerate(paths):
            self._tell("cutting out kernels", number, len(paths))
            if selected is not None and path not in selected:
                continue
            yield from self.problems.get(path, ())
            if path in self.candidates:
                yield from sorted(self._kernels(path), key=_place)

    def _bounded(
        self, path: str, line: int | None, work: Callable[[], Sequence[Extraction | Problem]]
    ) -> Sequence[Extraction | Problem]:
        """Return the result of `work`, or a problem if it took too long."""
        try:
            with self.at(path):
                return work()
        except TookTooLong as error:
            return [Problem(path, line, "too-slow", str(error))]

    def _find(self) -> None:
        """Index every kernel and every name of the tree, before uses are searched."""
        known = [path for path in self.repository.paths if has_known_suffix(path)]
        for path, error in self._each("finding kernels", known, self._find_in):
            self.candidates.discard(path)
            self.problems[path] = [Problem(path, None, "too-slow", str(error))]
        # A Pallas kernel may be defined in a file without a `pallas_call`.
        self.candidates.update(self.pallas)

    def _each(
        self, stage: str, paths: Sequence[str], work: Callable[[str], None]
    ) -> Iterator[tuple[str, TookTooLong]]:
        """Call `work` for each path, and yield the paths for which it took too long."""
        for number, path in enumerate(paths):
            self._tell(stage, number, len(paths))
            try:
                with self.at(path):
                    work(path)
            except TookTooLong as error:
                yield path, error

    def _find_in(self, path: str) -> None:
        data = self.repository.read(path)
        if data is not None and not is_candidate(path, data):
            return
        problem = unfit(path, data)
        if data is None or problem is not None:
            self.problems[path] = [problem] if problem else []
            return
        if not path.endswith(SOURCES):
            self.candidates.add(path)
            return
        module = self.repository.module(path)
        if module is None:
            self.problems[path] = [self.repository.problem(path)]
            return
        self.candidates.add(path)
        self.problems[path] = list(remarks(module))
        for kernel in kernels_of(module, self.resolver):
            self.references.add_kernel(kernel)
        for call in pallas_calls(module, self.resolver.for_language("pallas")):
            path, start = call.kernel
            self.pallas.setdefault(path, {}).setdefault(start, []).append(call)

    def _read_uses(self) -> None:
        paths = [
            path
            for path in self.repository.paths
            if path.endswith(".py") or (path.endswith(SOURCES) and path in self.candidates)
        ]
        for path, error in self._each("finding helpers", paths, self._read_uses_in):
            message = f"{error} Launches in it are missing."
            self.problems.setdefault(path, []).append(Problem(path, None, "too-slow", message))

    def _read_uses_in(self, path: str) -> None:
        if path not in self.candidates:
            data = self.repository.read(path)
            if data is None or not self.references.may_use_kernels(data):
                return
        module = self.repository.module(path)
        if module is not None:
            self.references.read(module)

    def _kernels(self, path: str) -> Iterator[Extraction | Problem]:
        if not path.endswith(SOURCES):
            yield from self._bounded(path, None, lambda: self._fragments(path))
            return
        try:
            with self.at(path):
                module = self.repository.module(path)
                kernels = kernels_of(module, self.resolver) if module is not None else []
        except TookTooLong as error:
            yield Problem(path, None, "too-slow", str(error))
            return
        if module is None:
            return
        for item in self._kernels_of_module(module, kernels):
            yield _in_cell(item, module.cells) if module.cells else item

    def _fragments(self, path: str) -> list[Extraction]:
        text = decode(self.repository.read(path) or b"").text
        fragments = (in_markdown if path.endswith(MARKDOWN) else in_template)(text)
        return [kernel for fragment in fragments for kernel in kernels_in(path, fragment)]

    def _kernels_of_module(
        self, module: Module, kernels: Sequence[FoundKernel]
    ) -> Iterator[Extraction | Problem]:
        path = module.path
        for kernel in kernels:
            yield from self._bounded(path, kernel.first_line, partial(self._extraction, kernel))
        known = {kernel.start for kernel in kernels}
        for start, calls in self.pallas.get(path, {}).items():
            pallas = kernel_at(module, start) if start not in known else None
            if pallas is not None:
                work = partial(self._pallas_extraction, pallas, calls)
                yield from self._bounded(path, pallas.first_line, work)
        yield from self._bounded(path, None, lambda: _in_strings(module))

    def _extraction(self, kernel: FoundKernel) -> list[Extraction]:
        kind, launchers = self.references.kind(kernel), self.references.launchers(kernel)
        record = describe(kernel, kind, launchers)
        launcher = launchers[0].source if launchers else None
        return [Extraction(record, isolate(kernel, self.repository, self.resolver, launcher))]

    def _pallas_extraction(
        self, kernel: FoundKernel, calls: list[PallasCall]
    ) -> list[Extraction | Problem]:
        found = {(c.launcher.path, c.launcher.start_line): c.launcher for c in calls if c.launcher}
        launchers = tuple(found[place] for place in sorted(found))
        launcher = launchers[0].source if launchers else None
        unit = isolate(kernel, self.repository, self.resolver, launcher)
        problem = other_backend(kernel, unit, calls)
        return [problem or Extraction(describe(kernel, "entry", launchers), unit)]

    def _tell(self, stage: str, done: int, total: int) -> None:
        if self.progress is not None:
            self.progress(stage, done, total)


def _place(item: Extraction | Problem) -> tuple[int, int]:
    if isinstance(item, Problem):
        return 0, item.line or 0
    return item.kernel.cell or 0, item.kernel.start_line


def _in_strings(module: Module) -> list[Extraction]:
    return [
        kernel
        for fragment in in_strings(module.source)
        for kernel in kernels_in(module.path, fragment)
    ]


def _in_cell(item: Extraction | Problem, cells: tuple[int, ...]) -> Extraction | Problem:
    """Return the item with line numbers relative to the code cell in which it begins."""
    line = item.line if isinstance(item, Problem) else item.kernel.start_line
    cell, start = cell_of(cells, line or 1)
    if isinstance(item, Problem):
        message = f"{item.message} It is in code cell {cell}."
        return replace(item, line=(line or 1) - start + 1, message=message)
    kernel = replace(
        item.kernel,
        container="notebook",
        cell=cell,
        start_line=item.kernel.start_line - start + 1,
        end_line=item.kernel.end_line - start + 1,
    )
    return replace(item, kernel=kernel)


def remarks(module: Module) -> Iterator[Problem]:
    """Yield a warning for undecodable bytes and one for the first syntax error."""
    if module.note is not None:
        yield Problem(module.path, None, "encoding", module.note)
    if module.broken_line is not None:
        line, location = module.broken_line, "here"
        if module.cells:
            cell, start = cell_of(module.cells, line)
            line, location = line - start + 1, f"in code cell {cell}"
        message = (
            f"Something {location} doesn't parse; the kernels around it that are whole were kept."
        )
        yield Problem(module.path, line, "syntax", message)
