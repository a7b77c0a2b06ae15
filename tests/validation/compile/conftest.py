from collections.abc import Iterator

import pytest

from validation.compile import CompileJudge


@pytest.fixture(scope="session")
def judge() -> Iterator[CompileJudge]:
    """One for all tests: importing Triton takes longest."""
    with CompileJudge(seconds=10) as open_judge:
        yield open_judge
