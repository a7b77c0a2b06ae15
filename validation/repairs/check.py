"""Check of planted mistakes by the harness, several mistakes at a time.

The inputs and the reference's answers of a pair are computed once for all of its mistakes.
"""

from collections.abc import Generator, Sequence
from contextlib import closing
from functools import partial

from curation.models import Device
from validation.equivalence import finding
from validation.findings import ItemFinding, judged
from validation.harness.pool.tasks import run_tasks
from validation.harness.pool.worker_pool import WorkerPool
from validation.repairs.kinds import MistakeKind
from validation.repairs.plant import PossibleFault
from validation.repairs.stages import KEPT_MOST, examine_mistake
from validation.rewards.answer_cache import AnswerCache, UnusableReference


def check(
    candidates: Sequence[PossibleFault], pool: WorkerPool
) -> Generator[tuple[PossibleFault, ItemFinding | None], None, None]:
    """Yield the candidates with their findings, in order of completion.

    A finding is None if the reference could not answer, or if the finding proves no mistake.
    """
    references = AnswerCache(pool, KEPT_MOST)
    tasks = (partial(_checked, candidate, pool, references) for candidate in candidates)
    with closing(
        run_tasks(tasks, pool.options.workers(), lambda: None, stop=pool.close)
    ) as results:
        yield from results


def _checked(
    candidate: PossibleFault, pool: WorkerPool, references: AnswerCache
) -> tuple[PossibleFault, ItemFinding | None]:
    varied = candidate.kind.needs_variations
    try:
        report = examine_mistake(candidate.entry, pool, references, varied=varied)
    except UnusableReference:
        return candidate, None
    verdict = judged(partial(finding, report))
    return candidate, verdict if proves(candidate.kind, verdict, pool.options.device) else None


def proves(kind: MistakeKind, verdict: ItemFinding, device: str) -> bool:
    """Return whether a finding on a device proves that a mistake of this kind is harmful."""
    words = (verdict.message, *(check.message for check in verdict.checks))
    return device != Device.INTERPRETER or any(kind.shown_in_interpreter in text for text in words)
