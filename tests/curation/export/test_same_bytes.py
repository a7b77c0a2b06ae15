"""The same rows give the same bytes: on either database, on every Python, in whatever order."""

import hashlib
import random
from pathlib import Path

import pytest

from tests.curation.export.fixed_rows import KERNELS, write_fixed_rows
from tests.curation.export.writing import export, hashes

pytestmark = pytest.mark.django_db

# Of all files but Parquet's, whose bytes are pyarrow's. It changes when the format of an export
# does, and then in one commit with it: SQLite, PostgreSQL and each Python must agree on it.
DIGEST = "a391c01b88fc048a4ac2b76aaa3ef56b94c299a7497e90a173cddb0572431cf1"


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_bytes_of_fixed_rows_do_not_depend_on_their_order(seed: int, tmp_path: Path) -> None:
    order = list(range(KERNELS))
    random.Random(seed).shuffle(order)  # noqa: S311
    write_fixed_rows(order)

    folder = export(
        tmp_path / "out",
        "--format",
        "torchtune,jsonl,alpaca,kernelbook,prompts",
        "--upsample",
        "utils=5",
    )

    every = "".join(f"{digest}  {path}\n" for path, digest in hashes(folder).items())
    assert hashlib.sha256(every.encode()).hexdigest() == DIGEST


def test_exporting_the_same_rows_to_parquet_gives_the_same_bytes(tmp_path: Path) -> None:
    write_fixed_rows(range(KERNELS))

    first = hashes(export(tmp_path / "one", "--format", "parquet"))
    assert hashes(export(tmp_path / "two", "--format", "parquet")) == first
