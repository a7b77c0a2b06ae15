"""Complete drafts, made shorter by a function that runs them. Ingest itself runs no code."""

import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from functools import partial

from ingest.drafting import DraftOutcome, DraftTexts
from ingest.drafting.outcomes import Missing
from ingest.drafting.writing.finishing import finish_whole

Simplify = Callable[[dict[str, str], str, bool], tuple[Mapping[str, str], Mapping[str, str]]]
"""Function that returns shorter texts. Arguments: texts, entry point, if gradients are compared.

It also returns results of a run: `missing` and `sentence` say why the draft is no pair, and
`backward` names the torch operations on which the backward pass relies.
"""


def simplified(outcomes: Iterable[DraftOutcome], simplify: Simplify) -> list[DraftOutcome]:
    """Return the outcomes. Complete drafts are as short as their test cases allow."""
    drafted = [*outcomes]
    with ThreadPoolExecutor(os.cpu_count()) as threads:
        return finish_whole(drafted, threads.map(partial(_simplified, simplify), drafted))


def _simplified(simplify: Simplify, outcome: DraftOutcome) -> DraftOutcome:
    draft = outcome.draft
    if draft is None or outcome.missing is not None:
        return outcome
    texts, facts = simplify(asdict(draft.texts), draft.entry_point, draft.differentiable)
    if facts.get("backward") and draft.forward is not None:
        return _simplified(simplify, replace(outcome, draft=draft.forward))
    missing = Missing(facts["missing"]) if facts.get("missing") else None
    draft = replace(draft, texts=DraftTexts(**texts))
    return replace(outcome, draft=draft, missing=missing, sentence=facts.get("sentence", ""))
