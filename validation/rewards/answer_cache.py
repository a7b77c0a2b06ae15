"""Cache of the references' answers, so that several kernels can be compared with them.

A trainer requests rewards for several kernels of each prompt. Most of a check's time goes to the
inputs and the reference's answers, which do not depend on the kernel. If their computation fails,
the kernel is not at fault.
"""

import threading
from collections import OrderedDict
from dataclasses import dataclass

from validation.harness.judge.replay_evidence import Wanted
from validation.harness.options import Options
from validation.harness.pool.worker_pool import WorkerPool
from validation.harness.report import Check, Verdict
from validation.harness.session.answered import Answered, check_test, load_answered
from validation.harness.session.entry_session import Session, Stopped
from validation.rewards.question import JudgeReference

# Number of locks. References that share a lock may wait for each other.
LOCKS = 64
# Maximum number of references in the cache. Each holds two or three open files.
COUNT_MOST = 1000
# Verdicts that a second attempt may change, so they are not cached.
PASSING = (Verdict.TIMEOUT, Verdict.CRASHED)


class UnusableReference(Exception):
    """No kernel can be judged with this reference; the message says why."""

    def __init__(self, check: Check) -> None:
        super().__init__(f"The reference can't be used: {check.words}")
        self.check = check


@dataclass(frozen=True, slots=True)
class CachedAnswers:
    """Answers with their size in bytes, or the reason for their absence."""

    answered: Answered | None = None
    size: int = 0
    unusable: Check | None = None


class AnswerCache:
    """LRU cache of answers by reference and options, limited by their bytes."""

    def __init__(self, pool: WorkerPool, most: int) -> None:
        self._pool, self._most = pool, most
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, CachedAnswers] = OrderedDict()
        self._locks = [threading.Lock() for _ in range(LOCKS)]
        self.hits = self.misses = 0

    @property
    def size(self) -> int:
        with self._lock:
            return self._bytes()

    def _bytes(self) -> int:
        return sum(kept.size for kept in self._kept.values())

    def answered(self, reference: JudgeReference, options: Options) -> Answered:
        """Return the inputs and answers, or raise UnusableReference or ServerEnded."""
        key = f"{reference.key} {' '.join(options.checks)}"
        # One thread computes the answers of a reference, while others that need them wait.
        with self._locks[hash(key) % LOCKS]:
            kept = self._look_up(key)
            if kept is None:
                kept = self._make(reference, options)
                if kept.unusable is None or kept.unusable.verdict not in PASSING:
                    self._keep(key, kept)
        if kept.answered is None:
            raise UnusableReference(kept.unusable or Check("accuracy", None, "no answers"))
        return kept.answered

    def _look_up(self, key: str) -> CachedAnswers | None:
        with self._lock:
            kept = self._kept.get(key)
            self.hits += kept is not None
            self.misses += kept is None
            if kept is not None:
                self._kept.move_to_end(key)
            return kept

    def _keep(self, key: str, kept: CachedAnswers) -> None:
        with self._lock:
            self._kept[key] = kept
            while len(self._kept) > COUNT_MOST or (
                len(self._kept) > 1 and self._bytes() > self._most
            ):
                self._kept.popitem(last=False)

    def _make(self, reference: JudgeReference, options: Options) -> CachedAnswers:
        session = Session(reference.entry(""), self._pool, alone=True, options=options)
        try:
            with (
                self._pool.lock.held(exclusive=False),
                self._pool.reference() as author,
                session.reading(),
            ):
                answered = load_answered(session, author)
                if session.wants("falsifiable"):
                    check = check_test(session, author, answered)
                    if check.verdict is not Verdict.PASSED:
                        return CachedAnswers(unusable=check)
        except Stopped as stopped:
            return CachedAnswers(unusable=stopped.check)
        finally:
            self._pool.forget(session.cache)
        return CachedAnswers(answered, size_of(answered))


def size_of(answered: Answered) -> int:
    """Return the bytes of the inputs and answers."""
    inputs = sum(len(blob) for blob in answered.tried.inputs.blobs)
    return inputs + sum(_size(wanted) for wanted in answered.wanted.values())


def _size(wanted: Wanted) -> int:
    values = (wanted.native, wanted.precise, wanted.shaken)
    tensors = [tensor for value in values if value is not None for tensor in value.tensors()]
    return sum(len(tensor.raw) for tensor in tensors)
