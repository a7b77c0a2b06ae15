"""Words that restrict use, in any license text.

Attack: a sentence is added to a known license. A detector by likeness hardly notices it. No text
of a license that the policy permits contains any of these phrases.
"""

import re

from ingest.licenses.phrases import stated
from ingest.licenses.records import ReadFrom, Statement
from ingest.licenses.windows import Window

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


def restrictions(window: Window, read_from: ReadFrom) -> list[Statement]:
    """Return the restrictions that a window states; the first of each kind."""
    sentence = window.sentence()[:_LONGEST]
    statements = []
    for number, phrase in enumerate(_PHRASES, start=1):
        match = phrase.search(sentence)
        if match is None:
            continue
        statements.append(
            stated(
                window,
                sentence,
                match,
                read_from=read_from,
                expression=RESTRICTED,
                confidence=0.9,
                detector=f"restriction-{number}",
                remark=f"The words “{match.group()[:100]}” restrict its use.",
            )
        )
    return statements
