"""Copyright lines and their holders, for a NOTICE file.

Each line is searched by regular expressions. Scancode's grammar is far slower, and a NOTICE needs
only complete lines.
"""

import re
from collections.abc import Iterable

from ingest.licenses.records import Copyright

MOST = 200
_LONGEST_LINE = 400
_MARKERS = " \t#*/!;|%\"'"
_LINE = re.compile(
    r"(?:SPDX-(?:File|Snippet)CopyrightText\s*:\s*|"
    r"(?:portions\s+|parts\s+)?(?:copyright\s*(?:\(c\)|©|&copy;|:)?|\(c\)(?=\s*(?:copyright|\d{4}))|©)"
    r"\s*)(?P<rest>.*)",
    re.IGNORECASE,
)
_SURE = re.compile(r"\(c\)|©|SPDX-|\b(?:19|20)\d\d\b|&copy;", re.IGNORECASE)
_AGAIN = re.compile(r"^(?:copyright|\(c\)|©|:|\s)+", re.IGNORECASE)
_YEARS = re.compile(
    r"^(?:\(?\s*(?:\d{4}|present|now|today)(?:\s*[-\u2013\u2014,/&]\s*|\s+to\s+|\s+and\s+)?)+\)?[\s,.:;-]*"
    r"(?:by\s+)?",
    re.IGNORECASE,
)
_RESERVED = re.compile(r"[\s,.;]*\ball\s+rights?\s+reserved\b.*$", re.IGNORECASE)
_AFTER = re.compile(
    r"[\s,.;]*(?:\b(?:licensed|released|distributed|see|this)\b.*|<[^>]*>|\([^)]*@[^)]*\)"
    r"|https?://\S*)\s*$",
    re.IGNORECASE,
)
# Words that follow "copyright" in license texts and are no holder: "notice", "holders".
_NO_HOLDER = re.compile(
    r"^(?:notices?|holders?|owners?|laws?|licen[cs]es?|statements?|headers?|and|or|in|of|to"
    r"|the above|rights?|information|interest|treaty|lines?|disclaimers?|file|is|are|has|was|may"
    r"|protection|infringement|\[|<|\{|yyyy|year|name of)\b|^[^\w\[<{]*$|^[\[<{]",
    re.IGNORECASE,
)


def copyrights(lines: Iterable[str], start_line: int = 1) -> tuple[Copyright, ...]:
    """Return the copyright lines among `lines`, without repetitions."""
    results: dict[str, Copyright] = {}
    all_lines = list(lines)
    for place, raw in enumerate(all_lines):
        match = _LINE.search(raw[:_LONGEST_LINE]) if _may_hold(raw) else None
        if match is None:
            continue
        sure = bool(_SURE.search(match.group()))
        holder = _holder(match["rest"]) if sure or _opens(raw, match) else ""
        if not holder:
            continue
        text = match.group().strip(_MARKERS).strip()
        following = all_lines[place + 1][:_LONGEST_LINE] if place + 1 < len(all_lines) else ""
        reserved = bool(_RESERVED.search(raw) or _RESERVED.match(following.strip(_MARKERS)))
        results.setdefault(text, Copyright(text, holder, start_line + place, reserved))
        if len(results) == MOST:
            break
    return tuple(results.values())


def same_holder(one: str, other: str) -> bool:
    """Return whether two names share a distinctive word or differ only in spaces or hyphens."""
    mine, yours = _words(one), _words(other)
    whole, joined = "".join(mine), "".join(yours)
    return bool(set(mine) & set(yours)) or (bool(whole) and whole == joined)


def names_holder(text: str, holder: str) -> bool:
    """Return whether a text contains every distinctive word of a holder's name."""
    words = set(_words(holder))
    return bool(words) and words <= set(_words(text))


def _opens(line: str, match: re.Match[str]) -> bool:
    """Return whether the line begins with "Copyright Name". Then it needs no year or sign."""
    opening = not line[: match.start()].strip(_MARKERS)
    rest = _AGAIN.sub("", match["rest"]).removeprefix("by ")
    return opening and match.group()[:1].isupper() and rest[:1].isupper()


def _may_hold(line: str) -> bool:
    return "opyright" in line or "OPYRIGHT" in line or "©" in line or "(c)" in line.lower()


def _holder(text: str) -> str:
    text = _AGAIN.sub("", text)
    if _NO_HOLDER.match(text):
        return ""
    text = _RESERVED.sub("", _YEARS.sub("", text))
    while (shorter := _AFTER.sub("", text)) != text:
        text = shorter
    text = text.strip(_MARKERS + ",.-\u2013:()")
    return "" if _NO_HOLDER.match(text) or not re.search(r"[^\W\d_]{2}", text) else text[:200]


_COMMON = frozenset({
    "the", "and", "inc", "ltd", "llc", "corp", "corporation", "company", "co", "gmbh", "ag", "sa",
    "team", "project", "projects", "contributors", "authors", "author", "affiliates", "its", "by",
    "others", "all", "research", "labs", "lab", "ai", "university", "of", "group", "technologies",
    "technology", "systems", "software", "foundation",
})  # fmt: skip


def _words(name: str) -> list[str]:
    return [word for word in re.findall(r"[^\W\d_]{2,}", name.lower()) if word not in _COMMON]
