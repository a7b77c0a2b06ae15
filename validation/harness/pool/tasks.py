"""Run tasks in threads, and yield their results in order of completion."""

from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import islice
from typing import TypeVar

from validation.harness.pool.children import Closed

Result = TypeVar("Result")

# Number of submitted tasks for each thread, so that no thread waits for its next task.
AHEAD = 2
BEAT_SECONDS = 1.0


def run_tasks(
    tasks: Iterable[Callable[[], Result]],
    at_once: int,
    beat: Callable[[], None],
    *,
    stop: Callable[[], None],
) -> Generator[Result, None, None]:
    """Yield the tasks' results in order of completion, running `at_once` of them concurrently.

    beat: called every second.
    stop: called if the caller stops early. It must end the running tasks.
    """
    threads = ThreadPoolExecutor(at_once, thread_name_prefix="entry")
    tasks = iter(tasks)
    pending: set[Future[Result]] = set()
    try:
        while True:
            for task in islice(tasks, at_once * AHEAD - len(pending)):
                pending.add(threads.submit(task))
            if not pending:
                return
            beat()
            done, pending = wait(pending, BEAT_SECONDS, FIRST_COMPLETED)
            for future in done:
                if isinstance(future.exception(), Closed):
                    raise RuntimeError("The run was closed while entries were under way.")
                yield future.result()
    finally:
        threads.shutdown(wait=False, cancel_futures=True)
        if pending:
            stop()
        threads.shutdown(wait=True)
