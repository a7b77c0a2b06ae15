"""Parquet format: pairs/, kernels/ and pallas/ with the columns of the JSON lines."""

import hashlib
import json
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from curation.errors import CurationError
from curation.export.columns import Columns, ListOf
from curation.export.formats.writing import FormatTarget
from curation.export.records import Record
from curation.export.splits import SPLITS

# Rows in memory for each file; also the size of a row group, so it shapes the bytes.
ROWS = 2000


class Parquet:
    def __init__(self, target: FormatTarget, stack: ExitStack) -> None:
        self._folder = target.folder
        self._stack = stack
        self._kernel_columns = target.kernel_columns
        self._files = {
            "pair": self._open("pairs", target.pair_columns),
            "kernel": self._open("kernels", target.kernel_columns),
        }

    def _open(self, folder: str, columns: Columns) -> list["_ParquetFile"]:
        beside = self._folder / "parquet" / folder
        return [
            self._stack.enter_context(_ParquetFile(beside / f"{split}.parquet", columns))
            for split in SPLITS
        ]

    def write(self, kind: str, split: int, records: Sequence[Record]) -> None:
        if kind not in self._files:
            # The folder exists only if there are Pallas kernels.
            self._files[kind] = self._open(kind, self._kernel_columns)
        file = self._files[kind][split]
        for record in records:
            file.write(_row(record), record.tokens)

    def files(self) -> list[dict[str, Any]]:
        return [file.as_json(self._folder) for files in self._files.values() for file in files]


def _row(record: Record) -> dict[str, Any]:
    metadata = json.loads(record.metadata)
    if record.kind == "kernel":
        return {"input": record.texts[0], "metadata": metadata}
    python, triton, test = record.texts
    return {
        "id": record.id,
        "python_code": python,
        "triton_code": triton,
        "test_code": test,
        "metadata": metadata,
    }


class _ParquetFile:
    def __init__(self, path: Path, columns: Columns) -> None:
        self._path = path
        self._columns = columns
        self._rows: list[dict[str, Any]] = []
        self._records = self._tokens = 0

    def __enter__(self) -> "_ParquetFile":
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
