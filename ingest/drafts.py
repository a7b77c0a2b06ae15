"""Drafts of a repository's pairs, read at the commit of its last ingest.

A complete draft becomes a pending pair, once. An earlier pair of the same operation becomes its
previous version, and is retired if it is still pending. An incomplete draft is stored, so that a
person can finish it. It retires the earlier pair in the same way.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from signal import SIG_DFL, SIGINT, signal

from django.conf import settings
from django.db import transaction
from django.utils.module_loading import import_string

from curation.decisions.decide import decide_by_policy
from curation.errors import CurationError
from curation.kinds.difficulty import pair_difficulty
from curation.models import Origin, Pair, Provenance, Repository, Role, Status
from curation.pairs.draft import PairDraft, Source
from curation.pairs.store import Stored, store_versions
from curation.pairs.unfinished import DraftCounts, Unfinished, keep
from curation.text import pluralize
from ingest.classify.pairs import pair_operation
from ingest.drafting import DraftOutcome, DraftPlace, DraftTexts, LaunchedOperation, Missing
from ingest.drafting.adapters import ADAPTERS
from ingest.drafting.drafting import draft_snapshot
from ingest.drafting.reading.naming import entry_point
from ingest.git import Selection, Snapshot, SourceKind, fetch
from ingest.licenses import Assessment, LicenseReader, Verdict, strictest
from ingest.persist.licenses import kept_readings, license_reader
from ingest.pipeline import LICENSE_FILES
from ingest.simplified_drafts import Simplify, simplified
from ingest.sources import network, readable_source
from ingest.stages import FileLicenses

Progress = Callable[[str, int, int], None]

# Files to read for drafting. A source's globs do not apply, as tests may be in any folder.
DATA = tuple(glob for adapter in ADAPTERS for glob in adapter.data)
EVERYTHING = Selection(include=("**/*.py", *DATA), always=LICENSE_FILES)
# The server imports the code once, so that the process of each repository starts in milliseconds.
PROCESSES = get_context("forkserver")
PROCESSES.set_forkserver_preload(["ingest.drafting"])
REPLACED = "draft_pairs: replaced by a newer draft"
INCOMPLETE = "draft_pairs: no whole draft any more"
RETURNED = "draft_pairs: drafted like this again"
SEEDED = "The Triton side holds the kernels as they were ingested and what launches them, no more."


@dataclass(frozen=True, slots=True)
class Drafted:
    outcome: DraftOutcome
    known: PairDraft
    """The fields of the pair that are known so far."""

    @property
    def pair(self) -> PairDraft | None:
        """The pair if the draft is complete, or None."""
        return None if self.outcome.missing else self.known

    @property
    def unfinished(self) -> Unfinished | None:
        """The draft if a person must finish it, or None if it is complete."""
        if self.outcome.missing is None:
            return None
        operation, missing = self.outcome.operation, [self.outcome.sentence]
        if self.known.triton_code and not _texts(self.outcome).triton_code:
            missing.append(SEEDED)
        place = operation.launcher or operation.kernels[0]
        return Unfinished(place.path, operation.name, self.outcome.missing, missing, self.known)


REASONS: dict[Missing, str] = {
    Missing.NO_LAUNCHER: "without a launcher",
    Missing.NO_TEST: "without a test that calls the launcher",
    Missing.NO_COMPARISON: "without a test that compares",
    Missing.KERNEL_AGAINST_KERNEL: "compared with another kernel only",
    Missing.GRADIENTS_ONLY: "compared in their gradients only",
    Missing.INPUTS: "with inputs that could not be read",
    Missing.REFERENCE_NOT_STANDALONE: "with a reference that does not stand alone",
    Missing.INPUTS_NOT_STANDALONE: "with inputs that do not stand alone",
    Missing.TRITON_NOT_STANDALONE: "with a Triton side that does not stand alone",
    Missing.COMPUTES_IN_TORCH: "with a launcher that computes in torch",
    Missing.UNREADABLE: "with code that could not be read",
}


@dataclass(slots=True)
class Drafting:
    """Drafts of the repositories that could be read, and errors of other repositories."""

    drafts: dict[Repository, list[Drafted]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    stored: Stored = field(default_factory=lambda: Stored(0, 0))
    kept: DraftCounts = field(default_factory=DraftCounts)

    @property
    def pairs(self) -> list[PairDraft]:
        each = (draft.pair for drafts in self.drafts.values() for draft in drafts)
        return [pair for pair in each if pair is not None]

    def summary(self) -> str:
        """Return a line such as "2 repositories -> 27 pairs (31 operations without …, …)"."""
        count = len(self.drafts)
        sources = "1 repository" if count == 1 else f"{count:,} repositories"
        return f"{sources} -> {outcomes(chain.from_iterable(self.drafts.values()))}"

    def store(self, repository: Repository, limit: int | None) -> None:
        """Store up to `limit` complete drafts as pairs, and incomplete drafts for curators."""
        drafts = self.drafts[repository]
        whole = [draft.pair for draft in drafts if draft.pair]
        stored = store_versions(whole[:limit])
        _retire_replaced(whole[:limit])
        _retire_incomplete([draft.known.split_group for draft in drafts if not draft.pair])
        self.stored = Stored(self.stored.added + stored.added, self.stored.known + stored.known)
        kept = keep(repository, [draft.unfinished for draft in drafts if draft.unfinished], whole)
        self.kept = DraftCounts(
            self.kept.added + kept.added,
            self.kept.changed + kept.changed,
            self.kept.left + kept.left,
        )
        if limit is None:
            repository.last_drafting = repository.last_reading
            repository.save(update_fields=["last_drafting"])


def outcomes(drafts: Iterable[Drafted]) -> str:
    """Return a line such as "27 pairs (31 operations without a test that compares, …)"."""
    counts = Counter(draft.outcome.missing for draft in drafts)
    pairs = pluralize(counts.pop(None, 0), "pair")
    reasons = (
        f"{pluralize(count, 'operation')} {REASONS.get(reason, str(reason))}"
        for reason, count in counts.most_common()
        if reason is not None
    )
    return f"{pairs} ({', '.join(reasons)})" if counts else pairs


def draft_repositories(
    repositories: Iterable[Repository],
    progress: Progress,
    *,
    store: bool = True,
    limit: int | None = None,
) -> Drafting:
    """Draft and store the pairs of each repository before the next repository is read.

    An error in one repository does not stop the others.

    limit: maximum number of pairs to store, over all repositories together.
    """
    drafting = Drafting()
    threads = ThreadPoolExecutor(os.cpu_count())
    try:
        with import_string(settings.DRAFT_SIMPLIFIER)() as simplify:
            waiting = [(each, threads.submit(read_drafts, each)) for each in repositories]
            for number, (repository, read) in enumerate(waiting):
                progress(f"draft {repository}", number, len(waiting))
                left = None if limit is None else max(0, limit - len(drafting.pairs))
                try:
                    drafts = list(drafted(repository, *read.result(), license_reader(), simplify))
                except CurationError as error:
                    drafting.errors.append(str(error))
                    continue
                finally:
                    kept_readings().write()
                drafting.drafts[repository] = drafts
                if store:
                    drafting.store(repository, left)
    finally:
        threads.shutdown(cancel_futures=True)
    return drafting


def read_drafts(repository: Repository) -> tuple[Snapshot, list[DraftOutcome]]:
    """Return a repository's snapshot, and its operations as a process of their own drafted them.

    The process ends with the repository, so its memory is free for the next one.
    """
    if repository.opted_out or repository.role == Role.BENCHMARK:
        raise CurationError(f"{repository} was opted out or is a benchmark: it is not drafted.")
    if repository.origin == Origin.INDUCTOR or not repository.last_commit:
        raise CurationError(f"{repository} has no ingested code that people wrote.")
    snapshot = _snapshot(repository, settings.DATA_DIR / "mirrors")
    with ProcessPoolExecutor(
        1, mp_context=PROCESSES, initializer=signal, initargs=(SIGINT, SIG_DFL)
    ) as process:
        try:
            return snapshot, process.submit(draft_snapshot, snapshot).result()
        except Exception as error:
            raise CurationError(f"{repository}: {type(error).__name__}: {error}") from error


def drafted(
    repository: Repository,
    snapshot: Snapshot,
    outcomes: list[DraftOutcome],
    licenses: LicenseReader,
    simplify: Simplify,
) -> Iterator[Drafted]:
    """Yield each operation of a repository with its outcome."""
    with snapshot.open() as tree:
        known = FileLicenses(tree, licenses)
        for outcome in simplified(outcomes, simplify):
            places = _places(repository, outcome.operation)
            license = strictest([known.of(path) for path in _drawn_from(outcome, places)])
            yield Drafted(outcome, _pair(repository, snapshot.commit, outcome, places, license))


@transaction.atomic
def _retire_replaced(present: Sequence[PairDraft]) -> None:
    """Retire pending pairs that newer drafts replace, and restore pairs that are drafted again.

    Versions that a person wrote are not changed.
    """
    contents = [draft.content_hash for draft in present]
    drafted = Pair.objects.filter(split_group__among={draft.split_group for draft in present})
    drafted = drafted.filter(author=None)
    decide_by_policy(
        items=drafted.filter(status=Status.PENDING).exclude(content_hash__among=contents),
        status=Status.RETIRED,
        rules=REPLACED,
    )
    decide_by_policy(
        items=drafted.filter(status=Status.RETIRED, content_hash__among=contents),
        status=Status.PENDING,
        rules=RETURNED,
    )


def _retire_incomplete(groups: Sequence[str]) -> None:
    """Retire pending pairs of operations that no longer have a complete draft."""
    pending = Pair.objects.filter(split_group__among=set(groups), status=Status.PENDING)
    decide_by_policy(items=pending.filter(author=None), status=Status.RETIRED, rules=INCOMPLETE)


def _snapshot(repository: Repository, mirrors: Path) -> Snapshot:
    source = readable_source(repository)
    ref = "" if source.kind is SourceKind.FOLDER else repository.last_commit
    return fetch(source, mirrors=mirrors, ref=ref, selection=EVERYTHING, network=network())


def _pair(
    repository: Repository,
    commit: str,
    outcome: DraftOutcome,
    places: list[Provenance],
    license: Assessment,
) -> PairDraft:
    operation, draft, texts = outcome.operation, outcome.draft, _texts(outcome)
    kernels = [place.kernel for place in places]
    name = draft.entry_point if draft else entry_point(operation.name)
    kind = pair_operation(name, texts.python_code, [each.operation_type for each in kernels])
    triton_code = texts.triton_code or _seed(outcome, places)
    differentiable = draft is not None and draft.differentiable
    place = _place(outcome)
    lines = (place.start_line, place.end_line)
    # A doubtful or conflicting license must not be written into the pair as a permission.
    settled = license.verdict in {Verdict.PERMISSIVE, Verdict.BLOCKED}
    return PairDraft(
        entry_point=name,
        python_code=texts.python_code,
        triton_code=triton_code,
        test_code=texts.test_code,
        description=draft.sentence if draft else "",
        origin="real-world",
        operation_type=kind,
        difficulty=pair_difficulty(triton_code, kind, differentiable),
        source=Source(
            repository=repository.name,
            commit=commit,
            path=place.path,
            lines=f"{lines[0]}-{lines[1]}",
            url=repository.blob_url(commit, place.path, lines),
            license=(license.expression or "") if settled else "",
            copyright="\n".join(license.copyrights),
        ),
        slug=name.removeprefix("run_").replace("_", "-"),
        tags=("drafted", str(draft.rule)) if draft else ("drafted",),
        differentiable=differentiable,
        split_group=f"operation:{repository.name}:{place.path}:{operation.name}"[:200],
        kernel=kernels[0].pk if kernels else None,
        hardware=kernels[0].hardware if kernels else "cuda",
    )


def _texts(outcome: DraftOutcome) -> DraftTexts:
    return outcome.draft.texts if outcome.draft else DraftTexts()


def _place(outcome: DraftOutcome) -> DraftPlace:
    if outcome.operation.launcher:
        return outcome.operation.launcher
    if outcome.draft:
        return outcome.draft.test
    kernel = outcome.operation.kernels[0]
    return DraftPlace(kernel.path, kernel.start_line, kernel.start_line)


def _drawn_from(outcome: DraftOutcome, places: list[Provenance]) -> list[str]:
    """Return the files that the pair's texts come from.

    For an incomplete draft, also return the files that a person needs to finish it.
    """
    drawn = outcome.draft.drawn_from if outcome.draft else ()
    if outcome.missing is None:
        return list(drawn)
    kernel_files = [path for place in places for path in place.drawn_from]
    launched = [kernel.path for kernel in outcome.operation.kernels]
    return sorted({*drawn, *kernel_files, _place(outcome).path, *launched})


def _seed(outcome: DraftOutcome, places: list[Provenance]) -> str:
    """Return Triton code for an incomplete draft: the ingested kernels and their launchers."""
    if outcome.missing is None:
        return ""
    kernels = [place.kernel for place in places if not place.opted_out]
    units = dict.fromkeys(kernel.standalone_source.strip("\n") for kernel in kernels)
    launchers = dict.fromkeys(kernel.launcher_source.strip("\n") for kernel in kernels)
    texts = [text for text in (*units, *launchers) if text]
    return "\n\n\n".join(texts) + "\n" if texts else ""


def _places(repository: Repository, operation: LaunchedOperation) -> list[Provenance]:
    """Return the current provenance rows of an operation's kernels, in the operation's order."""
    rows = (
        Provenance.objects.filter(
            source_file__repository=repository,
            source_file__path=place.path,
            # The stored kernel begins at its first decorator, which an adapter may have removed.
            start_line__lte=place.start_line,
            end_line__gte=place.start_line,
            retired_at=None,
        )
        .select_related("kernel")
        .order_by("-start_line")
        .first()
        for place in operation.kernels
    )
    return [row for row in rows if row is not None]
