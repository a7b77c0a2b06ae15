"""Drafting of pairs from a repository: find launchers, tests and references by syntax.

Pure: it reads files as syntax trees and returns texts. Nothing of a repository is imported or run.
"""

from ingest.drafting.drafting import draft
from ingest.drafting.records import Draft, Missing, Operation, Outcome, Place, Rule, Texts

__all__ = ["Draft", "Missing", "Operation", "Outcome", "Place", "Rule", "Texts", "draft"]
