"""The processes of a run: two sandboxes, and which child an entry gets.

The reference's sandbox and the candidate's are two, so that nothing which either leaves behind can
reach the other. On a GPU a process may serve several entries of one origin, one after the other,
since making a CUDA context takes longer than most checks; in the interpreter each has its own.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from validation.harness.gate import Gate
from validation.harness.nursery import (
    Child,
    ChildEnded,
    Closed,
    DeadlinePassed,
    Forged,
    Nursery,
)
from validation.harness.options import Options
from validation.harness.verdicts import ended_as, said_broken

HEALTH_SECONDS = 60.0
# A neighbour that takes all of the machine's processes or memory is gone after some seconds.
PAUSES = (0.0, 2.0, 10.0, 30.0)


class GpuSick(Exception):
    """Nothing more can be checked on this GPU; the sentence is for whoever looks after it."""


class Crew:
    def __init__(self, options: Options) -> None:
        # Before anything is looked for: how this host confines is remembered once it is known.
        options.insist()
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
        self._waiting: dict[tuple[str, str], list[Child]] = {}
        self._lock = threading.Lock()
        self._closed = False

    def open(self) -> None:
        """Both import torch, at once."""
        self.candidates.begin()
        self.references.begin()
        self.candidates.open()
        self.references.open()

    def environment(self) -> dict[str, str]:
        return {
            **self.candidates.hello,
            "device": self.options.device,
            "sandbox": str(self.candidates.level),
        }

    @contextmanager
    def reference(self) -> Iterator[Child]:
        child = self.references.child(programs=False)
        try:
            yield child
        finally:
            child.release()

    @contextmanager
    def candidate(self, role: str, origin: str, *, alone: bool) -> Iterator[Child]:
        """A child for `role`; on a GPU one that served this origin before, unless `alone`."""
        shared = self.options.device == "cuda" and self.options.share > 1 and not alone
        child = self._take(role, origin) if shared else None
        if child is None:
            child = self.candidates.child(programs=self.options.device == "cuda")
        try:
            yield child
        except BaseException:
            child.release()
            raise
        if shared and not child.spoiled and child.served < self.options.share:
            self._put(role, origin, child)
        else:
            child.release()

    def _take(self, role: str, origin: str) -> Child | None:
        with self._lock:
            if self._closed:
                raise Closed
            waiting = self._waiting.get((role, origin))
            return waiting.pop() if waiting else None

    def _put(self, role: str, origin: str, child: Child) -> None:
        with self._lock:
            if not self._closed:
                self._waiting.setdefault((role, origin), []).append(child)

    def check_health(self) -> None:
        """After something went wrong on the GPU: does it still compute?"""
        if self.options.device != "cuda":
            return
        trouble = ""
        for pause in PAUSES:
            time.sleep(pause)
            if not (trouble := self._trouble()):
                return
        raise GpuSick(
            f"The GPU no longer computes what it should ({trouble}), so it gets no more work."
        )

    def _trouble(self) -> str:
        """Why a product of two matrices did not come out right; nothing if it did."""
        child = self.candidates.child(programs=True)
        try:
            order = {"device": "cuda", "gpu_memory": 0.05, "cache": "health"}
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
        with self._lock:
            self._closed = True
        self.candidates.close()
        self.references.close()
