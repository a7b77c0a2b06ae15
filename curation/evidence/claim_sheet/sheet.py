"""Claim sheet of an item: the sentences that an approval confirms, worst first. Pure."""

from collections.abc import Iterable, Iterator

from curation.evidence.claim_sheet.masks import unmasked_stores, without_mask
from curation.evidence.claim_sheet.types import (
    OPEN,
    WRONG,
    ClaimFacts,
    ClaimState,
    EvidenceClaim,
    KernelFacts,
    PairFacts,
    not_shown,
    shown,
    wrong,
)
from curation.evidence.claim_sheet.validation_claims import validated
from curation.models import Device, Fingerprint, LicenseVerdict, Verdict
from curation.text import pluralize


def claims(facts: ClaimFacts) -> list[EvidenceClaim]:
    """Return the claim sheet, the worst claims first."""
    sheet = [*_leaves(facts)]
    if isinstance(facts, KernelFacts):
        sheet += [_complete(facts), _compiles(facts), _answers_of_kernel(facts), _masks(facts)]
    elif isinstance(facts, PairFacts):
        sheet += validated(facts)
    sheet += [_near_duplicates(facts), _benchmarks(facts)]
    if isinstance(facts, KernelFacts):
        sheet.append(_quality(facts))
    return sorted(sheet, key=lambda claim: list(ClaimState).index(claim.state))


def open_topics(sheet: Iterable[EvidenceClaim]) -> list[str]:
    return [claim.topic for claim in sheet if claim.is_open]


# --- Distribution --------------------------------------------------------------------------------
def _leaves(facts: ClaimFacts) -> Iterator[EvidenceClaim]:
    if facts.opted_out:
        yield wrong("opt-out", "May not be distributed: an opt-out excludes it")
    if facts.hidden_characters == "code":
        yield wrong("characters", "Characters in the code are invisible or reorder the text")
    elif facts.hidden_characters:
        yield not_shown("characters", "Characters in comments or strings are invisible")
    yield _license(facts)


def _license(facts: ClaimFacts) -> EvidenceClaim:
    named = facts.license or "no license was found"
    if facts.license_verdict == LicenseVerdict.PERMISSIVE:
        if facts.blocked_copy:
            return not_shown("license", f"May be distributed: {named}, {facts.blocked_copy}")
        return shown("license", f"May be distributed: {named}")
    if facts.license_verdict == LicenseVerdict.UNKNOWN:
        return not_shown("license", f"May be distributed: not known, {named}")
    return wrong("license", f"May not be distributed: {named}")


# --- Kernels -------------------------------------------------------------------------------------
def _complete(facts: KernelFacts) -> EvidenceClaim:
    if not facts.standalone:
        return wrong("complete", "Names are missing, so the unit does not stand alone")
    helpers = f", with {pluralize(facts.helpers, 'helper')}" if facts.helpers else ""
    return shown("complete", f"Complete: every name is defined{helpers}")


def _compiles(facts: KernelFacts) -> EvidenceClaim:
    compiled = next((row for row in facts.validations if row.device == Device.COMPILER), None)
    if compiled is None:
        return not_shown("compiles", "Compiles: not tried")
    triton = f"Triton {compiled.environment.get('triton') or 'of an unknown version'}"
    target = str(compiled.environment.get("target") or "").replace("cuda:", "sm_")
    if compiled.verdict == Verdict.PASSED:
        for_target = f" for {target}" if target else ""
        return shown("compiles", f"Compiles{for_target} with {triton}")
    if compiled.verdict == Verdict.FAILED:
        return wrong("compiles", f"Does not compile with {triton}")
    reason = compiled.figures.get("reason")
    return not_shown("compiles", f"Compiles: undecided{f', {reason}' if reason else ''}")


def _answers_of_kernel(facts: KernelFacts) -> EvidenceClaim:
    proven = [name for name, is_shown in facts.pairs.items() if is_shown]
    if proven:
        return shown("answers", f"Its pair {proven[0]} gives the answers of PyTorch")
    if facts.pairs:
        return not_shown("answers", f"Answers: not shown by its pair {next(iter(facts.pairs))}")
    return not_shown("answers", "Answers: never compared, there is no pair of it")


def _masks(facts: ClaimFacts) -> EvidenceClaim:
    lines = unmasked_stores(facts.text)
    if lines is None:
        return not_shown("memory", "Stays inside its tensors: not tried")
    if lines:
        return not_shown("memory", without_mask(lines), facts.column, lines)
    return shown("memory", "Each store of a block has a mask or a bounds check")


def _quality(facts: KernelFacts) -> EvidenceClaim:
    if facts.findings is None:
        return not_shown("quality", "Quality gates: not checked yet")
    if not facts.findings:
        return shown("quality", "Passes all quality gates")
    gates = ", ".join(name.replace("-", " ").replace("_", " ") for name, _ in facts.findings[:3])
    more = f" and {len(facts.findings) - 3} more" if len(facts.findings) > 3 else ""
    blocks = any(is_blocking for _, is_blocking in facts.findings)
    return EvidenceClaim("quality", WRONG if blocks else OPEN, f"Quality warnings: {gates}{more}")


# --- Neighbors -----------------------------------------------------------------------------------
def _near_duplicates(facts: ClaimFacts) -> EvidenceClaim:
    alike = f"{facts.similarity:.0%} alike"
    if facts.represented_by:
        return not_shown("near-duplicates", f"Near-duplicate of {facts.represented_by}, {alike}")
    if facts.near_duplicates:
        count = pluralize(facts.near_duplicates, "near-duplicate")
        return shown("near-duplicates", f"Stands for {count}, {alike}")
    if facts.placed is None:
        return not_shown("near-duplicates", "New: not compared with other items yet")
    return shown("near-duplicates", "New: no near-duplicate")


def _benchmarks(facts: ClaimFacts) -> EvidenceClaim:
    if facts.benchmark:
        return wrong("benchmarks", f"Overlaps the benchmark {facts.benchmark}")
    if not facts.compared_with:
        return not_shown("benchmarks", "Overlap with benchmarks: not compared yet")
    if facts.compared_with == Fingerprint.NO_BENCHMARKS:
        return not_shown("benchmarks", "Overlap with benchmarks: not checked, none is registered")
    return shown("benchmarks", "Overlaps no registered benchmark")
