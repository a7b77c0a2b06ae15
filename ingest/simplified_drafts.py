"""Whole drafts, shortened by a function that runs them. Ingest itself runs no code."""

import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from functools import partial

from ingest.drafting import DraftOutcome, DraftTexts
from ingest.drafting.polishing import finish

Simplify = Callable[[dict[str, str], str, bool], Mapping[str, str]]
"""Returns shorter texts, given the texts, the entry point and whether gradients are compared."""


def simplified(outcomes: Iterable[DraftOutcome], simplify: Simplify) -> list[DraftOutcome]:
    """Return the outcomes, with whole drafts as short as their cases allow."""
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        return list(threads.map(partial(_simplified, simplify), outcomes))


def _simplified(simplify: Simplify, outcome: DraftOutcome) -> DraftOutcome:
    draft = outcome.draft
    if draft is None or outcome.missing is not None:
        return outcome
    texts = DraftTexts(**simplify(asdict(draft.texts), draft.entry_point, draft.differentiable))
    return replace(outcome, draft=replace(draft, texts=finish(texts, draft.entry_point)))
