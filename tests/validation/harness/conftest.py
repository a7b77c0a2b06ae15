from collections.abc import Iterator

import pytest

from validation.harness import Options, WorkerPool, open_pool


@pytest.fixture(scope="session")
def pool() -> Iterator[WorkerPool]:
    """One for all that look at what it says: it has imported torch, which takes ten seconds."""
    with open_pool(Options(jobs=1)) as made:
        yield made
