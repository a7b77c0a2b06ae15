"""The same rows on every machine, whoever wrote them in which order: for comparing bytes."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from curation.models import LicenseVerdict, ValidationResult
from tests.factories import (
    KERNEL_SOURCE,
    a_license,
    a_provenance,
    a_repository,
    a_source_file,
    an_approved_kernel,
    an_approved_pair,
    sha,
)

AT = datetime(2026, 11, 1, 12, tzinfo=UTC)
KERNELS = PAIRS = 30
# PostgreSQL keeps such a value, not its text: it would tell the keys in another order.
METADATA = {
    "token_encoding": "cl100k_base",
    "provenance": {
        "repository": "ada/pairs", "lines": "2-9", "copyright": "Copyright (c) 2001 Ada",
    },
}  # fmt: skip


def write_fixed_rows(order: Sequence[int]) -> None:
    """`order` is a permutation of the numbers up to KERNELS."""
    mit = a_license(expression="MIT", text="Permission is hereby granted.\n")
    repositories = [a_repository(name=f"ada/kernels{n}", stars=n) for n in range(3)]

    def kernel(number: int) -> None:
        source = KERNEL_SOURCE.format(name=f"größer_{number}")
        row = an_approved_kernel(
            license=mit, name=f"größer_{number}", content_hash=sha(f"fixed kernel {number}"),
            standalone_source=f"import triton\n\n\n{source}", tags=["a", "b"],
        )  # fmt: skip
        for seen in range(1 + number % 3):
            a_provenance(
                kernel=row, license=mit, license_verdict=LicenseVerdict.PERMISSIVE,
                copyrights=[f"Copyright (c) {2000 + seen} Ada"],
                source_file=a_source_file(
                    repository=repositories[(number + seen) % 3], path=f"k/{number}_{seen}.py"
                ),
            )  # fmt: skip

    def pair(number: int) -> None:
        an_approved_pair(
            license=mit, slug=f"add-{number}", content_hash=sha(f"fixed pair {number}"),
            triton_code=KERNEL_SOURCE.format(name=f"add_{number}"), split_group=f"g{number // 4}",
            metadata=METADATA if number % 2 else {},
        )  # fmt: skip

    writers: tuple[Callable[[int], None], ...] = (kernel, pair)
    for write in writers:
        for number in order:
            write(number)
    ValidationResult.objects.update(created_at=AT)
