"""The processes of a run: two sandboxes, and which child an entry gets.

The reference and the processes of triton_code have two sandboxes, so that nothing which either
leaves behind can reach the other. On a GPU a process may serve several entries of one origin, one
after the other, since making a CUDA context takes longer than most checks, and others stand by
with theirs; in the interpreter each entry has its own.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from validation.harness.children import Child, ChildEnded, DeadlinePassed, Forged
from validation.harness.gate import Gate
from validation.harness.nursery import Nursery
from validation.harness.options import Options
from validation.harness.standby import AHEAD, Standby
from validation.harness.verdicts import ended_as, said_broken
from validation.sandbox import memory_bound
from validation.sandbox.seal import confined_by, separable

HEALTH_SECONDS = 60.0
# Of a machine with nothing else to do a fifth of one; eight GPUs at once make it wait for sixteen.
CONTEXT_SECONDS = 30.0
# A neighbour that takes all of the machine's processes or memory is gone after some seconds.
PAUSES = (0.0, 2.0, 10.0, 30.0)


class GpuSick(Exception):
    """The GPU can't check any more. The sentence is for its operator."""


class Crew:
    def __init__(self, options: Options) -> None:
        # Before anything is looked for: how this host confines is remembered once it is known.
        options.insist()
        alone = not separable()
        if alone:
            options = replace(options, jobs=1, share=1)
        self.options = options
        seconds = int(options.timeout * 4) * max(1, options.share)
        self.references = Nursery(
            "interpreter", memory=options.memory, cpu_seconds=seconds, level=options.level,
            processes=512,
        )  # fmt: skip
        # A process with a CUDA context holds some GB of libraries.
        memory = options.memory * 2 if options.device == "cuda" else options.memory
        self.candidates = Nursery(
            options.device, memory=memory, cpu_seconds=seconds, level=options.level,
            processes=512 if options.device == "interpreter" else 4096, compiler=options.timing,
        )  # fmt: skip
        self.gate = Gate()
        # While something is timed, no context is made.
        ahead = 0 if options.timing or alone else AHEAD
        self._standby = Standby(self._with_context, ahead=ahead)

    def open(self) -> None:
        """Both import torch, at once."""
        self.candidates.begin()
        self.references.begin()
        self.candidates.open()
        self.references.open()

    def expect(self, entries: int) -> None:
        """Have processes made for so many entries that begin together."""
        if self._on_gpu:
            self._standby.prepare(entries)

    @property
    def _on_gpu(self) -> bool:
        return self.options.device == "cuda"

    def environment(self) -> dict[str, str]:
        return {
            **self.candidates.hello,
            "device": self.options.device,
            "sandbox": confined_by(self.candidates.level),
            "memory": memory_bound(self.candidates.level),
        }

    @contextmanager
    def reference(self) -> Iterator[Child]:
        child = self.references.child(programs=False)
        try:
            yield child
        finally:
            child.release()

    @contextmanager
    def candidate(self, role: str, owner: str, *, alone: bool) -> Iterator[Child]:
        """A child for `role`; on a GPU one that served this owner before, unless `alone`."""
        shared = self._on_gpu and self.options.share > 1 and not alone
        kind = (role, owner) if shared and owner else None
        child = self._standby.take(kind) if self._on_gpu else self.candidates.child(programs=False)
        try:
            yield child
        except BaseException:
            child.release()
            raise
        if kind and not child.spoiled and child.served < self.options.share:
            self._standby.put(kind, child)
        else:
            child.release()

    def forget(self, cache: str) -> None:
        """Remove what was compiled for one entry."""
        if self._on_gpu:
            self.candidates.order("forget", cache)

    def _with_context(self) -> Child:
        """One that does not get it in time, or at all, is none to blame an entry for: another is
        given without, and the entry that makes its own hears why it can't."""
        child = self.candidates.child(programs=True)
        try:
            if not child.ask("", "context", {}, CONTEXT_SECONDS).header:
                return child
        except ChildEnded as ended:
            if ended.why == "parent":
                raise
        except (DeadlinePassed, Forged):
            pass
        child.release()
        return self.candidates.child(programs=True)

    def check_health(self) -> None:
        """After something went wrong on the GPU: does it still compute?"""
        if not self._on_gpu:
            return
        # Those that stand by were made before it.
        self._standby.give_up_new()
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
        child = self.candidates.child(programs=True)
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
        self._standby.close()
        self.candidates.close()
        self.references.close()
