"""Pygments' Python lexer, and the texts that it reads in bounded time."""

import re

from pygments.lexers import PythonLexer

LEXER = PythonLexer(stripnl=False, ensurenl=True)
LONGEST = 200_000
# Pygments looks at the start of each line for a docstring behind all following blanks. A text of
# 200,000 characters that alternates space and newline took 302 s.
BLANKS = re.compile(r"\n[^\S\n]*\n\s{1000}")


def is_readable(text: str) -> bool:
    """Return True if the lexer reads the text in bounded time, about a second at most."""
    return len(text) <= LONGEST and BLANKS.search(text) is None
