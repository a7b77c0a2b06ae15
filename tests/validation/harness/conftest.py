from collections.abc import Iterator

import pytest

from validation.harness import Crew, Options, opened


@pytest.fixture(scope="session")
def crew() -> Iterator[Crew]:
    """One for all that look at what it says: it has imported torch, which takes ten seconds."""
    with opened(Options(jobs=1)) as made:
        yield made
