"""Drafting of a complete repository: find for each operation the test that compares it.

Each operation gets a draft, or the reason why it has no draft.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from ingest.drafting.adapters import ADAPTERS, Rewriter, find_libraries
from ingest.drafting.attempt import draft_tests
from ingest.drafting.isolating.standalone import Isolator
from ingest.drafting.isolating.tuning import read_autotuners
from ingest.drafting.outcomes import (
    DraftAttempt,
    DraftOutcome,
    DraftPlace,
    LaunchedOperation,
    Missing,
)
from ingest.drafting.reading.lifting import lift_imports
from ingest.drafting.reading.operations import Operations
from ingest.drafting.reading.reach import Reach
from ingest.drafting.reading.suites import find_suites
from ingest.drafting.writing.test_template import read_stand_ins
from ingest.extract.extraction import Session
from ingest.extract.source_tree import SourceTree
from ingest.extract.targets import Local

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class _PreparedTree:
    """A tree whose files are prepared, with stand-ins for packages that a pair may not import.

    `libraries`: rewriters of the files of operator libraries.
    """

    tree: SourceTree
    extra: dict[str, bytes]
    libraries: list[Rewriter]
    ready: dict[str, bytes] = field(default_factory=dict)
    """Cache of prepared files, because each of them is read many times."""

    @property
    def sure(self) -> frozenset[str]:
        modules = (path.removesuffix(".py").removesuffix("/__init__") for path in self.extra)
        return frozenset(module.replace("/", ".") for module in modules)

    def paths(self) -> list[str]:
        return sorted({*self.tree.paths(), *self.extra})

    def read(self, path: str) -> bytes | None:
        data = self.extra[path] if path in self.extra else self.tree.read(path)
        if data is None or not path.endswith(".py"):
            return data
        if path not in self.ready:
            for library in self.libraries:
                data = library.rewrite(path, data)
            self.ready[path] = read_autotuners(lift_imports(data, self.sure))
        return self.ready[path]


def draft(tree: SourceTree, progress: Progress | None = None) -> Iterator[DraftOutcome]:
    """Yield an outcome for each operation of the tree, ordered by the place of the operation."""
    there = set(tree.paths())
    libraries = find_libraries(tree, ADAPTERS)
    extra = read_stand_ins()
    for library in libraries:
        extra |= library.added_files
    extra = {path: text for path, text in extra.items() if path not in there}
    session = Session(_PreparedTree(tree, extra, libraries), progress)
    try:
        session.know()
        for outcome in _outcomes(session, extra, progress):
            yield _placed(outcome, libraries)
    finally:
        session.repository.forget()


def _outcomes(
    session: Session, extra: dict[str, bytes], progress: Progress | None
) -> Iterator[DraftOutcome]:
    reach = Reach(session.repository, session.resolver)
    operations = Operations(session, reach)
    isolator = Isolator(session.repository, session.resolver, list(extra))
    best: dict[Local, DraftAttempt] = {}
    unreadable: list[str] = []
    files = list(find_suites(session.repository, session.resolver))
    for number, file in enumerate(files):
        if progress is not None:
            progress("draft", number, len(files))
        if isinstance(file, str):
            unreadable.append(file)
            continue
        for found in draft_tests(file, reach, operations, isolator, best):
            known = best.get(found.operation)
            if known is None or found.progress > known.progress:
                best[found.operation] = found
    for local in sorted({*operations.by_name, *best}, key=lambda one: (one.path, one.name)):
        yield _outcome(operations.get(local), best.get(local))
    for operation in operations.without_launcher:
        yield DraftOutcome(
            operation,
            None,
            Missing.NO_LAUNCHER,
            f"Nothing in the repository launches {operation.name} from the host.",
        )


def _placed(outcome: DraftOutcome, libraries: Sequence[Rewriter]) -> DraftOutcome:
    """Return an outcome with line numbers of the author's files, as a rewriter may add lines."""
    operation = outcome.operation
    for library in libraries:
        place = operation.launcher
        if place is not None:
            first, last = (
                library.line(place.path, line) for line in (place.start_line, place.end_line)
            )
            place = DraftPlace(place.path, first, last)
        kernels = tuple(map(library.place, operation.kernels))
        operation = replace(operation, launcher=place, kernels=kernels)
    return replace(outcome, operation=operation)


def _outcome(operation: LaunchedOperation, attempt: DraftAttempt | None) -> DraftOutcome:
    if attempt is None:
        return DraftOutcome(
            operation, None, Missing.NO_TEST, f"No test was found that uses {operation.name}."
        )
    return DraftOutcome(operation, attempt.draft, attempt.missing, attempt.sentence)
