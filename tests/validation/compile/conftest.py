from collections.abc import Iterator

import pytest

from validation.compile import Judge


@pytest.fixture(scope="session")
def judge() -> Iterator[Judge]:
    """One for all tests: importing Triton takes longest."""
    with Judge(seconds=10) as open_judge:
        yield open_judge
