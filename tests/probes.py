"""Probes of work that a test runs: output, pages, queries, and results of several threads."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from threading import Barrier
from typing import Any, TypeVar

from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.waiting import DEADLINE

Result = TypeVar("Result")


def output_of(command: str, *arguments: str, **options: Any) -> str:
    """Return what a command of the project writes to its standard output."""
    out = StringIO()
    call_command(command, *arguments, stdout=out, **options)
    return out.getvalue()


def pages_of(read: Callable[[str], Any]) -> Iterator[Any]:
    """Read page after page, each by the cursor that the page before it names."""
    page = read("")
    yield page
    while page.following:
        page = read(page.following)
        yield page


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
