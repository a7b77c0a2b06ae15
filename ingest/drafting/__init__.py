"""Drafts of pairs out of a repository: launcher, test and reference found by syntax alone.

Pure: it reads files as trees and hands out texts; nothing of a repository is imported or run.
"""

from ingest.drafting.drafting import draft
from ingest.drafting.records import Draft, Missing, Operation, Outcome, Place, Rule, Texts

__all__ = ["Draft", "Missing", "Operation", "Outcome", "Place", "Rule", "Texts", "draft"]
