"""Terms of the repository for a path: LICENSE files above it, REUSE notes, NOTICE, README."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any

from ingest.licenses.expressions import both, either
from ingest.licenses.license_files import LicenseFile, Role, speaks_of_one_thing
from ingest.licenses.policy import load_policy
from ingest.licenses.records import (
    Bearing,
    Copyright,
    Evidence,
    ReadFrom,
    Statement,
    Verdict,
    stricter,
)
from ingest.licenses.reuse import SIDE_FILE
from ingest.licenses.tree import TreeLicenses


@dataclass(frozen=True, slots=True)
class Terms:
    """Terms that the license files of one folder set for all files below the folder."""

    where: str
    expression: str | None
    verdict: Verdict
    reason: str
    evidence: tuple[Evidence, ...]
    copyrights: tuple[str, ...]
    copyright_lines: tuple[str, ...]
    notes: tuple[str, ...]


def governing_terms(path: str, tree: TreeLicenses) -> tuple[Terms, ...]:
    """Return the terms of each folder above a path that has license files, nearest first."""
    terms_by_folder: list[Terms] = []
    # Start at the root, because a folder's terms may be additions to the terms above it.
    for files in reversed(list(tree.governing(path))):
        terms = _terms(files, tree)
        adds = terms_by_folder and all(speaks_of_one_thing(file.path) for file in files)
        terms_by_folder.insert(0, _added(terms, terms_by_folder[0]) if adds else terms)
    if not terms_by_folder and len(tree.texts) == 1:
        # If a REUSE repository has exactly one license text, that license applies to all files.
        terms_by_folder = [_terms(tree.texts, tree)]
    return tuple(terms_by_folder)


def stated_beside(path: str, tree: TreeLicenses) -> tuple[Evidence, ...]:
    """Return a path's statements in `path.license` and REUSE annotations. They count like tags."""
    evidence = [
        as_evidence(statement, file, ReadFrom.SPDX_TAG)
        for file in tree.side_files
        if file.path == path + SIDE_FILE
        for statement in file.findings.statements
    ]
    notes = (note for note in tree.annotations if note.covers(path))
    evidence += [evidence_of(note.statement, note.source, ()) for note in notes]
    return tuple(evidence)


def fallback(tree: TreeLicenses) -> tuple[Evidence, ...]:
    """Return the licenses that the root's NOTICE and README name. They only inform reviewers."""
    return tuple(
        as_evidence(statement, file, read_from, counts=False)
        for role, read_from in ((Role.NOTICE, ReadFrom.NOTICE), (Role.README, ReadFrom.README))
        for file in tree.of_role("", role)
        for statement in file.findings.statements
        if statement.expression and statement.bearing is not Bearing.DOUBT
    )


def as_evidence(
    statement: Statement, file: LicenseFile, read_from: ReadFrom, counts: bool | None = None
) -> Evidence:
    """Return a license file's statement as evidence for the files that the license applies to."""
    if counts is None:
        counts = statement.bearing in {Bearing.GRANT, Bearing.DOUBT}
    copyrights = file.findings.copyrights[:20]
    return evidence_of(statement, file.path, copyrights, read_from=read_from, counts=counts)


def evidence_of(
    statement: Statement, path: str, copyrights: Iterable[Copyright], **changes: Any
) -> Evidence:
    """Return a statement as evidence, with the policy's verdict. A doubt counts as unknown."""
    facts: dict[str, Any] = asdict(statement)
    is_doubt = facts.pop("bearing") is Bearing.DOUBT
    facts["verdict"] = Verdict.UNKNOWN if is_doubt else load_policy().verdict(statement.expression)
    lines = tuple(each.text for each in copyrights)
    return Evidence(**facts | {"path": path, "copyrights": lines} | changes)


def _terms(files: tuple[LicenseFile, ...], tree: TreeLicenses) -> Terms:
    read_from = ReadFrom.NESTED if files[0].folder not in {"", "LICENSES"} else ReadFrom.REPOSITORY
    evidence = [
        as_evidence(statement, file, read_from)
        for file in files
        for statement in file.findings.statements
    ]
    rulings = [_of_file(file, evidence) for file in files]
    expressions = [expression for expression, _, _ in rulings if expression]
    verdicts = [verdict for _, verdict, _ in rulings]
    # By convention, LICENSE-MIT beside LICENSE-APACHE offers a choice. LICENSE-GPL does not.
    choice = len(files) > 1 and all(_names_a_license(f.path) for f in files)
    all_permissive = all(v is Verdict.PERMISSIVE for v in verdicts)
    expression = either(expressions) if choice and all_permissive else both(expressions)
    verdict = stricter(verdicts)
    paths = " and ".join(file.path for file in files[:3])
    reasons = [reason for _, v, reason in rulings if v is verdict]
    borrowed = [c for file in files for c in file.findings.copyrights]
    return Terms(
        where=paths,
        expression=expression,
        verdict=verdict,
        reason=reasons[0],
        evidence=tuple(evidence),
        copyrights=tuple(c.holder for c in borrowed),
        copyright_lines=tuple(c.text for c in borrowed),
        notes=tuple(_notes(files, evidence)),
    )


def _added(terms: Terms, parent: Terms) -> Terms:
    """Combine a folder's terms for one subject with its parent's terms, which still apply."""
    expressions = filter(None, (terms.expression, parent.expression))
    verdict = stricter((terms.verdict, parent.verdict))
    where = f"{terms.where} and {parent.where}"
    return replace(
        terms,
        where=where,
        expression=both(expressions),
        verdict=verdict,
        reason=terms.reason if terms.verdict is verdict else parent.reason,
        evidence=(*terms.evidence, *parent.evidence),
        copyrights=(*terms.copyrights, *parent.copyrights),
        copyright_lines=(*terms.copyright_lines, *parent.copyright_lines),
        notes=(*terms.notes, *parent.notes),
    )


def _of_file(file: LicenseFile, evidence: list[Evidence]) -> tuple[str | None, Verdict, str]:
    counting = [e for e in evidence if e.path == file.path and e.counts]
    identified = [e for e in counting if e.verdict is not Verdict.UNKNOWN]
    expression = both(e.expression for e in identified if e.expression)
    if file.findings.remarks:
        return expression, Verdict.UNKNOWN, file.findings.remarks[0]
    if not counting:
        return None, Verdict.UNKNOWN, f"{file.path} holds no license that can be named."
    verdict = stricter(e.verdict for e in counting)
    if verdict is Verdict.BLOCKED:
        return expression, verdict, f"{file.path} says {expression}, which is blocked."
    if verdict is Verdict.PERMISSIVE:
        return expression, verdict, f"{file.path} says {expression}."
    worst = next(e for e in counting if e.verdict is Verdict.UNKNOWN)
    what = worst.remark or f"it says {worst.expression}, on which the policy has no word."
    return expression or worst.expression, verdict, f"{file.path}:{worst.start_line}: {what}"


def _names_a_license(path: str) -> bool:
    name = path.rpartition("/")[2].upper()
    for start in ("LICENSE", "LICENCE", "COPYING"):
        rest = name.removeprefix(start)
        if rest != name:
            return rest[:1] in {"-", "_", "."} and rest[1:] not in {"TXT", "MD", "RST", ""}
    return False


def _notes(files: tuple[LicenseFile, ...], evidence: list[Evidence]) -> list[str]:
    return [
        f"{e.path}:{e.start_line} also names {e.expression}, for code of others."
        for e in evidence
        if not e.counts and e.expression and e.verdict is not Verdict.PERMISSIVE
    ]
