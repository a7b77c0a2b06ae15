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
DIGEST = "f61888de51123c67b0cb30a687851ac9d164c2d3e634ee703121783703ed4f1c"


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_fixed_rows_give_fixed_bytes_in_whatever_order_they_came(seed: int, tmp_path: Path) -> None:
    order = list(range(KERNELS))
    random.Random(seed).shuffle(order)  # noqa: S311
    write_fixed_rows(order)

    folder = export(
        tmp_path / "out", "--format", "torchtune,jsonl,alpaca,kernelbook", "--upsample", "utils=5"
    )

    every = "".join(f"{digest}  {path}\n" for path, digest in hashes(folder).items())
    assert hashlib.sha256(every.encode()).hexdigest() == DIGEST


def test_parquet_too_depends_on_nothing_but_the_rows(tmp_path: Path) -> None:
    write_fixed_rows(range(KERNELS))

    first = hashes(export(tmp_path / "one", "--format", "parquet"))
    assert hashes(export(tmp_path / "two", "--format", "parquet")) == first
