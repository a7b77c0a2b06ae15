"""Python lexer that tries the most frequent tokens first.

Pygments tries forty patterns before it recognizes a plain name, and most reviewed texts are
highlighted while their first reader waits. The tokens are the same.
"""

import re
from collections.abc import Iterator
from typing import Any, ClassVar

from pygments.lexer import words
from pygments.lexers import PythonLexer
from pygments.token import Name, Number, Operator, Punctuation, Text


def _named(rules: Any) -> Iterator[str]:
    """Yield words with a special meaning: keywords, built-ins, magic names."""
    for rule in rules:
        if isinstance(rule, tuple) and isinstance(rule[0], words):
            yield from rule[0].words


# Words that Pygments has in patterns instead of word lists.
OTHERS = (
    "_", "and", "case", "class", "cls", "def", "Ellipsis", "from", "import", "in", "is", "lazy",
    "match", "not", "NotImplemented", "or", "self", "type",
)  # fmt: skip
MEANT = sorted(
    {*OTHERS, *(word for rules in PythonLexer.tokens.values() for word in _named(rules))}
)
# Other than ASCII is left to Pygments, which knows the characters of identifiers.
END = r"(?![\w\x80-\U0010ffff])"


class QuickPythonLexer(PythonLexer):  # type: ignore[misc]
    tokens: ClassVar = {
        **PythonLexer.tokens,
        "root": [
            # Excludes prefixes of strings, which are followed by a quotation mark.
            (
                rf"(?!(?:{'|'.join(map(re.escape, MEANT))})\b)[a-zA-Z_][a-zA-Z0-9_]*{END}(?!['\"])",
                Name,
            ),
            # Excludes the start of a line.
            (r"(?<=[^\s\\])[ \t]+(?=\S)", Text),
            (r"[(),\[\]]", Punctuation),
            (r"[-+*/]|=(?!=)|\.(?!\d)", Operator),
            (rf"(?:0|[1-9][0-9]*){END}(?!\.)", Number.Integer),
            *PythonLexer.tokens["root"],
        ],
    }


LEXER = QuickPythonLexer(stripnl=False, ensurenl=True)
LONGEST = 200_000
# Pygments looks at the start of each line for a docstring behind all following blanks. A text of
# 200,000 characters that alternates space and newline took 302 s.
BLANKS = re.compile(r"\n[^\S\n]*\n\s{1000}")


def is_readable(text: str) -> bool:
    """Return True if the lexer reads the text in bounded time, about a second at most."""
    return len(text) <= LONGEST and BLANKS.search(text) is None
