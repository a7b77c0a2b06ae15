"""Claim sheets of kernels and pairs, with a fixed number of queries for any number of items."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, Max, OuterRef, prefetch_related_objects

from curation.characters import code_points, has_invisible, invisible
from curation.evidence.claim_sheet.sheet import claims, open_topics
from curation.evidence.claim_sheet.types import (
    ClaimFacts,
    EvidenceClaim,
    KernelFacts,
    PairFacts,
    Validation,
)
from curation.evidence.subjects import EVERYTHING, KERNEL, PAIR, ItemScope, Subject, chunks
from curation.models import (
    Action,
    ContaminationMatch,
    CopyFlag,
    Device,
    DuplicateLink,
    Fingerprint,
    Kernel,
    Outcome,
    Pair,
    Provenance,
    QualityFinding,
    Status,
    ValidationCheck,
    ValidationResult,
    Verdict,
)

Item = Kernel | Pair
# Names of the checks that compare answers element by element.
COMPARISONS = ("accuracy", "variations", "gradients")
DEFINED = re.compile(r"^(?:def|class) ", re.MULTILINE)
# Long text columns that are not read if the claims of many items are needed.
UNREAD = {"kernel": ("launcher_source",), "pair": ()}


def sheets(items: Sequence[Item]) -> dict[int, list[EvidenceClaim]]:
    """Return the claim sheet of each item by key. All items are of one kind."""
    if not items:
        return {}
    subject = KERNEL if isinstance(items[0], Kernel) else PAIR
    evidence = _Evidence(subject, items)
    return {item.pk: claims(evidence.facts(item)) for item in items}


def sheets_by_key(subject: Subject, keys: Iterable[int]) -> dict[int, list[EvidenceClaim]]:
    rows = subject.rows().filter(pk__among=list(keys)).select_related("license")
    return sheets(list(rows.defer(*UNREAD[subject.name])))


def refresh_open_claims(
    scope: ItemScope = EVERYTHING,
    *,
    most: int | None = None,
    renew: Callable[[], object] = lambda: None,
) -> int:
    """Count the open claims of up to `most` items with new evidence. Return the number of items.

    Writers of evidence mark an item by removing its count. `renew` is called before each batch.
    """
    counted = 0
    for subject in scope.subjects:
        keys = scope.rows(subject).filter(open_claims=None).values_list("pk", flat=True)
        for chunk in chunks(keys.order_by("pk")[:most]):
            renew()
            by_count: dict[int, list[int]] = defaultdict(list)
            for pk, sheet_of_item in sheets_by_key(subject, chunk).items():
                by_count[len(open_topics(sheet_of_item))].append(pk)
            with transaction.atomic():
                subject.locked(chunk)
                for count, pks in by_count.items():
                    subject.rows().filter(pk__among=pks, open_claims=None).update(open_claims=count)
            counted += len(chunk)
    return counted


class _Evidence:
    """Rows of evidence about a batch of items."""

    def __init__(self, subject: Subject, items: Sequence[Any]) -> None:
        keys = [item.pk for item in items]
        about, column = subject.about(keys), subject.column
        links = DuplicateLink.objects.filter(**about).select_related(f"of_{subject.name}")
        texts = [f"of_{subject.name}__{name}" for name in subject.model.SOURCES]
        self._links = {getattr(link, column): link for link in links.defer(*texts).order_by()}
        of = f"of_{subject.name}"
        represented = DuplicateLink.objects.filter(**{f"{of}__among": keys}).order_by()
        self._represented = {
            row[of]: (row["count"], row["closest"])
            for row in represented.values(of).annotate(count=Count("pk"), closest=Max("similarity"))
        }
        self._compared = {
            pk: (placed, compared)
            for pk, placed, compared in Fingerprint.objects.filter(**about)
            .order_by()
            .values_list(column, "placed", "compared_with")
        }
        matches = ContaminationMatch.objects.filter(**about).order_by("similarity", "-pk")
        self._benchmarks = dict(matches.values_list(column, "problem"))
        self._validations = _validations(subject, about)
        self._findings = _findings(keys) if subject is KERNEL else {}
        self._pairs = pairs_of(keys) if subject is KERNEL else {}
        kernels = keys if subject is KERNEL else [i.kernel_id for i in items if i.kernel_id]
        flags = CopyFlag.objects.filter(kernel__among=kernels).order_by("similarity", "-pk")
        self._copies = {
            pk: blocked_copy(name, similarity, license)
            for pk, name, similarity, license in flags.values_list(
                "kernel", "blocked__name", "similarity", "blocked__license__expression"
            )
        }
        self._paths: dict[int, list[str]] = defaultdict(list)
        self._opted_out: set[int] = set()
        places = Provenance.objects.filter(kernel__among=kernels, retired_at=None).order_by("pk")
        for kernel, path, is_out, since in places.values_list(
            "kernel", "source_file__path", "opted_out", "source_file__repository__opted_out_at"
        ):
            self._paths[kernel].append(path)
            if is_out or since:
                self._opted_out.add(kernel)

    def facts(self, item: Any) -> ClaimFacts:
        is_kernel = isinstance(item, Kernel)
        kernel = item.pk if is_kernel else item.kernel_id
        placed, compared_with = self._compared.get(item.pk, (None, ""))
        link = self._links.get(item.pk)
        represented, closest = self._represented.get(item.pk, (0, 0.0))
        shared = own_facts(item, self._paths.get(kernel, ())) | {
            "opted_out": kernel in self._opted_out,
            "blocked_copy": self._copies.get(kernel, ""),
            "placed": placed,
            "represented_by": str(link.of_kernel or link.of_pair) if link else "",
            "similarity": link.similarity if link else closest,
            "near_duplicates": represented,
            "benchmark": self._benchmarks.get(item.pk, ""),
            "compared_with": compared_with,
            "validations": tuple(self._validations.get((item.pk, item.content_hash), ())),
        }
        if not is_kernel:
            return PairFacts(**shared)
        findings, pairs = self._findings.get(item.pk), self._pairs.get(item.pk, {})
        return KernelFacts(**shared, findings=findings, pairs=pairs)


def own_facts(item: Any, paths: Iterable[str]) -> dict[str, Any]:
    """Return the facts that are columns of an item. `paths`: the paths of its files."""
    facts = {
        "license": item.license.expression if item.license else "",
        "license_verdict": item.license_verdict,
        "hidden_characters": _hidden(item, paths),
    }
    if isinstance(item, Pair):
        return facts | {"text": item.triton_code, "column": "triton_code", "origin": item.origin}
    return facts | {
        "text": item.standalone_source,
        "column": "standalone_source",
        "standalone": item.standalone,
        "helpers": max(len(DEFINED.findall(item.standalone_source)) - 1, 0),
    }


def blocked_copy(name: str, similarity: float, license: str | None) -> str:
    return f"but {name}, {similarity:.0%} alike, is under {license or 'a blocked license'}"


def _hidden(item: Any, paths: Iterable[str]) -> str:
    """Return the value of `ClaimFacts.hidden_characters`: `code`, `prose` or an empty text."""
    if code_points("".join((str(item), *paths))):
        return "code"
    texts = [getattr(item, name) for name in item.SOURCES if name not in item.get_deferred_fields()]
    hidden = [invisible(text) for text in texts if has_invisible(text)]
    if not hidden:
        return ""
    return "code" if any(deceiving for deceiving, _ in hidden) else "prose"


def validation_of(result: ValidationResult) -> Validation:
    """Return a validation as plain values. Prefetch the run and, for a pair, the checks."""
    checks = result.checks.all() if result.pair_id else ()
    return Validation(
        device=result.run.device,
        verdict=result.verdict,
        message=_wrong_value(checks) or result.message,
        environment=result.run.environment,
        figures=result.figures,
        checks={check.name: check.figures for check in checks if check.outcome == Outcome.PASSED},
    )


def _wrong_value(checks: Iterable[ValidationCheck]) -> str:
    """Return the message that names a wrong element, or an empty text.

    It is shorter than the message of the pair's test, which quotes complete tensors.
    """
    failed = {check.name: check.message for check in checks if check.outcome == Outcome.FAILED}
    return next((failed[name] for name in COMPARISONS if name in failed), "")


def _findings(kernels: list[int]) -> dict[int, tuple[tuple[str, bool], ...]]:
    """Return the failed gates of each kernel, and whether each gate blocks an approval."""
    failed: dict[int, list[tuple[str, bool]]] = {}
    rows = QualityFinding.objects.filter(kernel__among=kernels).order_by("gate")
    for kernel, gate, action, passed in rows.values_list("kernel", "gate", "action", "passed"):
        gates = failed.setdefault(kernel, [])
        if not passed:
            gates.append((gate, action == Action.BLOCK))
    return {kernel: tuple(gates) for kernel, gates in failed.items()}


def pairs_of(kernels: list[int]) -> dict[int, dict[str, bool]]:
    """Return the pairs drafted from each kernel, and whether each has passed a validation."""
    passed = ValidationResult.objects.filter(
        pair=OuterRef("pk"), content_hash=OuterRef("content_hash"), verdict=Verdict.PASSED
    )
    pairs: dict[int, dict[str, bool]] = defaultdict(dict)
    rows = Pair.objects.filter(kernel__among=kernels).exclude(status=Status.RETIRED).order_by("pk")
    columns = ("kernel", "slug", "content_hash", "shown")
    for kernel, slug, hashed, shown in rows.annotate(shown=Exists(passed)).values_list(*columns):
        pairs[kernel][f"{slug}-{hashed[:8]}"] = shown
    return pairs


def _validations(
    subject: Subject, about: Mapping[str, Any]
) -> dict[tuple[int, str], list[Validation]]:
    """Return the newest validation on each device, by item and content."""
    rows = ValidationResult.objects.filter(**about).exclude(
        run__device=Device.CUDA, verdict=Verdict.UNSUPPORTED
    )
    newest: dict[tuple[int, str, str], ValidationResult] = {}
    for row in rows.select_related("run").order_by("pk"):
        newest[getattr(row, subject.column), row.content_hash, row.run.device] = row
    prefetch_related_objects(list(newest.values()), "checks")
    validations: dict[tuple[int, str], list[Validation]] = defaultdict(list)
    for (pk, content_hash, _), row in newest.items():
        validations[pk, content_hash].append(validation_of(row))
    return validations
