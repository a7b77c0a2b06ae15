"""Records in the format of this project's dataset."""

from __future__ import annotations

from dataclasses import fields

from curation.kinds.difficulty import pair_difficulty
from curation.models import PairOrigin
from curation.models.vocabulary import Hardware
from curation.pairs.draft import PairDraft, Source
from validation.pairs.contract import TEXTS, violations
from validation.pairs.imports.record import Record, RefusedRecord, text


def fits(record: Record) -> bool:
    return "test_code" in record and "python_code" in record and "metadata" in record


def draft(record: Record) -> PairDraft:
    python, triton, test = (text(record, key) for key in TEXTS)
    # The id is a placeholder, because the import assigns the pair's id.
    metadata = _metadata(record)
    if broken := violations({"id": "imported", **record, "metadata": metadata}):
        raise RefusedRecord(" ".join(broken))
    return PairDraft(
        entry_point=metadata["entry_point"],
        python_code=python,
        triton_code=triton,
        test_code=test,
        origin=metadata["origin"],
        operation_type=metadata["operation_type"],
        difficulty=metadata["difficulty"],
        source=_source(metadata),
        description=" ".join(metadata.get("description", "").split()),
        tags=tuple(metadata.get("tags", ())),
        differentiable=bool(metadata.get("differentiable", False)),
        hardware=_hardware(metadata),
    )


def _metadata(record: Record) -> Record:
    given = record.get("metadata")
    if not isinstance(given, dict):
        raise RefusedRecord("metadata is no object.")
    metadata = {"origin": PairOrigin.REAL_WORLD.value, **given}
    if "difficulty" not in metadata:
        metadata["difficulty"] = pair_difficulty(
            text(record, "triton_code"),
            str(metadata.get("operation_type")),
            metadata.get("differentiable") is True,
        )
    return metadata


def _hardware(metadata: Record) -> str:
    """Return the first entry of a record's hardware list."""
    given = metadata.get("hardware") or ["cuda"]
    if not isinstance(given, list) or given[0] not in Hardware.values:
        raise RefusedRecord(
            f"metadata.hardware is {given!r}: it must list names such as cuda or hip."
        )
    return str(given[0])


def _source(metadata: Record) -> Source:
    record = metadata.get("provenance", {})
    names = {field.name for field in fields(Source)}
    for key, value in record.items():
        if key in names and not isinstance(value, str):
            raise RefusedRecord(f"metadata.provenance.{key} is no text.")
    return Source(**{key: value for key, value in record.items() if key in names})
