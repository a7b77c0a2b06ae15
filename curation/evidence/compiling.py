"""Compile verdicts: the newest one on a kernel's present content."""

from django.db.models import QuerySet

from curation.compiled_queries import compiled_query
from curation.models import Device, Kernel, ValidationResult


def compile_verdict(kernel: Kernel) -> ValidationResult | None:
    """Return the result with its run, whose environment names the Triton version and target."""
    return _newest.first(kernel, kernel.content_hash)


@compiled_query
def _newest(kernel: Kernel, content_hash: str) -> QuerySet[ValidationResult]:
    results = ValidationResult.objects.filter(
        kernel=kernel, content_hash=content_hash, run__device=Device.COMPILER
    )
    return results.select_related("run").order_by("-pk")[:1]
