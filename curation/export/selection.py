"""Which kernels leave the house, in an order that depends on nothing but their content."""

from collections.abc import Iterator

from curation.models import Kernel


def approved_kernels() -> Iterator[Kernel]:
    """One at a time, however many there are."""
    return Kernel.objects.approved().order_by("content_hash").iterator(chunk_size=500)
