"""What the repository says of one path: LICENSE files above it, REUSE notes, NOTICE, README."""

from dataclasses import dataclass, replace

from ingest.licenses.expressions import both, either
from ingest.licenses.license_files import LicenceFile, Role, speaks_of_one_thing
from ingest.licenses.policy import Policy
from ingest.licenses.records import Bearing, Evidence, ReadFrom, Statement, Verdict, stricter
from ingest.licenses.reuse import SIDE_FILE
from ingest.licenses.tree import TreeLicences


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms that one folder's licence files set for all below."""

    where: str
    expression: str | None
    verdict: Verdict
    reason: str
    evidence: tuple[Evidence, ...]
    copyrights: tuple[str, ...]
    copyright_lines: tuple[str, ...]
    notes: tuple[str, ...]


def governing_terms(path: str, tree: TreeLicences, policy: Policy) -> tuple[Terms, ...]:
    """The terms of each folder above a path that has licence files, the nearest first."""
    found: list[Terms] = []
    # From the root on, so that what a folder adds is added to all that holds above it.
    for files in reversed(list(tree.governing(path))):
        terms = _terms(files, tree, policy)
        adds = found and all(speaks_of_one_thing(file.path) for file in files)
        found.insert(0, _added(terms, found[0]) if adds else terms)
    if not found and len(tree.texts) == 1:
        # A REUSE repository with one licence text has no other that could be meant.
        found = [_terms(tree.texts, tree, policy)]
    return tuple(found)


def stated_beside(path: str, tree: TreeLicences, policy: Policy) -> tuple[Evidence, ...]:
    """What `path.license` and the REUSE annotations say of one file: as strong as a tag in it."""
    found = [
        as_evidence(statement, file, ReadFrom.SPDX_TAG, policy)
        for file in tree.side_files
        if file.path == path + SIDE_FILE
        for statement in file.findings.statements
    ]
    for note in tree.annotations:
        if note.covers(path):
            found.append(
                Evidence(
                    read_from=ReadFrom.SPDX_TAG,
                    expression=note.expression,
                    verdict=policy.verdict(note.expression),
                    path=note.source,
                    start_line=note.line,
                    end_line=note.line,
                    matched_text=note.stated,
                    copyrights=(),
                    confidence=1.0,
                    detector="reuse",
                    remark=""
                    if note.expression
                    else f"{note.stated[:100]!r} is no valid SPDX expression.",
                )
            )
    return tuple(found)


def fallback(tree: TreeLicences, policy: Policy) -> tuple[Evidence, ...]:
    """What NOTICE and README of the root name: shown, and too little to give anything away on."""
    return tuple(
        as_evidence(statement, file, read_from, policy, counts=False)
        for role, read_from in ((Role.NOTICE, ReadFrom.NOTICE), (Role.README, ReadFrom.README))
        for file in tree.of_role("", role)
        for statement in file.findings.statements
        if statement.expression and statement.bearing is not Bearing.DOUBT
    )


def as_evidence(
    statement: Statement,
    file: LicenceFile,
    read_from: ReadFrom,
    policy: Policy,
    counts: bool | None = None,
) -> Evidence:
    """A licence file's statement as evidence for the files that it speaks for."""
    doubt = statement.bearing is Bearing.DOUBT
    return Evidence(
        read_from=read_from,
        expression=statement.expression,
        verdict=Verdict.UNKNOWN if doubt else policy.verdict(statement.expression),
        path=file.path,
        start_line=statement.start_line,
        end_line=statement.end_line,
        matched_text=statement.matched_text,
        copyrights=tuple(c.text for c in file.findings.copyrights[:20]),
        confidence=statement.confidence,
        detector=statement.detector,
        counts=statement.bearing in {Bearing.GRANT, Bearing.DOUBT} if counts is None else counts,
        remark=statement.remark,
        target=statement.target,
    )


def _terms(files: tuple[LicenceFile, ...], tree: TreeLicences, policy: Policy) -> Terms:
    read_from = ReadFrom.NESTED if files[0].folder not in {"", "LICENSES"} else ReadFrom.REPOSITORY
    evidence = [
        as_evidence(statement, file, read_from, policy)
        for file in files
        for statement in file.findings.statements
    ]
    each = [_of_file(file, evidence) for file in files]
    expressions = [expression for expression, _, _ in each if expression]
    verdicts = [verdict for _, verdict, _ in each]
    # LICENSE-MIT beside LICENSE-APACHE is a choice by convention; nobody says so of LICENSE-GPL.
    choice = len(files) > 1 and all(_names_a_licence(f.path) for f in files)
    all_permissive = all(v is Verdict.PERMISSIVE for v in verdicts)
    expression = either(expressions) if choice and all_permissive else both(expressions)
    verdict = stricter(verdicts)
    where = " and ".join(file.path for file in files[:3])
    reasons = [reason for _, v, reason in each if v is verdict]
    borrowed = [c for file in files for c in file.findings.copyrights]
    return Terms(
        where=where,
        expression=expression,
        verdict=verdict,
        reason=reasons[0],
        evidence=tuple(evidence),
        copyrights=tuple(c.holder for c in borrowed),
        copyright_lines=tuple(c.text for c in borrowed),
        notes=tuple(_notes(files, evidence)),
    )


def _added(own: Terms, above: Terms) -> Terms:
    """What a folder says of one thing in it does not replace what holds for the whole."""
    said = filter(None, (own.expression, above.expression))
    verdict = stricter((own.verdict, above.verdict))
    where = f"{own.where} and {above.where}"
    return replace(
        own,
        where=where,
        expression=both(said),
        verdict=verdict,
        reason=own.reason if own.verdict is verdict else above.reason,
        evidence=(*own.evidence, *above.evidence),
        copyrights=(*own.copyrights, *above.copyrights),
        copyright_lines=(*own.copyright_lines, *above.copyright_lines),
        notes=(*own.notes, *above.notes),
    )


def _of_file(file: LicenceFile, evidence: list[Evidence]) -> tuple[str | None, Verdict, str]:
    counting = [e for e in evidence if e.path == file.path and e.counts]
    named = [e for e in counting if e.verdict is not Verdict.UNKNOWN]
    expression = both(e.expression for e in named if e.expression)
    if file.findings.remarks:
        return expression, Verdict.UNKNOWN, file.findings.remarks[0]
    if not counting:
        return None, Verdict.UNKNOWN, f"{file.path} holds no licence that can be named."
    verdict = stricter(e.verdict for e in counting)
    if verdict is Verdict.BLOCKED:
        return expression, verdict, f"{file.path} says {expression}, which is blocked."
    if verdict is Verdict.PERMISSIVE:
        return expression, verdict, f"{file.path} says {expression}."
    worst = next(e for e in counting if e.verdict is Verdict.UNKNOWN)
    what = worst.remark or f"it says {worst.expression}, on which the policy has no word."
    return expression or worst.expression, verdict, f"{file.path}:{worst.start_line}: {what}"


def _names_a_licence(path: str) -> bool:
    name = path.rpartition("/")[2].upper()
    for start in ("LICENSE", "LICENCE", "COPYING"):
        rest = name.removeprefix(start)
        if rest != name:
            return rest[:1] in {"-", "_", "."} and rest[1:] not in {"TXT", "MD", "RST", ""}
    return False


def _notes(files: tuple[LicenceFile, ...], evidence: list[Evidence]) -> list[str]:
    return [
        f"{e.path}:{e.start_line} also names {e.expression}, for code of others."
        for e in evidence
        if not e.counts and e.expression and e.verdict is not Verdict.PERMISSIVE
    ]
