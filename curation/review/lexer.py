"""Pygments' lexer of Python, which looks first for what source code mostly consists of.

Pygments tries forty patterns one after the other before it takes a plain name for one, and of what
people review each text is highlighted when the first of them looks at it. The tokens are the same.
"""

import re
from collections.abc import Iterator
from typing import Any, ClassVar

from pygments.lexer import words
from pygments.lexers import PythonLexer
from pygments.token import Name, Number, Operator, Punctuation, Text


def _named(rules: Any) -> Iterator[str]:
    """The words that mean something of their own: keywords, what is built in, magic names."""
    for rule in rules:
        if isinstance(rule, tuple) and isinstance(rule[0], words):
            yield from rule[0].words


# Those that stand in patterns rather than in lists of words.
OTHERS = (
    "_", "and", "case", "class", "cls", "def", "Ellipsis", "from", "import", "in", "is", "lazy",
    "match", "not", "NotImplemented", "or", "self", "type",
)  # fmt: skip
MEANT = sorted(
    {*OTHERS, *(word for rules in PythonLexer.tokens.values() for word in _named(rules))}
)
# What is no ASCII is left to Pygments, which knows what may stand in a name.
END = r"(?![\w\x80-\U0010ffff])"


class QuickPythonLexer(PythonLexer):  # type: ignore[misc]
    tokens: ClassVar = {
        **PythonLexer.tokens,
        "root": [
            # Not what a string may begin with: its prefix ends at a quotation mark.
            (
                rf"(?!(?:{'|'.join(map(re.escape, MEANT))})\b)[a-zA-Z_][a-zA-Z0-9_]*{END}(?!['\"])",
                Name,
            ),
            # Not at the beginning of a line.
            (r"(?<=[^\s\\])[ \t]+(?=\S)", Text),
            (r"[(),\[\]]", Punctuation),
            (r"[-+*/]|=(?!=)|\.(?!\d)", Operator),
            (rf"(?:0|[1-9][0-9]*){END}(?!\.)", Number.Integer),
            *PythonLexer.tokens["root"],
        ],
    }


LEXER = QuickPythonLexer(stripnl=False, ensurenl=True)
LONGEST = 200_000
# Pygments looks at the start of each line for a docstring behind all blanks that follow: a text of
# 200,000 characters that alternates a space and a newline took it 302 s.
BLANKS = re.compile(r"\n[^\S\n]*\n\s{1000}")


def is_readable(text: str) -> bool:
    """Return whether the lexer reads the text in bounded time, about a second at most."""
    return len(text) <= LONGEST and BLANKS.search(text) is None
