"""From a repository's bytes to its kernels, each with its standalone unit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from ingest.extract.candidates import (
    MARKDOWN,
    has_known_suffix,
    is_candidate,
    unfit,
)
from ingest.extract.collecting import collector_paused, collector_resumed
from ingest.extract.decoding import decode
from ingest.extract.describe import describe
from ingest.extract.embedded import in_markdown, in_strings, in_template
from ingest.extract.found_kernel import FoundKernel
from ingest.extract.fragments import kernels_in
from ingest.extract.isolate import isolate
from ingest.extract.kernels import kernels_of
from ingest.extract.records import Extraction, Problem
from ingest.extract.references import References
from ingest.extract.remarks import remarks
from ingest.extract.repository import Repository
from ingest.extract.resolve import Resolver
from ingest.extract.source_tree import MemoryTree, SourceTree

FILE_LIMIT = 2_000_000

Progress = Callable[[str, int, int], None]
"""Called with the stage, how many files are done and how many there are."""


def extract(
    tree: SourceTree,
    paths: Sequence[str] | None = None,
    progress: Progress | None = None,
    file_limit: int = FILE_LIMIT,
) -> Iterator[Extraction | Problem]:
    """Every kernel of the named files (of all, by default), ordered by path and line.

    Closures and launches are followed through the whole tree, whatever `paths` says.
    """
    return Session(tree, file_limit, progress).run(None if paths is None else frozenset(paths))


def extract_file(path: str, data: bytes) -> Iterator[Extraction | Problem]:
    """The same for one file alone, which then is the whole repository."""
    return extract(MemoryTree({path: data}), [path])


@dataclass(eq=False)
class Session:
    """One reading of a tree: its kernels, and who uses them."""

    tree: SourceTree
    file_limit: int
    progress: Progress | None
    candidates: set[str] = field(default_factory=set)
    problems: dict[str, list[Problem]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.repository = Repository(self.tree, self.file_limit)
        self.resolver = Resolver(self.repository)
        self.references = References(self.resolver)

    def run(self, wanted: frozenset[str] | None) -> Iterator[Extraction | Problem]:
        try:
            self.know()
            yield from self._found(wanted)
        finally:
            self.repository.forget()
            collector_resumed()

    def know(self) -> None:
        """Know every kernel of the tree and every use that is made of one."""
        with collector_paused():
            self._find()
            self._read_uses()

    def _found(self, wanted: frozenset[str] | None) -> Iterator[Extraction | Problem]:
        paths = sorted({*self.candidates, *self.problems})
        for number, path in enumerate(paths):
            self._tell("isolate", number, len(paths))
            if wanted is not None and path not in wanted:
                continue
            yield from self.problems.get(path, ())
            if path in self.candidates:
                with collector_paused():
                    found = sorted(self._kernels(path), key=lambda e: e.kernel.start_line)
                yield from found

    def _find(self) -> None:
        """Know every kernel of the tree, and every name in it, before asking who uses it."""
        known = [path for path in self.repository.paths if has_known_suffix(path)]
        for number, path in enumerate(known):
            self._tell("find", number, len(known))
            data = self.repository.read(path)
            if data is not None and path.endswith(".py"):
                self.references.add_file(data)
            if data is not None and not is_candidate(path, data):
                continue
            problem = unfit(path, data, self.file_limit)
            if data is None or problem is not None:
                self.problems[path] = [problem] if problem else []
                continue
            if not path.endswith(".py"):
                self.candidates.add(path)
                continue
            module = self.repository.module(path)
            if module is None:
                self.problems[path] = [self.repository.problem(path)]
                continue
            self.candidates.add(path)
            self.problems[path] = list(remarks(module))
            for kernel in kernels_of(module, self.resolver):
                self.references.add_kernel(kernel)

    def _read_uses(self) -> None:
        known = [path for path in self.repository.paths if path.endswith(".py")]
        for number, path in enumerate(known):
            self._tell("uses", number, len(known))
            if path not in self.candidates:
                data = self.repository.read(path)
                if data is None or not self.references.may_use_kernels(data):
                    continue
            module = self.repository.module(path)
            if module is not None:
                self.references.read(module)

    def _kernels(self, path: str) -> Iterator[Extraction]:
        if not path.endswith(".py"):
            data = self.repository.read(path)
            text = decode(data or b"").text
            for fragment in (in_markdown if path.endswith(MARKDOWN) else in_template)(text):
                yield from kernels_in(path, fragment)
            return
        module = self.repository.module(path)
        if module is None:
            return
        for kernel in kernels_of(module, self.resolver):
            yield self._extraction(kernel)
        for fragment in in_strings(module.source):
            yield from kernels_in(path, fragment)

    def _extraction(self, kernel: FoundKernel) -> Extraction:
        record = describe(kernel, self.references)
        launcher = record.launchers[0].source if record.launchers else None
        return Extraction(record, isolate(kernel, self.repository, self.resolver, launcher))

    def _tell(self, stage: str, done: int, total: int) -> None:
        if self.progress is not None:
            self.progress(stage, done, total)
