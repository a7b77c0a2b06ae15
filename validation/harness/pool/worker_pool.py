"""The processes of a run: two fork servers, and the choice of the child that an entry gets.

Attack: what the reference leaves behind reaches triton_code, or the reverse. Defense: each has a
fork server in a sandbox of its own. In the interpreter each entry has children of its own. On a
GPU the driver makes one CUDA context after the other, and each takes longer than most checks. So
children wait with a context, and serve more than once: one that runs an entry's Python serves other
entries of the same origin, and a replayer, which runs none, any entry.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from validation.harness.options import Options
from validation.harness.policy import most_compile_seconds
from validation.harness.pool.children import SERVER_ENDED, Child, ChildEnded, DeadlinePassed, Forged
from validation.harness.pool.fork_server import ForkServer
from validation.harness.pool.gpu_memory import GpuMemory
from validation.harness.pool.idle_pool import AHEAD, IdlePool
from validation.harness.pool.shared_lock import SharedLock
from validation.harness.sandbox import memory_bound
from validation.harness.sandbox.seal import confined_by, is_separable
from validation.harness.verdicts import ended_as, said_broken

HEALTH_SECONDS = 60.0
# An idle machine needs a fifth of a second; eight GPUs at once make it wait for sixteen.
CONTEXT_SECONDS = 30.0
# A program that takes all of the machine's processes or memory is gone after some seconds.
PAUSES = (0.0, 2.0, 10.0, 30.0)


class GpuSick(Exception):
    """The GPU can't check any more. The sentence is for its operator."""


class WorkerPool:
    """The children of a run. `lock` is held by each entry, exclusively by one that runs alone."""

    def __init__(self, options: Options) -> None:
        # First of all: the host's confinement is cached once it is known.
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
            # A process with a CUDA context holds some GB of libraries.
            memory=options.memory * 2 if self._on_gpu else options.memory,
            cpu_seconds=seconds,
            level=options.level,
            processes=4096 if self._on_gpu else 512,
            programs=self._on_gpu,
            compiler=options.timing,
        )
        # While something is timed, no context is made.
        ahead = 0 if options.timing or one_at_a_time else AHEAD
        self._idle = IdlePool(self._with_context, ahead=ahead)

    def open(self) -> None:
        """Warm up both servers at once: each imports torch."""
        self.candidates.begin()
        self.references.begin()
        self.candidates.open()
        self.references.open()
        total = self.candidates.versions.get("memory_bytes", "")
        self.gpu_memory = GpuMemory(int(total) if total.isdecimal() else 0)

    def prepare(self, entries: int) -> None:
        """Make children ahead of need for so many entries that begin together."""
        if self._on_gpu:
            self._idle.prepare(entries)

    def environment(self) -> dict[str, str]:
        """Return the versions and the confinement that every result names."""
        return {
            **self.candidates.versions,
            "device": self.options.device,
            "sandbox": confined_by(self.candidates.level),
            "memory": memory_bound(self.candidates.level),
        }

    def shares(self, *, alone: bool) -> bool:
        """Return whether a child may serve more than once."""
        return self._on_gpu and self.options.share > 1 and not alone

    @contextmanager
    def reference(self) -> Iterator[Child]:
        child = self.references.child()
        try:
            yield child
        finally:
            child.release()

    @contextmanager
    def candidate(self, role: str, owner: str, *, alone: bool) -> Iterator[Child]:
        """Yield a child for `role`; on a GPU one that may have served before, unless `alone`."""
        kind = None
        if self.shares(alone=alone) and (owner or role == "replayer"):
            kind = (role, "" if role == "replayer" else owner)
        child = self._idle.take(kind) if self._on_gpu else self.candidates.child()
        # While something is timed, no process may be about to end.
        end = child.kill if self.options.timing else child.release
        try:
            yield child
        except BaseException:
            end()
            raise
        if kind and not child.spoiled and child.served < self.options.share:
            self._idle.put(kind, child)
        else:
            end()

    def forget(self, cache: str) -> None:
        """Remove what was compiled for one entry."""
        if self._on_gpu:
            self.candidates.send("forget", cache)

    def give_up_idle(self) -> None:
        """End the idle children, which hold memory of the GPU."""
        self._idle.give_up()

    def _with_context(self) -> Child:
        """Return a child with a CUDA context, or without one if it gets none in time.

        The entry that then makes its own context reports the error.
        """
        child = self.candidates.child()
        try:
            if not child.ask("", "context", {}, CONTEXT_SECONDS).header:
                return child
        except ChildEnded as ended:
            if ended.why == SERVER_ENDED:
                raise
        except (DeadlinePassed, Forged):
            pass
        child.release()
        return self.candidates.child()

    def check_health(self) -> None:
        """Raise GpuSick if the GPU no longer computes, after something went wrong on it."""
        if not self._on_gpu:
            return
        # Idle children were made before it.
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
        """Return why a product of two matrices did not come out right, or an empty text."""
        child = self.candidates.child()
        try:
            order = {"device": "cuda", "gpu_memory": 0.05}
            header = child.ask("health", "health", order, HEALTH_SECONDS).header
            if header.get("right") is True:
                return ""
            return said_broken(header) or "a product of two matrices is wrong"
        except DeadlinePassed:
            return f"a product of two matrices takes longer than {HEALTH_SECONDS:g} s"
        except ChildEnded as ended:
            return ended_as("", "", ended).words
        except (Forged, AttributeError) as error:
            return str(error)
        finally:
            child.release()

    def close(self) -> None:
        self._idle.close()
        self.candidates.close()
        self.references.close()
