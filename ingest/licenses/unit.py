"""The verdict on a standalone unit: as strict as the strictest file that it draws from."""

from collections.abc import Iterable

from ingest.licenses.expressions import both
from ingest.licenses.records import STRICTNESS, Assessment, Verdict


def strictest(assessments: Iterable[Assessment]) -> Assessment:
    """One assessment for all; the order in which they come does not matter."""
    each = sorted(set(assessments), key=lambda a: (-STRICTNESS.index(a.verdict), a.path, a.reason))
    if not each:
        reason = "It draws from no file, so there is nothing that could permit it."
        return Assessment("", None, Verdict.UNKNOWN, False, reason, (), (), (), "")
    if len(each) == 1:
        return each[0]
    worst = each[0]
    expression = both(sorted({a.expression for a in each if a.expression}))
    verdict, reason = worst.verdict, f"{worst.path}: {worst.reason}"
    if verdict is Verdict.PERMISSIVE:
        reason = f"Each of the {len(each)} files that it draws from is permissive."
        if expression is None:
            verdict = Verdict.UNKNOWN
            reason = "The licences of its files can't be written as one expression."
    return Assessment(
        path=worst.path,
        expression=expression,
        verdict=verdict,
        inherited=any(a.inherited for a in each),
        reason=reason,
        evidence=tuple(dict.fromkeys(e for a in each for e in a.evidence)),
        notes=tuple(dict.fromkeys(n for a in each for n in a.notes)),
        copyrights=tuple(dict.fromkeys(c for a in each for c in a.copyrights)),
        policy=worst.policy,
    )
