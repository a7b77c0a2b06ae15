from collections.abc import Iterator

import pytest

from validation.harness.options import Options
from validation.harness.schedule import open_pool
from validation.harness.worker_pool import WorkerPool


@pytest.fixture(scope="session")
def pool() -> Iterator[WorkerPool]:
    """One for all that look at what it says: it has imported torch, which takes ten seconds."""
    with open_pool(Options(jobs=1)) as made:
        yield made
