"""Identity is content: what makes two sources the same one.

Line endings, trailing blanks and blank lines around a text don't; everything else does, comments
included, because a reader learns from them. Near-duplicates are `similarity`'s matter.
"""

import hashlib


def normalised(source: str) -> str:
    lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(line.rstrip() for line in lines).strip("\n") + "\n"


def content_hash(*sources: str) -> str:
    """The name of a unit (one source) or of a pair (three)."""
    # The zero byte keeps ("ab", "c") and ("a", "bc") apart; no normalised source holds one.
    return hashlib.sha256("\0".join(map(normalised, sources)).encode("utf-8")).hexdigest()
