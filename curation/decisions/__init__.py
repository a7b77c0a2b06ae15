"""Decisions of reviewers, without web code: queue, claims, verdicts, second reviews, drafts."""
