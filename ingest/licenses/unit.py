"""Verdict on a standalone unit: the strictest verdict on the files that its code comes from."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from ingest.licenses.expressions import both, normalize
from ingest.licenses.policy import load_policy
from ingest.licenses.records import STRICTNESS, Assessment, Verdict


def strictest(assessments: Iterable[Assessment]) -> Assessment:
    """Combine assessments into one. The result does not depend on their order."""
    ordered = sorted(set(map(_named_or_unknown, assessments)), key=_rank)
    if not ordered:
        reason = "It draws from no file, so there is nothing that could permit it."
        return Assessment("", None, Verdict.UNKNOWN, False, reason, (), (), ())
    if len(ordered) == 1:
        return ordered[0]
    worst = ordered[0]
    expression = both(sorted({a.expression for a in ordered if a.expression}))
    verdict, reason = worst.verdict, f"{worst.path}: {worst.reason}"
    if verdict is Verdict.PERMISSIVE:
        reason = f"Each of the {len(ordered)} files that it draws from is permissive."
        if expression is None:
            verdict = Verdict.UNKNOWN
            reason = "The licenses of its files can't be written as one expression."
    return Assessment(
        path=worst.path,
        expression=expression,
        verdict=verdict,
        inherited=any(a.inherited for a in ordered),
        reason=reason,
        evidence=tuple(dict.fromkeys(e for a in ordered for e in a.evidence)),
        notes=tuple(dict.fromkeys(n for a in ordered for n in a.notes)),
        copyrights=tuple(dict.fromkeys(c for a in ordered for c in a.copyrights)),
    )


def or_stated(assessment: Assessment, stated: Mapping[str, str]) -> Assessment:
    """Return the terms that the files state, or if they state none, those that a person stated."""
    name = normalize(stated.get("license", ""))
    if assessment.evidence or assessment.notes or name is None:
        return assessment
    verdict, reason = load_policy().verdict(name), f"A person states {name} for the compiled model."
    lines = tuple(filter(None, (*assessment.copyrights, stated.get("copyright"))))
    return replace(assessment, expression=name, verdict=verdict, reason=reason, copyrights=lines)


def _named_or_unknown(assessment: Assessment) -> Assessment:
    """Change a permissive verdict to unknown if the assessment names no license."""
    if assessment.verdict is not Verdict.PERMISSIVE or assessment.expression:
        return assessment
    return replace(assessment, verdict=Verdict.UNKNOWN)


def _rank(assessment: Assessment) -> tuple[int, str, str, str]:
    """Return the sort key, strictest first.

    The key covers all fields. So the result does not depend on a set's order if some are equal.
    """
    strictness = -STRICTNESS.index(assessment.verdict)
    return strictness, assessment.path, assessment.reason, repr(assessment)
