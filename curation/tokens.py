"""Counts tokens. The encoding's ranks come in a wheel: nothing is downloaded at run time."""

import os
from functools import cache

# Named beside every count: another encoding gives other numbers.
ENCODING = "cl100k_base"


def count_tokens(text: str) -> int:
    """How many tokens `text` has; what looks like a special token counts as ordinary text."""
    return len(_encoding().encode_ordinary(text))


@cache
def _encoding():  # type: ignore[no-untyped-def]  # noqa: ANN202 - tiktoken is loaded on first use
    # An empty name turns off the copy that tiktoken would keep in the system's temporary folder.
    os.environ.setdefault("TIKTOKEN_CACHE_DIR", "")
    import tiktoken

    return tiktoken.get_encoding(f"{ENCODING}_offline")
