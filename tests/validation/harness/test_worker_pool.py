"""On a GPU only replayers serve more than one entry: they run no entry's Python."""

from typing import Any

import pytest

from validation.harness.options import Options
from validation.harness.pool.worker_pool import WorkerPool
from validation.harness.sandbox import Level


class Child:
    served = 1

    def release(self) -> None: ...


class Idle:
    """Stand-in for the pool of idle children, which needs a GPU. It records its calls."""

    def __init__(self) -> None:
        self.taken: list[bool] = []
        self.returned: list[Any] = []

    def take(self, *, used: bool) -> Child:
        self.taken.append(used)
        return Child()

    def put(self, child: Child) -> None:
        self.returned.append(child)


@pytest.mark.parametrize(
    ("role", "alone", "shared"),
    [("replayer", False, True), ("replayer", True, False), ("launcher", False, False)],
)
def test_only_a_replayer_that_is_not_alone_serves_several_entries(
    role: str, alone: bool, shared: bool
) -> None:
    pool = WorkerPool(Options(device="cuda", level=Level.NONE))
    pool._idle = idle = Idle()  # type: ignore[assignment]

    with pool.candidate(role, alone=alone):
        pass

    assert idle.taken == [shared]
    assert len(idle.returned) == shared
