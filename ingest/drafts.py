"""Drafts of a repository's pairs: read at the commit of its last ingest, written as pairs.

A whole draft becomes a pair, pending, once. What an operation's pair was at an earlier commit
becomes the version before it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from curation.errors import CurationError
from curation.models import Kernel, Origin, Provenance, Repository, Role
from curation.pairs.draft import PairDraft, Source
from ingest.drafting import Draft, Operation, Outcome, draft
from ingest.git import Selection, Snapshot, SourceKind, fetch, parse_source
from ingest.licenses import Assessment, LicenceReader, Verdict, strictest
from ingest.licensing import FileLicences
from ingest.pipeline import LICENCE_FILES

Progress = Callable[[str, int, int], None]

# Tests may stand anywhere, whatever a source's own globs name.
EVERYTHING = Selection(include=("**/*.py",), always=LICENCE_FILES)
HARDEST = ("hard", "medium", "easy")


@dataclass(frozen=True, slots=True)
class Drafted:
    outcome: Outcome
    pair: PairDraft | None
    """For a whole draft."""


def drafted(
    repository: Repository, *, mirrors: Path, licences: LicenceReader, progress: Progress
) -> Iterator[Drafted]:
    """Each operation of a repository with what became of it."""
    if repository.opted_out or repository.role == Role.BENCHMARK:
        raise CurationError(
            f"Nothing is drafted from {repository}: it was opted out or is a benchmark."
        )
    if repository.origin == Origin.INDUCTOR or not repository.last_commit:
        raise CurationError(f"{repository} has no ingested code that people wrote.")
    snapshot = _snapshot(repository, mirrors)
    with snapshot.open() as tree:
        known = FileLicences(tree, licences)
        for outcome in draft(tree, progress):
            pair = None
            if outcome.draft is not None and outcome.missing is None:
                licence = strictest([known.of(path) for path in outcome.draft.drawn_from])
                pair = _pair(repository, snapshot.commit, outcome.operation, outcome.draft, licence)
            yield Drafted(outcome, pair)


def _snapshot(repository: Repository, mirrors: Path) -> Snapshot:
    source = parse_source(repository.url, allow_local=repository.origin == Origin.FOLDER)
    ref = "" if source.kind is SourceKind.FOLDER else repository.last_commit
    return fetch(source, mirrors=mirrors, ref=ref, selection=EVERYTHING)


def _pair(
    repository: Repository, commit: str, operation: Operation, found: Draft, licence: Assessment
) -> PairDraft:
    kernels = _kernels(repository, operation)
    kinds = [kernel.operation_type for kernel in kernels]
    difficulties = {kernel.difficulty for kernel in kernels}
    place = operation.launcher or found.test
    lines = (place.start_line, place.end_line)
    # What is in doubt or in conflict must not be written as if somebody had permitted it.
    settled = licence.verdict in {Verdict.PERMISSIVE, Verdict.BLOCKED}
    return PairDraft(
        entry_point=found.entry_point,
        python_code=found.texts.python_code,
        triton_code=found.texts.triton_code,
        test_code=found.texts.test_code,
        origin="real-world",
        operation_type=next((kind for kind in kinds if kind and kind != "other"), "other"),
        difficulty=next((level for level in HARDEST if level in difficulties), "medium"),
        source=Source(
            repository=repository.name,
            commit=commit,
            path=place.path,
            lines=f"{lines[0]}-{lines[1]}",
            url=repository.blob_url(commit, place.path, lines),
            license=(licence.expression or "") if settled else "",
            copyright="\n".join(licence.copyrights),
        ),
        slug=found.entry_point.removeprefix("run_").replace("_", "-"),
        tags=("drafted", str(found.rule)),
        differentiable=found.differentiable,
        split_group=f"operation:{repository.name}:{place.path}:{operation.name}"[:200],
        kernel=kernels[0].pk if kernels else None,
    )


def _kernels(repository: Repository, operation: Operation) -> list[Kernel]:
    """The rows of an operation's kernels, in the order in which the launcher leads to them."""
    found: list[Kernel] = []
    for place in operation.kernels:
        row = (
            Provenance.objects.filter(
                source_file__repository=repository,
                source_file__path=place.path,
                start_line=place.start_line,
                retired_at=None,
            )
            .select_related("kernel")
            .first()
        )
        if row is not None:
            found.append(row.kernel)
    return found
