"""The children of a session: those that serve its entry alone, and those that are shared."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from tests.hostile.zoo.load import zoo
from validation.harness.entry import parse
from validation.harness.options import Options
from validation.harness.session.entry_session import Session


@pytest.mark.parametrize(
    ("session_alone", "child_alone", "expected"),
    [(False, False, False), (False, True, True), (True, False, True)],
)
def test_a_child_is_shared_only_if_session_and_step_allow_it(
    session_alone: bool, child_alone: bool, expected: bool
) -> None:
    asked = []

    @contextmanager
    def candidate(role: str, owner: str, *, alone: bool) -> Iterator[str]:
        asked.append((role, alone))
        yield "child"

    entry = next(parse(each.record(), each.name) for each in zoo())
    pool: Any = SimpleNamespace(options=Options(), candidate=candidate)
    session = Session(entry, pool, alone=session_alone)

    with session.candidate("timing", alone=child_alone):
        pass
    assert asked == [("timing", expected)]
