"""Drafting of a complete repository: find for each operation the test that compares it.

Each operation gets a draft, or the reason why it has no draft.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
from ingest.git import Snapshot

# Most bytes of text that stay parsed. flash-attention took 626 MB, and 1,097 MB with the 24 MB of
# an extraction, in the same time (2026-11-30).
MOST_HELD_BYTES = 6_000_000


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


def draft_snapshot(snapshot: Snapshot) -> list[DraftOutcome]:
    """Return the outcomes of a snapshot's operations. A process of its own can call this."""
    with snapshot.open() as tree:
        return list(draft(tree))


def draft(tree: SourceTree) -> Iterator[DraftOutcome]:
    """Yield an outcome for each operation of the tree, ordered by the place of the operation."""
    there = set(tree.paths())
    libraries = find_libraries(tree, ADAPTERS)
    extra = read_stand_ins()
    for library in libraries:
        extra |= library.added_files
    extra = {path: text for path, text in extra.items() if path not in there}
    session = Session(_PreparedTree(tree, extra, libraries), None)
    session.repository.most_held_bytes = MOST_HELD_BYTES
    try:
        session.know()
        for outcome in _outcomes(session, extra):
            yield _placed(outcome, libraries)
    finally:
        session.repository.forget()


def _outcomes(session: Session, extra: dict[str, bytes]) -> Iterator[DraftOutcome]:
    reach = Reach(session.repository, session.resolver)
    operations = Operations(session, reach)
    isolator = Isolator(session.repository, session.resolver, list(extra))
    best: dict[Local, DraftAttempt] = {}
    for file in find_suites(session.repository, session.resolver):
        if isinstance(file, str):
            continue
        for found in draft_tests(file, reach, operations, isolator, best):
            if found.operation not in best or found.progress > best[found.operation].progress:
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
