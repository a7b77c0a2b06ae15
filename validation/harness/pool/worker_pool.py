"""Processes of a run: two fork servers, and the choice of a child for each entry.

Attack: the reference leaves data for triton_code to find, or the reverse.
Defense: each has its own fork server in its own sandbox. In the interpreter, a child serves only
one entry. On a GPU, the driver creates CUDA contexts one at a time. So children with a context are
created in advance, and a replayer, which runs no entry's Python, serves several entries.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from validation.harness.judge.policy import most_compile_seconds
from validation.harness.options import Options
from validation.harness.pool.children import Child, DeadlinePassed, NoAnswer
from validation.harness.pool.fork_server import ForkServer
from validation.harness.pool.idle_pool import AHEAD, IdlePool
from validation.harness.pool.shared_lock import SharedLock
from validation.harness.sandbox import memory_bound
from validation.harness.sandbox.seal import confined_by, is_separable

HEALTH_SECONDS = 60.0
# Seconds to wait for a context. An idle machine needs 0.2 s; eight GPUs at once need 16 s.
CONTEXT_SECONDS = 30.0
# Share of a GPU's memory that timed entries may reserve. The rest is for other processes, and for
# allocations that can't be estimated.
USED = 0.75
# Pauses in seconds before the attempts, in which a program that exhausts resources is killed.
PAUSES = (0.0, 2.0, 10.0, 30.0)


class GpuSick(Exception):
    """The GPU no longer works. The message is for its operator."""


class WorkerPool:
    """Children of a run. Each entry holds `lock`, exclusively if it runs alone."""

    def __init__(self, options: Options) -> None:
        # Validate first, because this caches the confinement that the host allows.
        options.validate()
        one_at_a_time = not is_separable()
        if one_at_a_time:
            options = replace(options, jobs=1, share=1)
        self.options, self.lock = options, SharedLock()
        self._on_gpu = options.device == "cuda"
        seconds = int(options.timeout * 4 + most_compile_seconds()) * max(1, options.share)
        self.references = ForkServer(
            "interpreter", memory=options.memory, cpu_seconds=seconds, level=options.level,
            processes=512,
        )  # fmt: skip
        self.candidates = ForkServer(
            options.device,
            # The libraries of a process with a CUDA context take some GB.
            memory=options.memory * 2 if self._on_gpu else options.memory,
            cpu_seconds=seconds,
            level=options.level,
            processes=4096 if self._on_gpu else 512,
            programs=self._on_gpu,
            compiler=options.timing,
        )
        # No context may be created during a timing, so make no children ahead.
        ahead = 0 if options.timing or one_at_a_time else AHEAD
        self._idle = IdlePool(self._with_context, ahead=ahead)

    def open(self) -> None:
        """Warm up both servers at the same time, because each takes long to import torch."""
        self.candidates.begin()
        self.references.begin()
        self.candidates.open()
        self.references.open()
        total = self.candidates.versions.get("memory_bytes", "")
        # Timed entries share the GPU's memory. Without a GPU, nothing is reserved.
        self.gpu_memory = SharedLock(int(USED * int(total)) if total.isdecimal() else 0)

    def environment(self) -> dict[str, str]:
        """Return the versions and the confinement, which every result records."""
        return {
            **self.candidates.versions,
            "device": self.options.device,
            "sandbox": confined_by(self.candidates.level),
            "memory": memory_bound(self.candidates.level),
        }

    def shares(self, *, alone: bool) -> bool:
        """Return whether a child may serve several roles and entries."""
        return self._on_gpu and self.options.share > 1 and not alone

    @contextmanager
    def reference(self) -> Iterator[Child]:
        child = self.references.child()
        try:
            yield child
        finally:
            child.release()

    @contextmanager
    def candidate(self, role: str, *, alone: bool) -> Iterator[Child]:
        """Yield a child for `role`. On a GPU, a replayer may have served before, unless `alone`."""
        shared = role == "replayer" and self.shares(alone=alone)
        child = self._idle.take(used=shared) if self._on_gpu else self.candidates.child()
        # A process that is shutting down would disturb a timing, so kill it instead.
        end = child.kill if self.options.timing else child.release
        child.role, child.served = "", child.served + 1
        try:
            yield child
        except BaseException:
            end()
            raise
        if shared and child.served < self.options.share:
            self._idle.put(child)
        else:
            end()

    def forget(self, cache: str) -> None:
        """Remove the compile cache of an entry."""
        if self._on_gpu:
            self.candidates.send("forget", cache)

    def give_up_idle(self) -> None:
        """End the idle children to free their GPU memory."""
        self._idle.give_up()

    def _with_context(self) -> Child:
        """Return a child with a CUDA context, or without one after a timeout.

        After a timeout, the entry creates its context itself, and reports an error.
        """
        child = self.candidates.child()
        try:
            child.ask("health", "context", {}, CONTEXT_SECONDS)
        except NoAnswer:
            child.release()
            return self.candidates.child()
        return child

    def check_health(self) -> None:
        """Raise GpuSick if the GPU no longer works. Called after a failure on the GPU."""
        if not self._on_gpu:
            return
        # Discard children that were made before the failure.
        self._idle.give_up()
        trouble = ""
        for pause in PAUSES:
            time.sleep(pause)
            if not (trouble := self._trouble()):
                return
        raise GpuSick(
            f"The GPU no longer computes what it should ({trouble}), so it gets no more work."
        )

    def _trouble(self) -> str:
        """Multiply two matrices. Return why the result is not right, or an empty text."""
        child = self.candidates.child()
        try:
            order = {"device": "cuda", "gpu_memory": 0.05}
            header = child.ask("health", "health", order, HEALTH_SECONDS).header
            return "" if header.get("right") is True else "a product of two matrices is wrong"
        except DeadlinePassed:
            return f"a product of two matrices takes longer than {HEALTH_SECONDS:g} s"
        except NoAnswer as failed:
            return str(failed)
        finally:
            child.release()

    def close(self) -> None:
        self._idle.close()
        self.candidates.close()
        self.references.close()
