"""License files, recognized by name, and their statements.

Terms of the repository count. Terms of third-party code are only shown to reviewers.
"""

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import PurePosixPath

from ingest.licenses.blocks import BlockKind
from ingest.licenses.copyrights import copyrights
from ingest.licenses.detector import LicenseDetector
from ingest.licenses.reading import read_window
from ingest.licenses.records import Bearing, Findings, ReadFrom, Statement
from ingest.licenses.windows import Window

_CODE = frozenset({
    ".py", ".pyi", ".pyx", ".c", ".cc", ".cpp", ".cu", ".cuh", ".h", ".hpp", ".js", ".ts", ".go",
    ".rs", ".java", ".sh", ".rb", ".json", ".toml", ".yml", ".yaml", ".xml", ".css", ".png", ".svg",
    ".gif", ".jpg", ".cmake", ".in", ".patch", ".csv", ".ini", ".cfg", ".lock", ".tmpl", ".j2",
})  # fmt: skip
_TERMS = re.compile(r"(?:un)?licen[cs]e(?:s)?(?:[-._].*)?|copying(?:[-._].*)?", re.IGNORECASE)
_OTHERS = re.compile(
    r"(?:.*third[-_. ]?part.*|.*3rd[-_. ]?party.*|licen[cs]es?[-_.](?:bundled|vendored?|deps"
    r"|dependencies).*)",
    re.IGNORECASE,
)
_NOTICE = re.compile(r"notices?(?:\.(?:txt|md|rst))?", re.IGNORECASE)
_README = re.compile(r"readme(?:\.(?:txt|md|rst|org))?", re.IGNORECASE)
# Words after which the text of a license file is about third-party code.
_THIRD_PARTY = re.compile(
    r"third[\s-]part(?:y|ies)|3rd[\s-]party|sub-?components?\b|\bbundle[sd]?\b|\bvendored\b"
    r"|(?:includes?|contains?|incorporates?|uses?|borrows?)\s+(?:\w+\s+){0,4}(?:code|software|"
    r"components?|portions?|parts?|files?|work)\b|(?:portions?|parts?|some|code|files?)\s+"
    r"(?:\w+\s+){0,6}(?:derived|adapted|taken|copied|borrowed|originat\w+)\b"
    r"|following\s+(?:components?|files?|libraries|projects?|dependencies|packages?|software|code)"
    r"|licen[cs]es?\s+(?:of|for)\s+(?!this\b)|\bdependenc(?:y|ies)\b|\bsubmodules?\b"
    r"|=+\s*notices?\b",
    re.IGNORECASE,
)
_FORBIDS = re.compile(
    r"\b(?:may|shall|must|can)\s*not\b|\bcannot\b|\bprohibited\b|\bforbidden\b|\bnot\s+(?:permitted"
    r"|allowed)\b|\bonly\s+(?:for|if)\b|\bprovided\s+that\b",
    re.IGNORECASE,
)


_PLAIN = frozenset({"txt", "md", "rst", "html", "text", ""})
_SAYS_WHICH = re.compile(
    r"mit|apache|bsd|[al]?gpl|gnu|mpl|isc|cc|zlib|unlicense|boost|bsl|epl|cddl|artistic|psf|python"
    r"|ncsa|eupl|openssl|vim|x11|ofl|0bsd|wtfpl|llvm|exception|commercial|enterprise|proprietary"
    r"|nvidia|research|non|academic|source|model|all|full|main|new|en\b|v?\d"
)


# Maximum characters to read, more than any license has. A longer file lists third-party licenses.
LONGEST_READ = 80_000


class Role(StrEnum):
    """Purpose of a license file, as its name shows it."""

    TERMS = "terms"
    OTHERS = "others"
    NOTICE = "notice"
    README = "readme"


@dataclass(frozen=True, slots=True)
class LicenseFile:
    """A license file with its statements. Its text is for the NOTICE of a release."""

    path: str
    role: Role
    findings: Findings
    text: str

    @property
    def folder(self) -> str:
        return folder_of(self.path)


def role_of(path: str) -> Role | None:
    """Return the purpose of a license file, as its name shows it, or None for any other file."""
    name = PurePosixPath(path).name
    if PurePosixPath(path).suffix.lower() in _CODE:
        return None
    if _OTHERS.fullmatch(name):
        return Role.OTHERS if "licen" in name.lower() or "notice" in name.lower() else None
    if _TERMS.fullmatch(name):
        return Role.TERMS
    if _NOTICE.fullmatch(name):
        return Role.NOTICE
    return Role.README if _README.fullmatch(name) else None


def speaks_of_one_thing(path: str) -> bool:
    """Return whether a file's name limits its license to one subject, as LICENSE.numpy.txt does.

    LICENSE-MIT does not, because it names a license. LICENSE.txt has no further words.
    """
    words = re.split(r"[-_.\s]+", PurePosixPath(path).name.lower())[1:]
    return (
        bool(words)
        and not any(_SAYS_WHICH.match(word) for word in words if word)
        and not (len(words) == 1 and words[0] in _PLAIN)
    )


def folder_of(path: str) -> str:
    """Return the folder of a path. It is "" for the root."""
    return path.rpartition("/")[0]


def read_license_file(path: str, role: Role, text: str, detector: LicenseDetector) -> Findings:
    """Return the statements of a license file. Those about third-party code do not count."""
    cut = text[:LONGEST_READ].replace("\r\n", "\n").replace("\r", "\n")
    lines = tuple(line[:2_000] for line in cut.split("\n"))
    window = Window(BlockKind.TEXT, 1, lines, speaks_of_licenses=True)
    statements = read_window(window, detector)
    remarks: tuple[str, ...] = ()
    if len(text) > LONGEST_READ:
        remarks = (f"Only the first {LONGEST_READ} characters of {path} were read.",)
    if role is Role.TERMS:
        statements = sorted(statements, key=lambda s: (s.start_line, s.end_line))
        border = _border(window, statements)
        if border <= len(lines):
            remarks = ()  # the unread part is about third-party code too
        statements = _own_terms(window, statements, border)
    if not text.strip():
        remarks = (f"{path} is empty.",)
    return Findings(tuple(statements), copyrights(lines), remarks)


def _border(window: Window, statements: list[Statement]) -> int:
    """Return the first line about third parties, by number, or the number after the last line."""
    first = next((s for s in statements if s.bearing is Bearing.GRANT and s.expression), None)
    covered = _covered(statements)
    return next(
        (
            number
            for number, line in enumerate(window.lines, start=1)
            if first is not None
            and number > first.end_line
            and number not in covered
            and _THIRD_PARTY.search(line)
        ),
        len(window.lines) + 1,
    )


def _own_terms(window: Window, statements: list[Statement], border: int) -> list[Statement]:
    """Mark the statements after the first line about third parties: they do not count."""
    statements = [s for s in statements if s.read_from is not ReadFrom.PROVENANCE or s.expression]
    if not any(s.bearing is Bearing.GRANT for s in statements):
        return statements
    results = []
    for statement in statements:
        if statement.start_line > border:
            remark = "It speaks of code of others that the repository lists."
            statement = replace(statement, bearing=Bearing.SHOWN, remark=remark)
        elif statement.bearing is Bearing.REFERENCE:
            continue
        results.append(statement)
    return [*results, *_added_conditions(window, _covered(statements), border)]


def _covered(statements: list[Statement]) -> set[int]:
    return {
        line
        for s in statements
        if s.bearing is Bearing.GRANT and s.detector.partition("-")[0] != "restriction"
        for line in range(s.start_line, s.end_line + 1)
    }


def _added_conditions(window: Window, inside: set[int], border: int) -> list[Statement]:
    """Return a doubt if the file has conditions outside of its license's text."""
    for number, line in enumerate(window.lines[: border - 1], start=1):
        if number not in inside and (match := _FORBIDS.search(line)):
            return [
                Statement(
                    read_from=ReadFrom.REPOSITORY,
                    bearing=Bearing.DOUBT,
                    expression=None,
                    start_line=number,
                    end_line=number,
                    matched_text=line[:500],
                    confidence=0.5,
                    detector="added-conditions",
                    remark=f"It adds conditions (“{match.group()}”) to the license that it names.",
                )
            ]
    return []
