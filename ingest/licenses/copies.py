"""Licenses across copies: a kernel without a header may be a copy of a blocked one."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from ingest.licenses.records import Assessment, Evidence, ReadFrom, Verdict


@dataclass(frozen=True, slots=True)
class Copy:
    """One place of a kernel: a link for a reviewer, and the verdict there."""

    link: str
    assessment: Assessment


@dataclass(frozen=True, slots=True)
class Flag:
    """A copy whose license another copy makes doubtful, with the evidence to add to it."""

    link: str
    because_of: str
    reason: str
    evidence: Evidence


def flagged_copies(copies: Iterable[Copy]) -> tuple[Flag, ...]:
    """Return the copies that inherit or lack a license while another copy is blocked.

    A copy with its own permissive statement is flagged too if the blocked one states its own.
    Then two authors claim the code, and a person must choose.
    """
    ordered_copies = sorted(copies, key=lambda copy: copy.link)
    blocked = [c for c in ordered_copies if c.assessment.verdict is Verdict.BLOCKED]
    if not blocked:
        return ()
    worst = min(blocked, key=lambda copy: (copy.assessment.inherited, copy.link))
    return tuple(
        _flag(copy, worst)
        for copy in ordered_copies
        if copy.assessment.verdict is not Verdict.BLOCKED
        and (copy.assessment.inherited or not worst.assessment.inherited)
    )


def _flag(copy: Copy, blocked: Copy) -> Flag:
    expression = blocked.assessment.expression
    reason = f"The same kernel is under {expression or 'blocked terms'} at {blocked.link}."
    source = next(
        (e for e in blocked.assessment.evidence if e.verdict is Verdict.BLOCKED),
        None,
    )
    evidence = Evidence(
        read_from=ReadFrom.COPY,
        expression=expression,
        verdict=Verdict.BLOCKED,
        path=blocked.assessment.path,
        start_line=source.start_line if source else 1,
        end_line=source.end_line if source else 1,
        matched_text=source.matched_text if source else "",
        copyrights=blocked.assessment.copyrights,
        confidence=source.confidence if source else 1.0,
        detector="copy",
        remark=reason,
        target=blocked.link,
    )
    return Flag(copy.link, blocked.link, reason, evidence)


def with_flag(assessment: Assessment, flag: Flag) -> Assessment:
    """Return the assessment of a flagged copy: a conflict that a person must decide."""
    return replace(
        assessment,
        verdict=Verdict.CONFLICT,
        reason=flag.reason,
        evidence=(*assessment.evidence, flag.evidence),
        notes=(*assessment.notes, flag.reason),
    )
