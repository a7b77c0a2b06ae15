"""Questions to a fork server that ends are asked again, and each gets its own answer."""

import pytest

from tests.validation.compile import kernels
from validation.compile import CompileAnswer, Judge, Unit
from validation.harness.sandbox import kill


@pytest.mark.slow
def test_questions_of_a_fork_server_that_ends_are_asked_again() -> None:
    units = [Unit(key, kernels.ADD, "kernel") for key in range(4)]
    killed: list[object] = []

    with Judge(seconds=30, parallel=2) as judge:
        assert judge.environment.triton
        server = judge._workers._server
        assert server is not None

        def kill_once() -> None:
            if not killed:
                killed.append(server._process)
                kill(server._process)

        done = {unit.key: outcome for unit, outcome in judge.compile(units, beat=kill_once)}
        again = {unit.key: outcome for unit, outcome in judge.compile(units[:1])}

    assert len(killed) == 1
    assert {key: outcome.message for key, outcome in done.items()} == dict.fromkeys(range(4), "")
    assert again[0].answer is CompileAnswer.COMPILES
