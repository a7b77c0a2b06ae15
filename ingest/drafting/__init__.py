"""Drafting of pairs from a repository: find launchers, tests and references by syntax.

Pure: it reads files as syntax trees and returns texts. It imports and runs no code of a repository.
"""

from ingest.drafting.drafting import draft
from ingest.drafting.outcomes import (
    DraftOutcome,
    DraftPlace,
    DraftTexts,
    LaunchedOperation,
    Missing,
    OperationDraft,
    Rule,
)
