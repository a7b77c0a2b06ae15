"""Choices that depend on the content alone: each export chooses alike."""

import hashlib


def stable_number(content_hash: str, purpose: str) -> int:
    """Return a number for a content, for each purpose another one."""
    digest = hashlib.sha256(f"{purpose} {content_hash}".encode()).digest()
    return int.from_bytes(digest[:8], "big")
