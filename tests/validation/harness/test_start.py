"""If no fork server can be started, a sentence says what is missing."""

import sys

import pytest

from validation.harness.options import Options
from validation.harness.pool import fork_server
from validation.harness.pool.fork_server import ForkServerFailed
from validation.harness.pool.worker_pool import WorkerPool


def test_missing_packages_are_named_when_the_fork_server_can_not_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fork_server, "NEEDED", ("pytest", "no_such_torch", "no_such_triton"))

    with pytest.raises(ForkServerFailed) as told:
        WorkerPool(Options()).open()

    words = f"{sys.executable} has no no_such_torch and no no_such_triton to check with."
    assert str(told.value) == words
