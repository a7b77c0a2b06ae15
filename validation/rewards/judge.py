"""Judge of the reward service: runs the harness for a question and returns the answer.

A faulty kernel gets a low reward. If the machine, the reference or this service is at fault in a
second attempt too, the answer has no reward. No submitted code runs in this process.
"""

import logging
import time
from dataclasses import replace

from validation.harness.examine import Examination
from validation.harness.pool.children import Closed, ServerEnded
from validation.harness.pool.worker_pool import GpuSick, WorkerPool
from validation.harness.report import Report, Verdict
from validation.harness.schedule import FAULTS_OF_THE_MACHINE, is_starved
from validation.harness.timing.timing import timed
from validation.rewards.answer import RewardAnswer, Tier, not_judged
from validation.rewards.answer_cache import AnswerCache, UnusableReference
from validation.rewards.disclosure import public_checks, public_grades, public_message
from validation.rewards.load import Load
from validation.rewards.question import JudgeQuestion, unreadable
from validation.rewards.scale import reward_of

log = logging.getLogger(__name__)

# Maximum number of attempts if the fork server dies.
ATTEMPTS = 3
# A child that timed out with less than this share of a processor had to wait for a processor.
BUSY = 0.5
# If other programs use this share of the processors, they are to blame for a timeout.
OVERLOADED = 0.5
FAST = ("accuracy", "compiles", "triton")
# Bytes of cached inputs and answers of references.
KEPT_MOST = 1 << 30
KILLED = "killed by SIGKILL"


class NotJudged(Exception):
    """The kernel could not be judged; the message says why."""


class RewardJudge:
    """Judge on a pool of warm processes. `sick`: why the pool can't judge, or an empty text."""

    def __init__(self, pool: WorkerPool) -> None:
        self.pool, self.sick = pool, ""
        self.references = AnswerCache(pool, KEPT_MOST)
        self._options = {
            Tier.FAST: replace(pool.options, checks=FAST),
            Tier.FULL: pool.options,
        }

    def answer(self, question: JudgeQuestion) -> RewardAnswer:
        """Return the answer to a question, without raising an exception."""
        started = time.monotonic()
        try:
            answer = unreadable(question.triton_code) or self._judged(question)
        except (NotJudged, UnusableReference) as fault:
            answer = not_judged(str(fault))
        except GpuSick as sick:
            self.sick = str(sick)
            answer = not_judged(self.sick)
        except Closed:
            answer = not_judged("The service has stopped.")
        except FAULTS_OF_THE_MACHINE as error:
            answer = not_judged(f"The machine failed: {str(error) or type(error).__name__}")
        except Exception as error:
            log.exception("The judge failed")
            answer = not_judged(f"The judge failed: {type(error).__name__}.")
        return replace(answer, seconds=round(time.monotonic() - started, 4))

    def _judged(self, question: JudgeQuestion) -> RewardAnswer:
        report = self._examined(question)
        if self.pool.options.timing and self._is_right(report, question):
            entry = question.reference.entry(question.triton_code)
            report = timed(entry, report, self.pool)
        return RewardAnswer(
            verdict=str(report.verdict),
            reward=reward_of(report, question.tier),
            message=public_message(report),
            checks=public_checks(report),
            grades=public_grades(report),
        )

    def _is_right(self, report: Report, question: JudgeQuestion) -> bool:
        return (
            question.tier is Tier.FULL
            and report.verdict is Verdict.PASSED
            and reward_of(report, Tier.FULL) > 0.0
        )

    def _examined(self, question: JudgeQuestion) -> Report:
        """Return the report, or raise NotJudged if something other than the kernel is to blame.

        A kernel runs again if it lacked shared resources, waited for a processor, or was killed
        from outside. The second run has its own processes, so that no other kernel affects it.
        """
        again, alone = False, False
        for _ in range(ATTEMPTS):
            load = Load(own=again)
            try:
                examination = self._examination(question, again=again)
                with self.pool.lock.held(exclusive=alone):
                    report = examination.report()
            except ServerEnded:
                again = alone = True
                continue
            unanswered = examination.session.unanswered
            if report.verdict in (Verdict.CRASHED, Verdict.TIMEOUT):
                self.pool.check_health()
            if report.verdict is Verdict.PASSED:
                return report
            share_of_processor = min(unanswered.values(), default=1.0)
            # If a processor was idle, the kernel did not wait for a processor, but slept.
            waited = (
                report.verdict is Verdict.TIMEOUT and share_of_processor < BUSY and load.is_full()
            )
            if not again and (repeats := _repeats(report, unanswered, waited)):
                again, alone = True, repeats == "alone"
                continue
            if not again and self.pool.shares(alone=False):
                # The replayer may have been damaged by a kernel that it served before.
                again = True
                continue
            if "reference" in unanswered:
                raise NotJudged("The reference was not done in time.")
            if waited and (share := load.of_others()) >= OVERLOADED:
                raise NotJudged(
                    f"It ran out of time while other programs used {share:.0%} of the CPUs."
                )
            return report
        raise NotJudged("The process that starts all others ended again and again.")

    def _examination(self, question: JudgeQuestion, *, again: bool) -> Examination:
        options = self._options[question.tier]
        answered = self.references.answered(question.reference, options)
        entry = question.reference.entry(question.triton_code)
        return Examination(entry, self.pool, alone=again, answered=answered, options=options)


def _repeats(report: Report, unanswered: dict[str, float], waited: bool) -> str:
    """Return "alone" or "beside" (other kernels) if the kernel must run again, otherwise ""."""
    if waited or is_starved(report):
        return "alone"
    if "reference" in unanswered:
        return "beside"
    killed = report.verdict is Verdict.CRASHED and any(
        KILLED in check.words for check in report.checks
    )
    return "beside" if killed else ""
