"""Many entries at once: a thread follows each through its processes, reports leave as they come."""

import queue
import threading
from collections.abc import Generator, Iterable
from concurrent.futures import ThreadPoolExecutor

from validation.harness.crew import Crew
from validation.harness.entry import Entry
from validation.harness.examine import Examination
from validation.harness.nursery import ChildEnded, Closed
from validation.harness.options import Options
from validation.harness.report import Check, Report, Verdict

AHEAD = 2


def check(
    entries: Iterable[Entry], options: Options | None = None
) -> Generator[Report, None, None]:
    """Reports in the order in which they are done. Closing the iterator ends every process."""
    options = options or Options()
    crew = Crew(options)
    done: queue.Queue[Report | BaseException] = queue.Queue()
    room = threading.Semaphore(options.workers() * AHEAD)
    pool = ThreadPoolExecutor(options.workers(), thread_name_prefix="entry")

    def work(entry: Entry) -> None:
        try:
            done.put(examined(entry, crew, options))
        except BaseException as error:  # noqa: BLE001 - raised where the reports are read
            done.put(error)

    try:
        crew.open()
        under_way = 0
        for entry in entries:
            while not room.acquire(blocking=False):
                yield _next(done)
                room.release()
                under_way -= 1
            pool.submit(work, entry)
            under_way += 1
            while not done.empty():
                yield _next(done)
                room.release()
                under_way -= 1
        for _ in range(under_way):
            yield _next(done)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        crew.close()
        pool.shutdown(wait=True)


def examined(entry: Entry, crew: Crew, options: Options) -> Report:
    """With others where that is allowed; what did not pass there, again alone."""
    shared = options.device == "cuda" and options.share > 1
    for alone in (False, True) if shared else (True, True):
        try:
            report = Examination(entry, crew, options, alone=alone).report()
        except ChildEnded:
            continue
        if report.verdict in (Verdict.CRASHED, Verdict.TIMEOUT):
            crew.check_health()
        if alone or report.verdict is Verdict.PASSED:
            return report
    # Twice a parent went down under it. Others may have been at work too, but not both times.
    words = "the process that starts all others died while this entry ran, twice"
    made = (Check("conduct", Verdict.CHEATING, words),)
    return Report(entry.id, Verdict.CHEATING, words, made, {}, crew.environment())


def _next(done: "queue.Queue[Report | BaseException]") -> Report:
    result = done.get()
    if isinstance(result, Closed):
        raise RuntimeError("The run was closed while entries were under way.")
    if isinstance(result, BaseException):
        raise result
    return result
