"""Content hashes, the identity of kernels and pairs.

Line endings, trailing blanks and blank lines around a text are ignored. Everything else counts,
including comments, because models learn from them. For near-duplicates see `curation.similarity`.
"""

import hashlib


def normalized(source: str) -> str:
    lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(line.rstrip() for line in lines).strip("\n") + "\n"


def content_hash(*sources: str) -> str:
    """Return the hash of a kernel's unit (one source) or of a pair (three sources)."""
    # Normalized sources contain no zero byte, so ("ab", "c") and ("a", "bc") get different hashes.
    return hashlib.sha256("\0".join(map(normalized, sources)).encode("utf-8")).hexdigest()
