"""Characters that a reader does not see, or that reorder what a reader sees.

The attack (“Trojan Source”, CVE-2021-42574): a bidirectional override or a zero-width character
makes code look different from what Python runs. The defense: a page shows each as a box with its
code point, and a finding names each with its first line. Look-alike letters are not covered. Pure.
"""

import re
import unicodedata
from bisect import bisect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pygments.token import Comment, String

from curation.lexer import LEXER, is_readable

# All characters of the categories Cc, Cf, Zl, Zp and Zs except tab, newline and space, and
# Unicode's default-ignorable ones: variation selectors, fillers, the grapheme joiner. A carriage
# return is a line end only before a newline.
INVISIBLE = re.compile(
    "["
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\xa0\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891"
    "\u08e2\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f"
    "\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000110bd\U000110cd"
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    "]|\r(?!\n)"
)
# Bidirectional controls, tags (which can spell hidden text) and terminal controls. Comments and
# strings never need these characters unescaped.
DECEIVING = re.compile(
    "[\x00-\x08\x0b\x0e-\x1f\x7f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
    "\U000e0000-\U000e007f]|\r"
)
# Maximum number of code points named in a message.
NAMED = 8


@dataclass(frozen=True, slots=True)
class InvisibleCharacter:
    """An invisible character, the first line that contains it, and its number of occurrences."""

    character: str
    line: int
    count: int

    def __str__(self) -> str:
        often = "once" if self.count == 1 else f"{self.count:,} times, first"
        return f"{code_point(self.character)} {name(self.character)} {often} on line {self.line}"


def code_point(character: str) -> str:
    return f"U+{ord(character):04X}"


def name(character: str) -> str:
    return unicodedata.name(character, "CONTROL CHARACTER")


def code_points(text: str) -> str:
    """List the invisible characters of a path or a name in a few words, or return ""."""
    characters = dict.fromkeys(INVISIBLE.findall(text))
    return ", ".join(f"{code_point(one)} {name(one)}" for one in [*characters][:NAMED])


def has_invisible(text: str) -> bool:
    """Return True if a text has invisible characters. The ASCII check saves 5/6 of the time."""
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return False
    return INVISIBLE.search(text) is not None


def boxed(html: str) -> str:
    """Return the text of `html` with a box in place of each invisible character."""
    return INVISIBLE.sub(_box, html)


def _box(found: re.Match[str]) -> str:
    character = found[0]
    return f'<span class="cp" title="{name(character)}">{code_point(character)}</span>'


def invisible(text: str) -> tuple[list[InvisibleCharacter], list[InvisibleCharacter]]:
    """Return two lists: the invisible characters that can deceive, and the harmless ones.

    Bidirectional controls, tags and terminal controls can deceive anywhere. Other characters can
    deceive only in code, because comments and strings often contain no-break spaces or emoji. A
    byte order mark at the start and form feeds, which Python reads as blanks, are not counted.
    """
    if not has_invisible(text):
        return [], []
    matches = [(one.start(), one[0]) for one in INVISIBLE.finditer(text) if one[0] != "\f"]
    if matches and matches[0] == (0, "\ufeff"):
        del matches[0]
    places = () if all(DECEIVING.match(character) for _, character in matches) else _prose(text)
    deceiving: list[tuple[int, str]] = []
    others: list[tuple[int, str]] = []
    for at, character in matches:
        # If the number of boundaries before an offset is odd, it is inside a comment or string.
        harmless = bisect(places, at) % 2 == 1 and not DECEIVING.match(character)
        (others if harmless else deceiving).append((at, character))
    return _counted(text, deceiving), _counted(text, others)


def _prose(text: str) -> Sequence[int]:
    """Return the offsets at which comments and strings begin and end, in order."""
    if not is_readable(text):
        return ()
    places: list[int] = []
    for start, token, part in LEXER.get_tokens_unprocessed(text):
        if token in Comment or token in String:
            places += (start, start + len(part))
    return places


def _counted(text: str, matches: Iterable[tuple[int, str]]) -> list[InvisibleCharacter]:
    first: dict[str, int] = {}
    count: dict[str, int] = {}
    for at, character in matches:
        first.setdefault(character, at)
        count[character] = count.get(character, 0) + 1
    return [
        InvisibleCharacter(character, text.count("\n", 0, at) + 1, count[character])
        for character, at in first.items()
    ]


def listed(seen: Iterable[InvisibleCharacter]) -> str:
    """Describe invisible characters in a few words, or return ""."""
    every = list(seen)
    more = f"; and {len(every) - NAMED} other code points" if len(every) > NAMED else ""
    return "; ".join(map(str, every[:NAMED])) + more


def listed_in(text: str) -> str:
    """Describe all invisible characters of a text in a few words, or return ""."""
    deceiving, others = invisible(text)
    return listed([*deceiving, *others])
