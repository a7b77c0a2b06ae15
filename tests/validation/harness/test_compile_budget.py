"""Compiling has a time limit of its own, beside the limit for running."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread
from types import SimpleNamespace

import pytest

from validation.harness.judge.policy import compile_seconds, most_compile_seconds
from validation.harness.pool.channel import Channel, write_parcel
from validation.harness.pool.children import Child, DeadlinePassed, Forged
from validation.harness.pool.fork_server import ForkServer
from validation.harness.worker.child import announce_compiling

Behavior = Callable[[Channel], None]


def compiles(seconds: float) -> Behavior:
    def behave(channel: Channel) -> None:
        channel.send({"compiling": True})
        time.sleep(seconds)
        channel.send({"compiling": False})

    return behave


@contextmanager
def child_that(*behaviors: Behavior) -> Iterator[Child]:
    """Yield a child whose process does this before it answers."""
    server = ForkServer("interpreter", memory=1 << 30, cpu_seconds=9, level=None, processes=9)
    ours, theirs = Channel.pair()
    child = Child(server, 1, ours)
    child._over.set()

    def live() -> None:
        received = theirs.receive()
        assert received is not None
        message, (request, result) = received
        try:
            for behave in behaviors:
                behave(theirs)
            write_parcel(result, [{"said": "done"}, False])
            theirs.send({"done": message["nonce"]})
        except OSError:
            return
        finally:
            os.close(request)
            os.close(result)

    process = Thread(target=live)
    process.start()
    try:
        yield child
    finally:
        ours.close()
        process.join()
        theirs.close()


def test_compile_time_does_not_count_as_run_time() -> None:
    with child_that(compiles(0.3), compiles(0.3)) as child:
        answer = child.ask("suite", "suite", {}, 0.25, compile_budget=5.0)

    assert answer.header == {"said": "done"}
    assert 0.5 < child.compile_seconds < 1.5


@pytest.mark.slow
def test_compiling_beyond_its_budget_is_a_timeout() -> None:
    with child_that(compiles(0.3), compiles(5.0)) as child, pytest.raises(DeadlinePassed) as passed:
        child.ask("suite", "suite", {}, 5.0, compile_budget=0.6)

    assert passed.value.compiling
    assert child.compile_seconds == pytest.approx(0.6, abs=0.1)


def test_exceeding_the_run_time_is_a_timeout_despite_unused_compile_time() -> None:
    with (
        child_that(compiles(0.01), lambda _: time.sleep(1.0)) as child,
        pytest.raises(DeadlinePassed) as passed,
    ):
        child.ask("suite", "suite", {}, 0.2, compile_budget=60.0)

    assert not passed.value.compiling


def test_an_end_of_compiling_without_a_start_is_forged() -> None:
    with (
        child_that(lambda channel: channel.send({"compiling": False})) as child,
        pytest.raises(Forged),
    ):
        child.ask("suite", "suite", {}, 5.0, compile_budget=5.0)


@pytest.mark.parametrize("fails", [False, True])
def test_a_child_announces_each_kernel_that_triton_compiles(
    fails: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled: list[str] = []

    def compile_kernel(source: str) -> None:
        compiled.append(source)
        if fails:
            raise RuntimeError("no such register")

    triton = SimpleNamespace(compiler=SimpleNamespace(compile=compile_kernel))
    monkeypatch.setitem(sys.modules, "triton", triton)
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)
    ours, theirs = Channel.pair()

    announce_compiling(theirs)
    try:
        triton.compiler.compile("kernel")
    except RuntimeError:
        assert fails

    assert compiled == ["kernel"]
    assert ours.receive(1.0) == ({"compiling": True}, [])
    assert ours.receive(1.0) == ({"compiling": False}, [])
    ours.close()
    theirs.close()


def test_in_the_interpreter_no_compilation_is_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    triton = SimpleNamespace(compiler=SimpleNamespace(compile=len))
    monkeypatch.setitem(sys.modules, "triton", triton)
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    ours, theirs = Channel.pair()

    announce_compiling(theirs)

    assert triton.compiler.compile is len
    ours.close()
    theirs.close()


def test_real_world_code_has_a_longer_compile_time_limit() -> None:
    assert compile_seconds("real-world") == 300.0
    assert compile_seconds("manual") == compile_seconds("") == 120.0
    assert most_compile_seconds() == 300.0
