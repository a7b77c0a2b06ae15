"""Many entries at once: a thread follows each through its processes, reports leave as they come."""

import logging
import queue
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from typing import TypeVar

from validation.harness.children import ChildEnded, Closed
from validation.harness.crew import Crew, GpuSick
from validation.harness.entry import Entry
from validation.harness.examine import Examination
from validation.harness.nursery import ParentAway
from validation.harness.options import Options
from validation.harness.report import Check, Report, Verdict, presentable
from validation.harness.sanitizing import sanitized
from validation.harness.timing import timed
from validation.sandbox import SandboxUnavailable

log = logging.getLogger(__name__)

Done = TypeVar("Done")

AHEAD = 2
# Each has three processes with a context while it waits for its turn.
TIMED_AT_ONCE = 8
BEAT_SECONDS = 1.0
PRODUCT = re.compile(r"\bdot(_scaled)?\(")
# About the machine, whichever entry met them. An OSError is a full disk, or no file left to open.
OF_THE_MACHINE = (Closed, GpuSick, ParentAway, SandboxUnavailable, OSError)
# How systems say that there are no processes, no memory, no disk, no GPU to be had.
NONE_LEFT = (
    "Resource temporarily unavailable", "can't start new thread", "Cannot allocate memory",
    "No space left on device", "out of memory", "busy or unavailable",
)  # fmt: skip


def check(
    entries: Iterable[Entry], options: Options | None = None
) -> Generator[Report, None, None]:
    """Reports in the order in which they are done. Closing the generator ends every process."""
    with opened(options or Options()) as crew:
        yield from reports(entries, crew)


@contextmanager
def opened(options: Options) -> Iterator[Crew]:
    """Yield the warm processes of a run: their environment says for which versions verdicts
    hold."""
    crew = Crew(options)
    try:
        crew.open()
        yield crew
    finally:
        crew.close()


def reports(
    entries: Iterable[Entry],
    crew: Crew,
    beat: Callable[[], None] = lambda: None,
    begin: Callable[[Entry], None] = lambda _: None,
) -> Generator[Report, None, None]:
    """`beat` is called at least every few seconds, and `begin` before an entry is worked on; what
    they raise ends the run. With timing, what passed comes last."""
    at_once = crew.options.workers()
    entries = long_ones_first(list(entries), after=at_once)
    crew.expect(min(at_once, len(entries)))
    # Nothing else may use the GPU while something is timed: what passed waits for the rest.
    passed = []
    with closing(_worked(_begun(entries, crew, begin), crew, beat)) as examinations:
        for entry, report in examinations:
            if crew.options.timing and report.verdict is Verdict.PASSED:
                passed.append((entry, report))
            else:
                yield report
    timings = (partial(_timed, entry, report, crew) for entry, report in passed)
    yield from _worked(timings, crew, beat, TIMED_AT_ONCE)


def _begun(
    entries: Sequence[Entry], crew: Crew, begin: Callable[[Entry], None]
) -> Iterator[Callable[[], tuple[Entry, Report]]]:
    for entry in entries:
        begin(entry)
        yield partial(_with_its_entry, entry, crew)


def long_ones_first(entries: Sequence[Entry], *, after: int) -> list[Entry]:
    """Return the entries with the longest first, as other processors idle while the last is waited
    for. Nearly all of an entry is Triton compiling: a product of matrices takes several times as
    long as anything else, then the longest text. The first `after` stay, so that reports come
    soon."""
    by_length = sorted(entries[after:], key=lambda one: len(one.triton_code), reverse=True)
    return [*entries[:after], *sorted(by_length, key=lambda one: not multiplies(one))]


def multiplies(entry: Entry) -> bool:
    return PRODUCT.search(entry.triton_code) is not None


def _worked(
    tasks: Iterable[Callable[[], Done]], crew: Crew, beat: Callable[[], None], most: int = 1 << 16
) -> Generator[Done, None, None]:
    """Yield the tasks' results, several at once, in the order in which they are done."""
    done: queue.Queue[Done | BaseException] = queue.Queue()
    workers = min(crew.options.workers(), most)
    pool = ThreadPoolExecutor(workers, thread_name_prefix="entry")
    under_way = 0

    def work(task: Callable[[], Done]) -> None:
        try:
            done.put(task())
        except BaseException as error:  # noqa: BLE001 - raised where the results are read
            done.put(error)

    try:
        for task in tasks:
            pool.submit(work, task)
            under_way += 1
            while under_way >= workers * AHEAD or not done.empty():
                yield _next(done, beat)
                under_way -= 1
        for _ in range(under_way):
            yield _next(done, beat)
        under_way = 0
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        if under_way:
            # Threads that still wait for a process learn that there is none any more.
            crew.close()
        pool.shutdown(wait=True)


def _with_its_entry(entry: Entry, crew: Crew) -> tuple[Entry, Report]:
    return entry, examined_at_its_own_cost(entry, crew)


def examined_at_its_own_cost(entry: Entry, crew: Crew) -> Report:
    return _at_its_own_cost(entry, crew, lambda: _checked(entry, crew))


def _timed(entry: Entry, report: Report, crew: Crew) -> Report:
    return _at_its_own_cost(entry, crew, lambda: timed(entry, report, crew))


def _at_its_own_cost(entry: Entry, crew: Crew, task: Callable[[], Report]) -> Report:
    """Return the report of `task`. If the judge fails at an entry, only that one has no verdict."""
    try:
        return task()
    except OF_THE_MACHINE:
        raise
    except Exception as error:
        log.exception("The judge failed on %s", entry.id)
        words = f"the judge failed on this entry: {type(error).__name__}: {error}"
        made = (presentable(Check("accuracy", Verdict.CRASHED, words)),)
        environment = {**crew.environment(), "seed": crew.options.seed}
        return Report(entry.id, Verdict.CRASHED, made[0].words, made, {}, environment)


def _checked(entry: Entry, crew: Crew) -> Report:
    report = examined(entry, crew)
    if crew.options.sanitize and report.verdict is Verdict.PASSED:
        return sanitized(entry, report, crew)
    return report


def examined(entry: Entry, crew: Crew) -> Report:
    """Report on the entry, in shared processes if that is allowed. If it does not pass there, it
    runs again in processes of its own. If the machine had no resources left, or the parent died,
    it runs again while no other entry does, so that it is not blamed for a neighbor."""
    shared, alone = crew.options.device == "cuda" and crew.options.share > 1, False
    died = 0
    while died < 2:
        try:
            with crew.gate.entered(alone=alone):
                report = Examination(entry, crew, alone=not shared).report()
        except ChildEnded:
            died, shared, alone = died + 1, False, True
            continue
        if report.verdict in (Verdict.CRASHED, Verdict.TIMEOUT):
            crew.check_health()
        if report.verdict is Verdict.PASSED or alone or not (shared or starved(report)):
            return report
        shared, alone = False, starved(report)
    words = "the process that starts all others died while nothing but this entry ran"
    made = (Check("accuracy", Verdict.CRASHED, words),)
    return Report(entry.id, Verdict.CRASHED, words, made, {}, crew.environment())


def starved(report: Report) -> bool:
    """Return whether the entry lacked what all entries share: a neighbor may have used it up."""
    return any(words in check.words for check in report.checks for words in NONE_LEFT)


def _next(done: "queue.Queue[Done | BaseException]", beat: Callable[[], None]) -> Done:
    while True:
        beat()
        try:
            result = done.get(timeout=BEAT_SECONDS)
        except queue.Empty:
            continue
        if isinstance(result, Closed):
            raise RuntimeError("The run was closed while entries were under way.")
        if isinstance(result, BaseException):
            raise result
        return result
