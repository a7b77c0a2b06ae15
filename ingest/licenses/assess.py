"""Verdict on one file, from its own statements and its repository's."""

from dataclasses import dataclass, replace

from ingest.licenses.copyrights import same_holder
from ingest.licenses.expressions import both, covers
from ingest.licenses.governing import Terms, fallback, governing_terms
from ingest.licenses.own import OwnWords, own_words, place
from ingest.licenses.policy import Policy, load_policy
from ingest.licenses.reader import LicenseReader
from ingest.licenses.records import Assessment, Evidence, Findings, ReadFrom, Verdict
from ingest.licenses.tree import TreeLicenses


def assess_file(
    path: str,
    text: str | bytes,
    tree: TreeLicenses,
    *,
    reader: LicenseReader,
    policy: Policy | None = None,
    blob: str = "",
) -> Assessment:
    """Read and assess a file. `blob` is git's id of its content, if known."""
    return assess(path, reader.read(path, text, blob), tree, policy=policy)


def assess(
    path: str, findings: Findings, tree: TreeLicenses, *, policy: Policy | None = None
) -> Assessment:
    """Assess a file by its findings. A new policy needs no second reading."""
    policy = policy or load_policy()
    above = governing_terms(path, tree, policy)
    own = own_words(path, findings, above[0] if above else None, tree, policy)
    elsewhere = fallback(tree, policy)
    if own.verdict is None:
        ruling = _inherited(findings, above, elsewhere)
    elif own.verdict is Verdict.PERMISSIVE and own.expression is not None:
        ruling = _beside_the_repository(own, own.expression, above)
    else:
        ruling = _Ruling(own.verdict, own.expression, own.reason)
    if ruling.verdict is Verdict.PERMISSIVE and ruling.expression is None:
        reason = "The licenses that apply can't be written as one expression."
        ruling = replace(ruling, verdict=Verdict.UNKNOWN, reason=reason)
    return Assessment(
        path=path,
        expression=ruling.expression,
        verdict=ruling.verdict,
        inherited=ruling.inherited,
        reason=ruling.reason,
        evidence=(*own.evidence, *(e for terms in above for e in terms.evidence), *elsewhere),
        notes=_notes(findings, own, above, elsewhere, tree),
        copyrights=_copyrights(findings, above),
        policy=policy.version,
    )


@dataclass(frozen=True, slots=True)
class _Ruling:
    verdict: Verdict
    expression: str | None
    reason: str
    inherited: bool = False


def _beside_the_repository(own: OwnWords, expression: str, above: tuple[Terms, ...]) -> _Ruling:
    """Combine a permissive statement with the repository's terms: the stricter one counts."""
    where = place(next(e for e in own.evidence if e.counts))
    for terms in above:
        if terms.verdict is Verdict.BLOCKED:
            combined = both(filter(None, (expression, terms.expression)))
            reason = (
                f"{where} says {expression}, but {terms.where} says {terms.expression}, which is "
                "blocked; a person must decide."
            )
            return _Ruling(Verdict.CONFLICT, combined, reason)
        if terms.verdict is not Verdict.PERMISSIVE:
            return _Ruling(
                Verdict.UNKNOWN, expression, f"{where} says {expression}, but {terms.reason}"
            )
    nearest = above[0] if above else None
    if nearest is None or nearest.expression is None or covers(nearest.expression, expression):
        return _Ruling(Verdict.PERMISSIVE, expression, f"{where} says {expression}.")
    reason = f"{where} says {expression}, and {nearest.where} {nearest.expression}: both apply."
    return _Ruling(Verdict.PERMISSIVE, both((expression, nearest.expression)), reason)


def _inherited(
    findings: Findings, above: tuple[Terms, ...], elsewhere: tuple[Evidence, ...]
) -> _Ruling:
    """Rule on a file without a statement: the nearest LICENSE counts, unless one above
    contradicts."""
    if not above and elsewhere:
        reason = f"Only {elsewhere[0].path} speaks of a license, and there is no LICENSE."
        return _Ruling(Verdict.UNKNOWN, elsewhere[0].expression, reason)
    if not above:
        return _Ruling(Verdict.UNKNOWN, None, "No license was found, in it or above it.")
    nearest = above[0]
    if nearest.verdict is not Verdict.PERMISSIVE:
        return _Ruling(nearest.verdict, nearest.expression, nearest.reason, inherited=True)
    for terms in above:
        if terms.verdict is Verdict.BLOCKED:
            expression = both(filter(None, (nearest.expression, terms.expression)))
            reason = (
                f"{nearest.where} says {nearest.expression}, but {terms.where} says "
                f"{terms.expression}, which is blocked; a person must decide."
            )
            return _Ruling(Verdict.CONFLICT, expression, reason, inherited=True)
        if terms.verdict is not Verdict.PERMISSIVE:
            return _Ruling(Verdict.UNKNOWN, nearest.expression, terms.reason, inherited=True)
    if foreign := _reserved_by_others(findings, above):
        reason = (
            f"It reserves all rights for {foreign} and grants none, and {nearest.where} does not "
            "name them."
        )
        return _Ruling(Verdict.UNKNOWN, nearest.expression, reason, inherited=True)
    reason = f"It says nothing itself; {nearest.where} says {nearest.expression}."
    return _Ruling(Verdict.PERMISSIVE, nearest.expression, reason, inherited=True)


def _reserved_by_others(findings: Findings, above: tuple[Terms, ...]) -> str:
    """Return a holder who reserves all rights here and is not a licensor of the repository.

    For the repository's own holders the formula has no effect: their LICENSE is the grant. A
    LICENSE without names (Apache-2.0 needs none) may be anyone's.
    """
    granting = [holder for terms in above for holder in terms.copyrights]
    if not granting:
        return ""
    for line in findings.copyrights:
        if line.all_rights_reserved and not any(same_holder(line.holder, g) for g in granting):
            return line.holder
    return ""


def _notes(
    findings: Findings,
    own: OwnWords,
    above: tuple[Terms, ...],
    elsewhere: tuple[Evidence, ...],
    tree: TreeLicenses,
) -> tuple[str, ...]:
    notes = [*findings.remarks, *tree.remarks]
    for evidence in own.evidence:
        if evidence.target and evidence.read_from is ReadFrom.PROVENANCE:
            notes.append(f"Line {evidence.start_line} names an origin: {evidence.target}")
        elif evidence.remark:
            notes.append(f"{place(evidence)}: {evidence.remark}")
    for terms in above:
        notes.extend(terms.notes)
        if own.expression and terms.expression and not covers(terms.expression, own.expression):
            notes.append(f"The file says {own.expression}, and {terms.where} {terms.expression}.")
    notes.extend(
        f"{e.path}:{e.start_line} names {e.expression}, which is blocked."
        for e in elsewhere
        if e.verdict is Verdict.BLOCKED
    )
    return tuple(dict.fromkeys(notes))


def _copyrights(findings: Findings, above: tuple[Terms, ...]) -> tuple[str, ...]:
    own = [line.text for line in findings.copyrights]
    return tuple(dict.fromkeys([*own, *(above[0].copyright_lines if above else ())]))
