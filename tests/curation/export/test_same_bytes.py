"""The same rows give the same bytes: on either database, on every Python, in whatever order."""

import hashlib
import random
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from curation.models import LicenseVerdict, ValidationResult
from tests import factories as make
from tests.curation.export.writing import export, hashes

pytestmark = pytest.mark.django_db

# Of all files but Parquet's, whose bytes are pyarrow's. It changes when the format of an export
# does, and then in one commit with it: SQLite, PostgreSQL and each Python must agree on it.
DIGEST = "446187a0dc48355bcc985239e8860db8289490449c5a907d0e14289438f1a743"


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
    mit = make.a_license(expression="MIT", text="Permission is hereby granted.\n")
    repositories = [make.a_repository(name=f"ada/kernels{n}", stars=n) for n in range(3)]

    def kernel(number: int) -> None:
        source = make.KERNEL_SOURCE.format(name=f"größer_{number}")
        row = make.an_approved_kernel(
            license=mit, name=f"größer_{number}", content_hash=make.sha(f"fixed kernel {number}"),
            standalone_source=f"import triton\n\n\n{source}", tags=["a", "b"],
        )  # fmt: skip
        for seen in range(1 + number % 3):
            make.a_provenance(
                kernel=row, license=mit, license_verdict=LicenseVerdict.PERMISSIVE,
                copyrights=[f"Copyright (c) {2000 + seen} Ada"],
                source_file=make.a_source_file(
                    repository=repositories[(number + seen) % 3], path=f"k/{number}_{seen}.py"
                ),
            )  # fmt: skip

    def pair(number: int) -> None:
        make.an_approved_pair(
            license=mit, slug=f"add-{number}", content_hash=make.sha(f"fixed pair {number}"),
            triton_code=make.KERNEL_SOURCE.format(name=f"add_{number}"),
            split_group=f"g{number // 4}", metadata=METADATA if number % 2 else {},
        )  # fmt: skip

    writers: tuple[Callable[[int], None], ...] = (kernel, pair)
    for write in writers:
        for number in order:
            write(number)
    ValidationResult.objects.update(created_at=AT)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_bytes_of_fixed_rows_do_not_depend_on_their_order(seed: int, tmp_path: Path) -> None:
    order = list(range(KERNELS))
    random.Random(seed).shuffle(order)  # noqa: S311
    write_fixed_rows(order)

    folder = export(
        tmp_path / "out",
        "--format",
        "torchtune,jsonl,alpaca,kernelbook,trl,prompts",
        "--upsample",
        "utils=5",
    )

    every = "".join(f"{digest}  {path}\n" for path, digest in hashes(folder).items())
    assert hashlib.sha256(every.encode()).hexdigest() == DIGEST


def test_exporting_the_same_rows_to_parquet_gives_the_same_bytes(tmp_path: Path) -> None:
    write_fixed_rows(range(KERNELS))

    first = hashes(export(tmp_path / "one", "--format", "parquet"))
    assert hashes(export(tmp_path / "two", "--format", "parquet")) == first
