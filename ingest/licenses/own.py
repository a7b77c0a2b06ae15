"""License statements in a file itself. "See LICENSE" means the nearest LICENSE above the file."""

from dataclasses import dataclass, replace

from ingest.licenses.expressions import both, keys
from ingest.licenses.governing import Terms, evidence_of, stated_beside
from ingest.licenses.policy import KnownRepository, load_policy
from ingest.licenses.records import (
    ORDER,
    Bearing,
    Evidence,
    Findings,
    ReadFrom,
    Statement,
    Verdict,
    stricter,
)
from ingest.licenses.tree import TreeLicenses

# Detector name of a link to a known repository. The file takes on the license of that repository.
KNOWN_ORIGIN = "known-repository"


@dataclass(frozen=True, slots=True)
class OwnWords:
    """A file's own statements. Without a verdict, the file may inherit the repository's license.

    origins: links to files of known repositories from which the file takes code.
    """

    evidence: tuple[Evidence, ...] = ()
    expression: str | None = None
    verdict: Verdict | None = None
    reason: str = ""
    origins: tuple[tuple[Evidence, KnownRepository], ...] = ()


def own_words(path: str, findings: Findings, nearest: Terms | None, tree: TreeLicenses) -> OwnWords:
    """Return the license statements in a file and beside it, with their strictest verdict."""
    evidence = [_evidence(path, s, findings, nearest) for s in findings.statements]
    evidence += stated_beside(path, tree)
    evidence = sorted(
        dict.fromkeys(evidence), key=lambda e: (ORDER.index(e.read_from), e.start_line)
    )
    origins = tuple(
        (e, known)
        for e in evidence
        if e.read_from is ReadFrom.PROVENANCE and (known := load_policy().repository_of(e.target))
    )
    counting = [e for e in evidence if e.counts and e.detector != KNOWN_ORIGIN]
    expression = both(e.expression for e in counting if e.expression)
    if not counting and not findings.remarks:
        return OwnWords(tuple(evidence), origins=origins)
    verdict = stricter([e.verdict for e in counting] + [Verdict.UNKNOWN] * bool(findings.remarks))
    worst = next((e for e in counting if e.verdict is verdict), None)
    reason = " ".join(findings.remarks) if worst is None else _reason(worst)
    return OwnWords(tuple(evidence), expression, verdict, reason, origins)


def place(evidence: Evidence) -> str:
    """Return the path, line and kind of a piece of evidence, worded for use in a sentence."""
    return f"{evidence.path}:{evidence.start_line} ({evidence.read_from})"


def _evidence(
    path: str, statement: Statement, findings: Findings, nearest: Terms | None
) -> Evidence:
    near = [
        line
        for line in findings.copyrights
        if statement.start_line - 10 <= line.line <= statement.end_line + 3
    ]
    counts = statement.bearing is not Bearing.SHOWN
    evidence = evidence_of(statement, path, near, counts=counts)
    match statement.bearing:
        case Bearing.EMBEDDED if evidence.verdict is Verdict.BLOCKED:
            return replace(evidence, verdict=Verdict.UNKNOWN)
        case Bearing.EMBEDDED:
            return replace(evidence, counts=False)
        case Bearing.REFERENCE:
            return _followed(evidence, nearest)
        case Bearing.SHOWN if known := load_policy().repository_of(evidence.target):
            return replace(
                evidence,
                expression=known.license,
                verdict=load_policy().verdict(known.license),
                detector=KNOWN_ORIGIN,
                counts=True,
                remark=f"It names a file of {known.name}, which is under {known.license}.",
            )
        case _:
            return evidence


def _followed(evidence: Evidence, nearest: Terms | None) -> Evidence:
    expression = evidence.expression
    if expression is not None and evidence.verdict is Verdict.BLOCKED:
        return evidence
    if nearest is None:
        remark = f"It points to a {evidence.target} file that is not there."
        return replace(evidence, verdict=Verdict.UNKNOWN, remark=remark)
    if (
        expression is None
        or nearest.expression is None
        or _same_family(expression, nearest.expression)
    ):
        return replace(
            evidence,
            expression=nearest.expression,
            verdict=nearest.verdict,
            remark=f"It points to {nearest.where}.",
        )
    remark = (
        f"It names {expression}, but {nearest.where}, to which it points, is {nearest.expression}."
    )
    return replace(evidence, remark=remark)


def _same_family(named: str, found: str) -> bool:
    families = {key.split("-")[0].lower() for key in keys(found)}
    return any(key.split("-")[0].lower() in families for key in keys(named))


def _reason(worst: Evidence) -> str:
    if worst.verdict is Verdict.BLOCKED:
        why = load_policy().reasons(worst.expression)
        return f"{place(worst)} is {worst.expression}, which is blocked: {why}"
    if worst.verdict is Verdict.UNKNOWN and worst.remark:
        return f"{place(worst)}: {worst.remark}"
    if worst.verdict is Verdict.UNKNOWN:
        return f"{place(worst)} says {worst.expression}, on which the policy has no word."
    return f"{place(worst)} says {worst.expression}."
