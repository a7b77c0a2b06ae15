"""Bounded queue of questions, and the threads that answer them."""

import math
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence

from validation.rewards.answer import RewardAnswer, not_judged
from validation.rewards.question import JudgeQuestion

RETRY_MOST = 60
# Weight of the newest answer in the moving average of seconds for an answer.
NEWEST = 0.2


class Full(Exception):
    """The queue has no room for the questions. `seconds`: time until a retry makes sense."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"The queue is full. Try again in {seconds} s.")
        self.seconds = seconds


class Job:
    """A queued question. If no client waits for its answer, setting `dropped` cancels it."""

    def __init__(self, question: JudgeQuestion) -> None:
        self.question, self.dropped = question, False
        self.answer = not_judged("The service has stopped.")
        self.done = threading.Event()


class WorkQueue:
    """Queue, and threads that answer its questions in order.

    answer: function called in these threads; it never raises.
    most: capacity of the queue.
    """

    def __init__(
        self, answer: Callable[[JudgeQuestion], RewardAnswer], threads: int, most: int
    ) -> None:
        self.most, self.threads = most, threads
        self.running = self.dropped = 0
        self._answer = answer
        self._jobs: deque[Job] = deque()
        self._changed = threading.Condition()
        self._closed = False
        self._mean_seconds = 1.0
        self._members = [
            threading.Thread(target=self._serve, name=f"judge-{number}", daemon=True)
            for number in range(threads)
        ]
        for member in self._members:
            member.start()

    @property
    def waiting(self) -> int:
        with self._changed:
            return self._count()

    def submit(self, questions: Sequence[JudgeQuestion]) -> list[Job]:
        """Queue the questions. If there is not enough room for all, queue none and raise Full."""
        jobs = [Job(question) for question in questions]
        with self._changed:
            waiting = self._count()
            if waiting + len(jobs) > self.most:
                rounds = (waiting + self.running) / self.threads
                raise Full(max(1, min(RETRY_MOST, math.ceil(rounds * self._mean_seconds))))
            self._jobs.extend(jobs)
            self._changed.notify_all()
        return jobs

    def drop(self, jobs: Sequence[Job]) -> None:
        """Cancel waiting jobs. A job that is being answered is completed."""
        with self._changed:
            for job in jobs:
                self.dropped += not job.dropped and not job.done.is_set()
                job.dropped = True

    def close(self) -> None:
        """Answer waiting requests without a reward. Running requests end with the pool."""
        with self._changed:
            self._closed = True
            left, self._jobs = list(self._jobs), deque()
            self._changed.notify_all()
        for job in left:
            job.done.set()

    def join(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        for member in self._members:
            member.join(max(0.0, deadline - time.monotonic()))

    def _count(self) -> int:
        return sum(not job.dropped for job in self._jobs)

    def _next(self) -> Job | None:
        with self._changed:
            while True:
                self._changed.wait_for(lambda: self._closed or self._jobs)
                if self._closed:
                    return None
                job = self._jobs.popleft()
                if not job.dropped:
                    self.running += 1
                    return job

    def _serve(self) -> None:
        while (job := self._next()) is not None:
            job.answer = self._answer(job.question)
            with self._changed:
                self.running -= 1
                self._mean_seconds += NEWEST * (job.answer.seconds - self._mean_seconds)
            job.done.set()
