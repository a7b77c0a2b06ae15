"""Processes on a GPU serve more than once, and never mix the Python of unknown sources."""

from typing import Any

import pytest

from validation.harness.options import Options
from validation.harness.pool.worker_pool import WorkerPool
from validation.harness.sandbox import Level

REPOSITORY = "real-world:some/where"


class Child:
    spoiled, served = False, 1

    def release(self) -> None: ...


class Idle:
    """Stand-in for the pool of idle children, which needs a GPU. It keeps what is asked of it."""

    def __init__(self) -> None:
        self.kinds: list[Any] = []
        self.returned: list[Any] = []

    def take(self, kind: Any) -> Child:
        self.kinds.append(kind)
        return Child()

    def put(self, kind: Any, child: Child) -> None:
        self.returned.append(kind)


@pytest.mark.parametrize(
    ("role", "owner", "kind"),
    [
        ("replayer", "", ("replayer", "")),
        ("replayer", REPOSITORY, ("replayer", "")),
        ("launcher", "", None),
        ("launcher", REPOSITORY, ("launcher", REPOSITORY)),
    ],
)
def test_only_replayers_serve_entries_of_unknown_sources(role: str, owner: str, kind: Any) -> None:
    pool = WorkerPool(Options(device="cuda", level=Level.NONE))
    pool._idle = idle = Idle()  # type: ignore[assignment]

    with pool.candidate(role, owner, alone=False):
        pass
    with pool.candidate(role, owner, alone=True):
        pass

    assert idle.kinds == [kind, None]
    assert idle.returned == [kind] * (kind is not None)
