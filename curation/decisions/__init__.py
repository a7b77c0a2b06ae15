"""Decisions of reviewers: queue order, claims, verdicts, second reviews, bulk, drafts. No web."""
