"""Check many entries concurrently. One thread runs the steps of one entry."""

import logging
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial

from validation.harness.entry import Entry
from validation.harness.examine import Examination
from validation.harness.options import Options
from validation.harness.pool.children import Closed, ServerEnded
from validation.harness.pool.fork_server import ForkServerFailed
from validation.harness.pool.tasks import run_tasks
from validation.harness.pool.worker_pool import GpuSick, WorkerPool
from validation.harness.report import Check, Report, Verdict, presentable
from validation.harness.sandbox import SandboxUnavailable
from validation.harness.session.answered import Answered
from validation.harness.timing.sanitizing import sanitized
from validation.harness.timing.timing import timed

log = logging.getLogger(__name__)

PRODUCT = re.compile(r"\bdot(_scaled)?\(")
# Faults of the machine that no entry causes. An OSError is a full disk, or too many open files.
FAULTS_OF_THE_MACHINE = (Closed, GpuSick, ForkServerFailed, SandboxUnavailable, OSError)
# Error messages of a system without free processes, memory, disk or GPU memory.
NONE_LEFT = (
    "Resource temporarily unavailable", "can't start new thread", "Cannot allocate memory",
    "No space left on device", "out of memory", "busy or unavailable",
)  # fmt: skip


def check(
    entries: Iterable[Entry], options: Options | None = None
) -> Generator[Report, None, None]:
    """Yield reports in order of completion. Closing the generator ends every process."""
    with open_pool(options or Options()) as pool:
        yield from reports(entries, pool)


@contextmanager
def open_pool(options: Options) -> Iterator[WorkerPool]:
    """Yield a pool of warm processes. Its environment has the versions for all reports."""
    pool = WorkerPool(options)
    try:
        pool.open()
        yield pool
    finally:
        pool.close()


def reports(
    entries: Iterable[Entry],
    pool: WorkerPool,
    beat: Callable[[], None] = lambda: None,
    begin: Callable[[Entry], None] = lambda _: None,
) -> Generator[Report, None, None]:
    """Yield reports in order of completion. With timing, passed entries come last.

    beat: called at least every few seconds.
    begin: called with each entry before its check starts.

    An exception of either ends the run.
    """
    at_once = pool.options.workers()
    entries = sort_longest_first(list(entries), after=at_once)

    def examinations() -> Iterator[Callable[[], tuple[Entry, Report]]]:
        for entry in entries:
            begin(entry)
            yield lambda entry=entry: (entry, examine_entry(entry, pool))  # type: ignore[misc]

    # A timed entry needs the GPU for itself, so passed entries wait until all are checked.
    passed = []
    with closing(run_tasks(examinations(), at_once, beat, stop=pool.close)) as results:
        for entry, report in results:
            if pool.options.timing and report.verdict is Verdict.PASSED:
                passed.append((entry, report))
            else:
                yield report
    if passed:
        pool.give_up_idle()
    timings = (
        partial(_contain_faults, entry, pool, partial(timed, entry, report, pool))
        for entry, report in passed
    )
    yield from run_tasks(timings, at_once, beat, stop=pool.close)


def sort_longest_first(entries: Sequence[Entry], *, after: int) -> list[Entry]:
    """Return the entries sorted by expected time, longest first.

    In another order, a slow last entry would leave processors idle. Nearly all of an entry's time
    is compiling by Triton: matrix products take several times as long as other kernels. Long texts
    come next. The first `after` entries stay in front, so that reports come soon.
    """
    by_length = sorted(entries[after:], key=lambda entry: len(entry.triton_code), reverse=True)
    by_product = sorted(by_length, key=lambda entry: PRODUCT.search(entry.triton_code) is None)
    return [*entries[:after], *by_product]


def examine_entry(entry: Entry, pool: WorkerPool) -> Report:
    return _contain_faults(entry, pool, lambda: _check(entry, pool))


def _contain_faults(entry: Entry, pool: WorkerPool, task: Callable[[], Report]) -> Report:
    """Return the report of `task`. If the judge raises, report only this entry as crashed."""
    try:
        return task()
    except FAULTS_OF_THE_MACHINE:
        raise
    except Exception as error:
        log.exception("The judge failed on %s", entry.id)
        words = f"the judge failed on this entry: {type(error).__name__}: {error}"
        return _crashed(entry, pool, words)


def _crashed(entry: Entry, pool: WorkerPool, words: str) -> Report:
    check = presentable(Check("accuracy", Verdict.CRASHED, words))
    environment = {**pool.environment(), "seed": pool.options.seed}
    return Report(entry.id, Verdict.CRASHED, check.words, (check,), {}, environment)


def _check(entry: Entry, pool: WorkerPool) -> Report:
    report = examine(entry, pool)
    if pool.options.sanitize and report.verdict is Verdict.PASSED:
        return sanitized(entry, report, pool)
    return report


def examine(
    entry: Entry, pool: WorkerPool, answered: Answered | None = None,
    options: Options | None = None,
) -> Report:  # fmt: skip
    """Return a report on the entry. If sharing is allowed, its processes also serve other entries.

    answered, options: as for an Examination.

    An entry that does not pass in shared processes is checked again in separate ones. If the
    machine ran out of resources, or the fork server ended, the check is repeated while no other
    entry is checked: another entry may have caused the fault.
    """
    shared, alone = pool.options.device == "cuda" and pool.options.share > 1, False
    server_ends = 0
    while server_ends < 2:
        try:
            with pool.lock.held(exclusive=alone):
                examination = Examination(
                    entry, pool, alone=not shared, answered=answered, options=options
                )
                report = examination.report()
        except ServerEnded:
            server_ends, shared, alone = server_ends + 1, False, True
            continue
        if report.verdict in (Verdict.CRASHED, Verdict.TIMEOUT):
            pool.check_health()
        if report.verdict is Verdict.PASSED or alone or not (shared or is_starved(report)):
            return report
        shared, alone = False, is_starved(report)
    words = "the fork server died while nothing but this entry ran"
    return _crashed(entry, pool, words)


def is_starved(report: Report) -> bool:
    """Return whether a check failed for lack of a resource that another entry may have used up."""
    return any(words in check.words for check in report.checks for words in NONE_LEFT)
