"""Probes of work that a test runs: its queries, and its results in several threads at once."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.waiting import DEADLINE

Result = TypeVar("Result")


def queries_of(work: Callable[[], object]) -> list[str]:
    """Return the SQL of each query of `work`."""
    with CaptureQueriesContext(connection) as asked:
        work()
    return [query["sql"] for query in asked]


def at_once(works: Sequence[Callable[[], Result]]) -> list[Result]:
    """Return the results of `works`, which begin together, each in a thread of its own."""
    ready = Barrier(len(works))

    def run(work: Callable[[], Result]) -> Result:
        ready.wait(DEADLINE)
        try:
            return work()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(works)) as threads:
        return list(threads.map(run, works))
