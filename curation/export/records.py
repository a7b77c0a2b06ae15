"""Records in the dataset's format.

A record's metadata is serialized once. A release stores that text, and is rebuilt from it and from
the sources, which never change.
"""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from curation.export.lines import encode
from curation.export.options import ExportOptions
from curation.models import Kernel, Language, Pair

PALLAS = Language.PALLAS.value


@dataclass(slots=True)
class Record:
    """A record of a dataset. `metadata` is JSON."""

    kind: str
    id: str
    pk: int
    content_hash: str
    split: int
    weight: float
    tokens: int
    metadata: str
    # The kernel's text, or the pair's three, each as JSON, which most formats need.
    spelled: tuple[str, ...]
    language: str

    @property
    def folder_kind(self) -> str:
        """Return the kind of its files.

        Pallas kernels have their own, because they are not Triton.
        """
        return PALLAS if self.language == PALLAS else self.kind

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(map(json.loads, self.spelled))


PAIR_TEXTS = ("python_code", "triton_code", "test_code")


def completed(metadata: str, own: tuple[str, ...], checks: tuple[str, ...]) -> str:
    """Add a null for each check that only other records' validations made."""
    if own == checks:
        return metadata
    document = json.loads(metadata)
    if verified := document["verified"]:
        verified["checks"] = {name: verified["checks"].get(name) for name in checks}
    return encode(document)


def kernel_texts(pks: Collection[int], options: ExportOptions) -> dict[int, str]:
    """Return kernels' texts by primary key, for units other than files."""
    rows = _rows(Kernel, pks, text_columns(options))
    return {pk: joined(parts) for pk, *parts in rows.values()}


def pair_texts(pks: Collection[int]) -> dict[int, tuple[str, ...]]:
    return {pk: tuple(texts) for pk, *texts in _rows(Pair, pks, PAIR_TEXTS).values()}


def _rows(model: Any, pks: Collection[int], columns: Sequence[Any]) -> dict[int, tuple[Any, ...]]:
    rows = model.objects.filter(pk__among=frozenset(pks)).order_by()
    return {row[0]: row for row in rows.values_list("pk", *columns)}


def text_columns(options: ExportOptions) -> tuple[str, ...]:
    """Return the columns that make up a kernel's text; empty for whole files."""
    if options.unit == "file":
        return ()
    unit = "function_source" if options.unit == "function" else "standalone_source"
    return (unit, "launcher_source") if options.with_launcher else (unit,)


def joined(parts: Sequence[str]) -> str:
    """Join a unit and its launcher, if any."""
    return "\n\n".join([part if part.endswith("\n") else f"{part}\n" for part in parts if part])
