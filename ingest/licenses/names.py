"""Bare names of blocked licenses, in words that no detector rule explains.

"(GPL)" behind an address, or "the code is under CC BY-NC 4.0", is a name and no notice.
"""

import re

from ingest.licenses.phrases import stated
from ingest.licenses.records import ReadFrom, Statement
from ingest.licenses.windows import Window

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


def bare_names(window: Window, explained: set[int], read_from: ReadFrom) -> list[Statement]:
    """Return the names in lines of the window that are not `explained`, each kind once."""
    lines = [
        "" if window.start_line + place in explained else line
        for place, line in enumerate(window.lines)
    ]
    unexplained = Window(window.kind, window.start_line, tuple(lines), window.speaks_of_licenses)
    sentence = unexplained.sentence()
    statements = []
    for pattern, expression in _NAMES:
        match = pattern.search(sentence)
        if match is None:
            continue
        statements.append(
            stated(
                unexplained,
                sentence,
                match,
                read_from=read_from,
                expression=expression,
                confidence=0.5,
                detector="bare-name",
                remark=f"It names “{match.group()}”; which version is a guess.",
            )
        )
    return statements
