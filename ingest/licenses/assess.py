"""Verdict on one file, from its own license statements and those of its repository."""

from dataclasses import dataclass, replace

from ingest.licenses.copyrights import names_holder, same_holder
from ingest.licenses.expressions import both, covers
from ingest.licenses.governing import Terms, fallback, governing_terms
from ingest.licenses.license_files import Role
from ingest.licenses.own import OwnWords, own_words, place
from ingest.licenses.policy import KnownRepository
from ingest.licenses.reader import LicenseReader
from ingest.licenses.records import Assessment, Evidence, Findings, ReadFrom, Verdict
from ingest.licenses.tree import TreeLicenses


def assess(path: str, text: str | bytes, tree: TreeLicenses, reader: LicenseReader) -> Assessment:
    """Read and assess a file."""
    findings = reader.read(path, text)
    governing = governing_terms(path, tree)
    statement = own_words(path, findings, governing[0] if governing else None, tree)
    elsewhere = fallback(tree)
    if statement.verdict is None:
        ruling = _inherited(findings, governing, elsewhere, statement.origins, tree)
    elif statement.verdict is Verdict.PERMISSIVE and statement.expression is not None:
        ruling = _beside_the_repository(statement, statement.expression, governing)
    else:
        ruling = _Ruling(statement.verdict, statement.expression, statement.reason)
    ruling = _with_origins(ruling, statement.origins)
    if ruling.verdict is Verdict.PERMISSIVE and ruling.expression is None:
        reason = "The licenses that apply can't be written as one expression."
        ruling = replace(ruling, verdict=Verdict.UNKNOWN, reason=reason)
    return Assessment(
        path=path,
        expression=ruling.expression,
        verdict=ruling.verdict,
        inherited=ruling.inherited,
        reason=ruling.reason,
        evidence=(
            *statement.evidence,
            *(e for terms in governing for e in terms.evidence),
            *elsewhere,
        ),
        notes=_notes(findings, statement, governing, elsewhere, tree),
        copyrights=_copyrights(findings, governing),
    )


@dataclass(frozen=True, slots=True)
class _Ruling:
    verdict: Verdict
    expression: str | None
    reason: str
    inherited: bool = False


def _beside_the_repository(
    statement: OwnWords, expression: str, governing: tuple[Terms, ...]
) -> _Ruling:
    """Combine a file's permissive statement with the repository's terms. Blocked terms conflict."""
    location = place(next(e for e in statement.evidence if e.counts))
    for terms in governing:
        if terms.verdict is Verdict.BLOCKED:
            combined = both(filter(None, (expression, terms.expression)))
            reason = (
                f"{location} says {expression}, but {terms.where} says {terms.expression}, "
                "which is blocked; a person must decide."
            )
            return _Ruling(Verdict.CONFLICT, combined, reason)
        if terms.verdict is not Verdict.PERMISSIVE:
            return _Ruling(
                Verdict.UNKNOWN, expression, f"{location} says {expression}, but {terms.reason}"
            )
    nearest = governing[0] if governing else None
    if nearest is None or nearest.expression is None or covers(nearest.expression, expression):
        return _Ruling(Verdict.PERMISSIVE, expression, f"{location} says {expression}.")
    reason = f"{location} says {expression}, and {nearest.where} {nearest.expression}: both apply."
    return _Ruling(Verdict.PERMISSIVE, both((expression, nearest.expression)), reason)


Origins = tuple[tuple[Evidence, KnownRepository], ...]


def _with_origins(ruling: _Ruling, origins: Origins) -> _Ruling:
    """Add the licenses of the known repositories from which the file takes code."""
    for evidence, repository in origins:
        if evidence.verdict is not Verdict.PERMISSIVE:
            reason = f"{place(evidence)}: {evidence.remark}"
            return _Ruling(evidence.verdict, repository.license, reason)
        if ruling.expression and not covers(ruling.expression, repository.license):
            ruling = replace(
                ruling,
                expression=both((ruling.expression, repository.license)),
                reason=f"{ruling.reason} {place(evidence)}: {evidence.remark}",
            )
    return ruling


def _inherited(
    findings: Findings,
    governing: tuple[Terms, ...],
    elsewhere: tuple[Evidence, ...],
    origins: Origins,
    tree: TreeLicenses,
) -> _Ruling:
    """Return the ruling on a file without a license statement, by the LICENSE files above it."""
    if not governing and elsewhere:
        reason = f"Only {elsewhere[0].path} speaks of a license, and there is no LICENSE."
        return _Ruling(Verdict.UNKNOWN, elsewhere[0].expression, reason)
    if not governing:
        return _Ruling(Verdict.UNKNOWN, None, "No license was found, in it or above it.")
    nearest = governing[0]
    if nearest.verdict is not Verdict.PERMISSIVE:
        return _Ruling(nearest.verdict, nearest.expression, nearest.reason, inherited=True)
    for terms in governing:
        if terms.verdict is Verdict.BLOCKED:
            expression = both(filter(None, (nearest.expression, terms.expression)))
            reason = (
                f"{nearest.where} says {nearest.expression}, but {terms.where} says "
                f"{terms.expression}, which is blocked; a person must decide."
            )
            return _Ruling(Verdict.CONFLICT, expression, reason, inherited=True)
        if terms.verdict is not Verdict.PERMISSIVE:
            return _Ruling(Verdict.UNKNOWN, nearest.expression, terms.reason, inherited=True)
    reason = f"It says nothing itself; {nearest.where} says {nearest.expression}."
    if foreign := _reserved_by_others(findings, governing, origins):
        readme = _readme_names(foreign, nearest.expression, elsewhere, tree)
        if not readme:
            reason = (
                f"It reserves all rights for {foreign} and grants none, and {nearest.where} does "
                "not name them."
            )
            return _Ruling(Verdict.UNKNOWN, nearest.expression, reason, inherited=True)
        reason = (
            f"It reserves all rights for {foreign}, which {readme} names; {readme} and "
            f"{nearest.where} say {nearest.expression}."
        )
    return _Ruling(Verdict.PERMISSIVE, nearest.expression, reason, inherited=True)


def _reserved_by_others(findings: Findings, governing: tuple[Terms, ...], origins: Origins) -> str:
    """Return a holder who reserves all rights in a file and does not license the repository.

    Return "" if there is none. A holder whom the LICENSE names grants the rights there. So does a
    holder of a known repository that the file names as its origin. Any holder may have granted a
    LICENSE that names no holder, as Apache-2.0 may.
    """
    granting = [holder for terms in governing for holder in terms.copyrights]
    if not granting:
        return ""
    granting += [holder for _, repository in origins for holder in repository.holders]
    for line in findings.copyrights:
        if line.all_rights_reserved and not any(same_holder(line.holder, g) for g in granting):
            return line.holder
    return ""


def _readme_names(
    holder: str, expression: str | None, elsewhere: tuple[Evidence, ...], tree: TreeLicenses
) -> str:
    """Return the README's path if the README states the same license and names the holder."""
    for file in tree.of_role("", Role.README):
        states_it = any(
            e.path == file.path and expression and e.expression and covers(expression, e.expression)
            for e in elsewhere
        )
        if states_it and names_holder(file.text, holder):
            return file.path
    return ""


def _notes(
    findings: Findings,
    statement: OwnWords,
    governing: tuple[Terms, ...],
    elsewhere: tuple[Evidence, ...],
    tree: TreeLicenses,
) -> tuple[str, ...]:
    notes = [*findings.remarks, *tree.remarks]
    for evidence in statement.evidence:
        if evidence.target and evidence.read_from is ReadFrom.PROVENANCE:
            notes.append(f"Line {evidence.start_line} names an origin: {evidence.target}")
        elif evidence.remark:
            notes.append(f"{place(evidence)}: {evidence.remark}")
    for terms in governing:
        notes.extend(terms.notes)
        if (
            statement.expression
            and terms.expression
            and not covers(terms.expression, statement.expression)
        ):
            notes.append(
                f"The file says {statement.expression}, and {terms.where} {terms.expression}."
            )
    notes.extend(
        f"{e.path}:{e.start_line} names {e.expression}, which is blocked."
        for e in elsewhere
        if e.verdict is Verdict.BLOCKED
    )
    return tuple(dict.fromkeys(notes))


def _copyrights(findings: Findings, above: tuple[Terms, ...]) -> tuple[str, ...]:
    own = [line.text for line in findings.copyrights]
    return tuple(dict.fromkeys([*own, *(above[0].copyright_lines if above else ())]))
