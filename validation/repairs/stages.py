"""Stages of the harness's check of a mistake, fastest first. They need no database.

The smaller half of the test's cases comes first, and rejects most mistakes. If these cases pass,
all cases follow, and then variations if the mistake may show only in variations.
"""

from dataclasses import replace

from validation.harness.entry import Entry
from validation.harness.pool.worker_pool import WorkerPool
from validation.harness.report import Report, Verdict
from validation.harness.schedule import examine
from validation.harness.session.answered import Answered
from validation.rewards.answer_cache import AnswerCache
from validation.rewards.question import of_entry

# The pair's own test is left out: it has no guard zones, so a wrong address crashes its process,
# and the message is only a signal. The other checks report the position.
CHECKS = ("accuracy", "memory", "triton", "bounds", "gradients")
# Bytes of inputs and answers to cache for a batch.
KEPT_MOST = 1 << 30


def examine_mistake(
    entry: Entry, pool: WorkerPool, references: AnswerCache, *, varied: bool
) -> Report:
    """Return the report of the first stage that rejects the entry, or of the last one.

    varied: whether to try variations of the cases.
    """
    report = examine_on_smaller_cases(entry, pool, references)
    for checks in (CHECKS, (*CHECKS, "variations"))[: 2 if varied else 1]:
        if report.verdict is Verdict.PASSED:
            options = replace(pool.options, checks=checks)
            answered = references.answered(of_entry(entry), options)
            report = examine(entry, pool, answered, options)
    return report


def examine_on_smaller_cases(entry: Entry, pool: WorkerPool, references: AnswerCache) -> Report:
    """Return the report on the smaller half of the cases, which need a fraction of the time."""
    options = replace(pool.options, checks=CHECKS)
    answered = references.answered(of_entry(entry), options)
    return examine(entry, pool, _smaller_half(answered), options)


def _smaller_half(answered: Answered) -> Answered:
    inputs = answered.tried.inputs
    by_size = sorted(inputs.trials, key=lambda trial: inputs.elements(trial.number))
    smaller = {trial.number for trial in by_size[: (len(by_size) + 1) // 2]}
    trials = [trial for trial in inputs.trials if trial.number in smaller]
    return replace(answered, tried=replace(answered.tried, inputs=inputs.of_trials(trials)))
