"""Drafting of pairs from a repository. It finds launchers, tests and references by syntax.

It reads files as syntax trees and returns texts. It never imports or runs code of a repository.
"""

from ingest.drafting.drafting import draft, draft_snapshot
from ingest.drafting.outcomes import (
    DraftOutcome,
    DraftPlace,
    DraftTexts,
    LaunchedOperation,
    Missing,
    OperationDraft,
    Rule,
)
