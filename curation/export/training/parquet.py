"""Parquet files with the columns of the records."""

import hashlib
from pathlib import Path
from typing import Any, Self

from curation.errors import CurationError
from curation.export.schema import Columns, ListOf

# Rows in memory for each file; also the size of a row group, so it shapes the bytes.
ROWS = 2000


class ParquetFile:
    def __init__(self, path: Path, columns: Columns) -> None:
        self._path = path
        self._columns = columns
        self._rows: list[dict[str, Any]] = []
        self._records = self._tokens = 0

    def __enter__(self) -> Self:
        try:
            import pyarrow as pa
            import pyarrow.parquet as pq
        except ImportError:
            raise CurationError(
                "Parquet needs pyarrow: pip install 'triton-curation[parquet]', or leave the "
                "format out."
            ) from None
        self._arrow = pa
        self._schema = pa.schema(_fields(pa, self._columns))
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._writer = pq.ParquetWriter(self._path, self._schema, compression="zstd")
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._flush()
        finally:
            self._writer.close()

    def write(self, row: dict[str, Any], tokens: int) -> None:
        self._rows.append(row)
        self._records += 1
        self._tokens += tokens
        if len(self._rows) == ROWS:
            self._flush()

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_table(self._arrow.Table.from_pylist(self._rows, self._schema))
            self._rows = []

    def as_json(self, folder: Path) -> dict[str, Any]:
        with self._path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        return {
            "path": self._path.relative_to(folder).as_posix(),
            "bytes": self._path.stat().st_size,
            "lines": None,
            "records": self._records,
            "tokens": self._tokens,
            "sha256": digest,
        }


def _fields(pa: Any, columns: Columns) -> list[Any]:
    return [pa.field(name, _type(pa, column)) for name, column in columns.items()]


def _type(pa: Any, column: Any) -> Any:
    if isinstance(column, dict):
        return pa.struct(_fields(pa, column))
    if isinstance(column, ListOf):
        return pa.list_(_type(pa, column.of))
    return {
        "string": pa.string(),
        "int64": pa.int64(),
        "float64": pa.float64(),
        "bool": pa.bool_(),
    }[column]
