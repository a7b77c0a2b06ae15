"""What is known about whether a kernel compiles: the newest verdict on its present content."""

from curation.models import Device, Kernel, ValidationResult


def compile_verdict(kernel: Kernel) -> ValidationResult | None:
    """With its run, whose environment says for which Triton and target it holds."""
    return (
        ValidationResult.objects.filter(
            kernel=kernel, content_hash=kernel.content_hash, run__device=Device.COMPILER
        )
        .select_related("run")
        .order_by("-pk")
        .first()
    )
