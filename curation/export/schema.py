"""Records of the dataset, and their columns for the card and for Parquet.

Every record has every key, with null for a missing value, because dataset loaders infer a file's
columns from its first records. The order of the keys is the order in the files.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import NoneType
from typing import (
    Any,
    TypeAlias,
    TypedDict,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from curation.models import Language

PALLAS = Language.PALLAS.value
SCHEMA = 2
"""Version of the form of the records and the manifest."""


class Place(TypedDict):
    repository: str | None
    commit: str | None
    path: str | None
    lines: list[int] | None
    cell: int | None
    url: str | None


class ProvenanceColumn(Place):
    license: str | None
    copyright: str | None


class ClaimColumn(TypedDict):
    """A claim of an item's claim sheet. `state`: shown, not shown, or wrong."""

    topic: str
    state: str
    text: str


class KernelMetadata(TypedDict):
    id: str
    name: str
    operation_type: str
    difficulty: str | None
    tags: list[str]
    kind: str
    language: str
    unit: str
    hardware: list[str]
    min_triton: str
    max_triton: str | None
    origin: str
    category: str | None
    seen: int
    lines: int
    provenance: ProvenanceColumn
    license: str | None
    notice: str
    reviewed: bool
    claims: list[ClaimColumn]
    why: list[str]
    tokens: int
    stars: int | None
    weight: float


class KernelRecord(TypedDict):
    input: str
    metadata: KernelMetadata


class VerifiedColumn(TypedDict):
    """The validation that admitted a pair. Its grades say how strong the evidence is."""

    device: str
    torch: str | None
    triton: str | None
    python: str | None
    checks: Mapping[str, str | None]
    cases: int | None
    max_abs_error: float | None
    max_rel_error: float | None
    accuracy: str | None
    own_error: float | None
    sizes: str | None
    values: str | None
    special_values: str | None
    unvaried: list[str] | None
    launched: str | None
    test_strength: str | None
    speedup: float | None
    at: str


class PassAtK(TypedDict):
    """A model's attempts at the pair, the number that passed the test, and the estimated pass@k."""

    model: str
    k: int
    n: int
    passed: int
    rate: float


class PairMetadata(TypedDict):
    description: str
    operation_type: str
    difficulty: str
    tags: list[str]
    entry_point: str
    origin: str
    hardware: list[str]
    min_triton: str
    max_triton: str | None
    differentiable: bool
    computed_by: str | None
    torch_operations: list[str]
    mutates: list[str]
    provenance: ProvenanceColumn
    verified: VerifiedColumn | None
    pass_at_k: list[PassAtK]
    recipe: str | None
    ladder: str | None
    rung: str | None
    category: str | None
    license: str | None
    notice: str
    reviewed: bool
    claims: list[ClaimColumn]
    why: list[str]
    tokens: int
    stars: int | None
    weight: float


class PairRecord(TypedDict):
    id: str
    python_code: str
    triton_code: str
    test_code: str
    metadata: PairMetadata


class AlpacaRecord(TypedDict):
    instruction: str
    input: str
    output: str


class Message(TypedDict):
    role: str
    content: str


class TrlRecord(TypedDict):
    prompt: list[Message]
    completion: list[Message]
    pair_id: str


class KernelBookRecord(TypedDict):
    entry_point: str
    python_code: str
    triton_code: str
    original_triton_code: str
    repo_name: str | None
    module_name: str
    synthetic: bool
    uuid: int
    licenses: list[str | None]
    stars: int | None
    sha: str | None
    repo_link: str | None


NONE = "none"


# --- Columns ---------------------------------------------------------------------------------
TEXT = "string"
_TYPES = {str: TEXT, int: "int64", float: "float64", bool: "bool"}


@dataclass(frozen=True, slots=True)
class ListOf:
    of: "Column"


Column: TypeAlias = "str | ListOf | Columns"
Columns: TypeAlias = "dict[str, Column]"

# Column of checks if no validation has any, because a struct column needs at least one key.
NO_CHECKS = {"equivalence": None}


def columns_of(record: type) -> Columns:
    """Return the columns of a TypedDict, except those of `checks`, whose keys depend on data."""
    return {name: _column(hint) for name, hint in get_type_hints(record).items()}


def _column(hint: Any) -> Column:
    optional = NoneType in get_args(hint)
    kind = next(of for of in get_args(hint) if of is not NoneType) if optional else hint
    if kind in _TYPES:
        return _TYPES[kind]
    if get_origin(kind) is list:
        return ListOf(_column(get_args(kind)[0]))
    return columns_of(kind) if isinstance(kind, type) else {}


KERNEL = columns_of(KernelRecord)


def pair_columns(checks: Sequence[str]) -> Columns:
    """Return the columns of pairs. `checks`: names of the checks in any record."""
    columns = columns_of(PairRecord)
    verified = cast(Columns, cast(Columns, columns["metadata"])["verified"])
    verified["checks"] = dict.fromkeys(checks or NO_CHECKS, TEXT)
    return columns


def features(columns: Columns) -> list[dict[str, Any]]:
    """Return columns in the form of a dataset card's header on the Hugging Face Hub."""
    return [{"name": name, **_feature(column)} for name, column in columns.items()]


def _feature(column: Column) -> dict[str, Any]:
    if isinstance(column, str):
        return {"dtype": column}
    if isinstance(column, ListOf):
        of = column.of
        return {"sequence": of} if isinstance(of, str) else {"list": features(cast(Columns, of))}
    return {"struct": features(column)}
