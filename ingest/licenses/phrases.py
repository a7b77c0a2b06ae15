"""Names of blocked licenses and restrictions of use, found by phrases.

The detector has no rules for them: it recognizes notices. "(GPL)" after a URL, or "the code is
under CC BY-NC 4.0", is a name without a notice.

Attack: a restriction is added to a known license. The detector compares by similarity, so it hardly
notices the restriction. Defense: no permissive license contains any of these phrases.
"""

import re
from dataclasses import replace

from ingest.licenses.records import Bearing, Statement
from ingest.licenses.windows import Window

_AROUND = 80
_NAMES = tuple(
    (re.compile(pattern), expression)
    for pattern, expression in (
        (r"\bAGPL|\b(?i:(?:gnu\s+)?affero\s+general\s+public)", "AGPL-3.0-or-later"),
        (r"\bLGPL|\b(?i:(?:lesser|library)\s+general\s+public)", "LGPL-2.0-or-later"),
        (r"\bGPL|\b(?i:(?<!lesser )(?<!library )(?<!affero )general\s+public\s+licen[cs]e)",
         "GPL-1.0-or-later"),
        (r"\b(?i:cc[- ]by[- ](?:\w\w[- ])?nc"
         r"|(?:attribution|creative\s+commons)[- ]non-?commercial)",
         "CC-BY-NC-4.0"),
        (r"\b(?i:cc[- ]by[- ]sa|attribution[- ]share-?alike)", "CC-BY-SA-4.0"),
        (r"\b(?i:cc[- ]by[- ]nd|attribution[- ]no-?deriv)", "CC-BY-ND-4.0"),
        (r"\bMPL\b|\b(?i:mozilla\s+public\s+licen[cs]e)", "MPL-2.0"),
        (r"\bSSPL\b|\b(?i:server\s+side\s+public\s+licen[cs]e)", "SSPL-1.0"),
        (r"\bBUSL\b|\b(?i:business\s+source\s+licen[cs]e)", "BUSL-1.1"),
        (r"\b(?i:commons\s+clause)", "LicenseRef-scancode-commons-clause"),
        (r"\b(?i:elastic\s+licen[cs]e)", "Elastic-2.0"),
        (r"\b(?i:nvidia\s+(?:\w+\s+){0,3}(?:end[\s-]user\s+)?licen[cs]e\s+agreement)|\bEULA\b",
         "LicenseRef-Nvidia-EULA"),
    )
)  # fmt: skip
RESTRICTED = "LicenseRef-restricted-use"

_PHRASES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?<!\bcommercial and )(?<!\bcommercial or )(?<!\bcommercial, )(?<!\bcommercial and/or )"
        r"(?<!\bcommercial & )(?<!\bcommercial/)\bnon-?\s?commercial(?:ly)?\b"
        r"(?!(?:,| and| or|/| and/or)\s?commercial)",
        r"\b(?:not|never|cannot|n't)\s+(?:be\s+)?(?:used|licensed|sold|distributed|available)?\s*"
        r"(?:for|in)\s+(?:any\s+)?commercial",
        r"\b(?:not|never)\s+be\s+(?:used\s+commercially|commerciali[sz]ed)",
        r"\bcommercial\s+(?:use|usage|purposes?|exploitation)\s+(?:is\s+|are\s+)?(?:strictly\s+)?"
        r"(?:prohibited|forbidden|not\s+(?:allowed|permitted)|requires)",
        r"\b(?:academic|research|educational?|evaluation|personal|internal)"
        r"(?:(?:\s+(?:and|or)\s+|,\s+|/)[\w\-]+){0,3}\s+(?:use|usage|purposes?)\s+only\b",
        r"\b(?:only|solely|exclusively)\s+for\s+(?:non-?profit|academic|research|educational?|personal|"
        r"internal)\s+(?:use|usage|purposes?|research)",
        r"\b(?:research|internal|academic)[\s-]only\s+(?:licen[cs]e|use)",
        r"\bproprietary\s+(?:and|&)\s+confidential|\bconfidential\s+(?:and|&)\s+proprietary"
        r"|\b(?:company|strictly|nvidia)\s+confidential|\btrade\s+secrets?\b",
        r"\bretains?\s+all\s+intellectual\s+property\s+and\s+proprietary\s+rights",
        r"\bunauthori[sz]ed\s+(?:copying|use|reproduction|distribution|disclosure|modification)",
        r"\b(?:copying|use|reproduction|disclosure|distribution|modification)\b(?:(?!\.\s).){0,120}"
        r"\b(?:is|are)\s+(?:strictly\s+|expressly\s+)?(?:prohibited|forbidden)",
        r"\bdo\s+not\s+(?:re)?distribute\b|\bnot\s+for\s+(?:public\s+)?(?:re)?distribution\b"
        r"|\bmay\s+not\s+be\s+(?:re)?distributed\b|\bmay\s+not\s+be\s+(?:copied|reproduced)\b",
        r"\bno\s+(?:licen[cs]e|part\s+of\s+this)\b(?:(?!\.\s).){0,80}\b(?:is\s+granted|"
        r"may\s+be\s+(?:copied|reproduced|distributed|used))",
    )
)
_LONGEST = 400_000


def bare_names(window: Window, explained: set[int]) -> list[Statement]:
    """Return the first mention of each blocked license, except in the `explained` lines."""
    lines = [
        "" if window.start_line + place in explained else line
        for place, line in enumerate(window.lines)
    ]
    unexplained = replace(window, lines=tuple(lines))
    sentence = unexplained.sentence()
    return [
        unexplained.stated(
            match,
            read_from=window.read_from,
            bearing=Bearing.GRANT,
            expression=expression,
            matched_text=_around(match),
            confidence=0.5,
            detector="bare-name",
            remark=f"It names “{match.group()}”; which version is a guess.",
        )
        for pattern, expression in _NAMES
        if (match := pattern.search(sentence))
    ]


def restrictions(window: Window) -> list[Statement]:
    """Return the first restriction of each kind that a window states."""
    sentence = window.sentence()[:_LONGEST]
    return [
        window.stated(
            match,
            read_from=window.read_from,
            bearing=Bearing.GRANT,
            expression=RESTRICTED,
            matched_text=_around(match),
            confidence=0.9,
            detector=f"restriction-{number}",
            remark=f"The words “{match.group()[:100]}” restrict its use.",
        )
        for number, phrase in enumerate(_PHRASES, start=1)
        if (match := phrase.search(sentence))
    ]


def _around(match: re.Match[str]) -> str:
    return match.string[max(0, match.start() - _AROUND) : match.end() + _AROUND].strip()
