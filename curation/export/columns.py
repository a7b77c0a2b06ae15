"""Columns of the records: one description, used by the card and by Parquet.

Every record has every column, empty where there is no value, because readers infer a file's columns
from its first records.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

TEXT, WHOLE, REAL, YES_NO = "string", "int64", "float64", "bool"


@dataclass(frozen=True, slots=True)
class ListOf:
    of: str


Column: TypeAlias = "str | ListOf | Columns"
Columns: TypeAlias = "dict[str, Column]"

PROVENANCE: Columns = {
    "repository": TEXT,
    "commit": TEXT,
    "path": TEXT,
    "lines": ListOf(WHOLE),
    "cell": WHOLE,
    "url": TEXT,
    "license": TEXT,
    "copyright": TEXT,
}

# Used if no validation has named a check: a column can't hold records without keys.
NO_CHECKS = {"equivalence": None}

_SHARED: Columns = {
    "license": TEXT,
    "notice": TEXT,
    "reviewed": YES_NO,
    "tokens": WHOLE,
    "stars": WHOLE,
    "weight": REAL,
}

GRADES = ("accuracy", "sizes", "values", "special_values", "test_strength")
"""The grades of a validation: how well it showed that a pair is right."""

SCHEMA = 2
"""The version of the records and the manifest."""

_RUNS_ON: Columns = {"hardware": ListOf(TEXT), "min_triton": TEXT, "max_triton": TEXT}

KERNEL: Columns = {
    "input": TEXT,
    "metadata": {
        "id": TEXT,
        "name": TEXT,
        "operation_type": TEXT,
        "difficulty": TEXT,
        "tags": ListOf(TEXT),
        "kind": TEXT,
        "language": TEXT,
        "unit": TEXT,
        **_RUNS_ON,
        "origin": TEXT,
        "category": TEXT,
        "seen": WHOLE,
        "lines": WHOLE,
        "provenance": PROVENANCE,
        **_SHARED,
    },
}


def pair_columns(checks: Sequence[str]) -> Columns:
    """Return the columns of pairs. `checks`: the names of all checks of any record's validation."""
    return {
        "id": TEXT,
        "python_code": TEXT,
        "triton_code": TEXT,
        "test_code": TEXT,
        "metadata": {
            "description": TEXT,
            "operation_type": TEXT,
            "difficulty": TEXT,
            "tags": ListOf(TEXT),
            "entry_point": TEXT,
            "origin": TEXT,
            **_RUNS_ON,
            "differentiable": YES_NO,
            "computed_by": TEXT,
            "torch_operations": ListOf(TEXT),
            "mutates": ListOf(TEXT),
            "provenance": PROVENANCE,
            "verified": {
                "device": TEXT,
                "torch": TEXT,
                "triton": TEXT,
                "python": TEXT,
                "checks": dict.fromkeys(checks or NO_CHECKS, TEXT),
                "cases": WHOLE,
                "max_abs_error": REAL,
                "max_rel_error": REAL,
                **dict.fromkeys(GRADES, TEXT),
                "speedup": REAL,
                "at": TEXT,
            },
            "recipe": TEXT,
            "category": TEXT,
            **_SHARED,
        },
    }


# Columns of earlier releases.
_FORMER: Columns = {"details": TEXT}


def columns_as_in(columns: Columns, record: Mapping[str, Any]) -> Columns:
    """Return the columns of a release, by the names in one of its records.

    A release is rebuilt with the columns it had, in their order.
    """
    selected: Columns = {}
    for name, value in record.items():
        column = {**_FORMER, **columns}[name]
        nested = isinstance(column, dict) and isinstance(value, Mapping)
        selected[name] = columns_as_in(cast(Columns, column), value) if nested else column
    return selected


ALPACA: Columns = {"instruction": TEXT, "input": TEXT, "output": TEXT}

KERNELBOOK: Columns = {
    "entry_point": TEXT,
    "python_code": TEXT,
    "triton_code": TEXT,
    "original_triton_code": TEXT,
    "repo_name": TEXT,
    "module_name": TEXT,
    "synthetic": YES_NO,
    "uuid": WHOLE,
    "licenses": ListOf(TEXT),
    "stars": WHOLE,
    "sha": TEXT,
    "repo_link": TEXT,
}


def features(columns: Columns, indent: str) -> list[str]:
    """Format columns as YAML for the Hub's card header."""
    lines = []
    for name, column in columns.items():
        lines.append(f"{indent}- name: {name}")
        if isinstance(column, str):
            lines.append(f"{indent}  dtype: {column}")
        elif isinstance(column, ListOf):
            lines.append(f"{indent}  sequence: {column.of}")
        else:
            lines.append(f"{indent}  struct:")
            lines.extend(features(column, f"{indent}  "))
    return lines


def differing(columns: Columns, record: Mapping[str, object], at: str = "") -> list[str]:
    """Return the places at which a record's keys differ from the columns, for tests."""
    wrong = [] if list(columns) == list(record) else [at or "record"]
    for name, column in columns.items():
        inner = record.get(name)
        if isinstance(column, dict) and isinstance(inner, Mapping):
            wrong += differing(column, inner, f"{at}.{name}")
    return wrong
