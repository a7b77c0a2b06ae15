"""Parser of a file with foreign records. Each line is a JSON object in one of the known formats.

A line becomes a draft or a refusal. A refusal does not stop the import.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from curation.pairs.draft import PairDraft
from curation.unstorable import unstorable
from validation.pairs.contract import violations
from validation.pairs.imports import kernelbook, own, tritonbench
from validation.pairs.imports.record import Record, RefusedRecord

Form = tuple[Callable[[Record], bool], Callable[[Record], PairDraft]]
"""Predicate that tells whether a record has a format, and conversion to a draft."""

FORMS: tuple[Form, ...] = (
    (own.fits, own.draft),
    (kernelbook.fits, kernelbook.draft),
    (tritonbench.fits, tritonbench.draft),
)
MOST_BYTES = 4_000_000


@dataclass(frozen=True, slots=True)
class Refusal:
    line: int
    reason: str


def read(lines: Iterable[bytes]) -> Iterator[PairDraft | Refusal]:
    """Yield a draft or a refusal for each non-empty line, in file order."""
    first_lines: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            draft = _draft(_record(line))
        except RefusedRecord as refused:
            yield Refusal(number, str(refused))
            continue
        except RecursionError:
            yield Refusal(number, "The code is nested too deeply.")
            continue
        first = first_lines.setdefault(draft.content_hash, number)
        yield draft if first == number else Refusal(number, f"The same pair as line {first}.")


def _record(line: bytes) -> Record:
    if len(line) > MOST_BYTES:
        raise RefusedRecord(f"The line has {len(line):,} bytes; {MOST_BYTES:,} are the most.")
    try:
        record = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise RefusedRecord(
            f"The line is not UTF-8: {error.reason} at byte {error.start}."
        ) from error
    except RecursionError as error:
        raise RefusedRecord("The line is JSON nested too deeply.") from error
    except ValueError as error:
        raise RefusedRecord(f"The line is not JSON: {error}.") from error
    if not isinstance(record, dict):
        raise RefusedRecord("The line is not a JSON object.")
    if place := unstorable(record, "The record"):
        raise RefusedRecord(f"{place} holds a null character or half a character.")
    return record


def _draft(record: Record) -> PairDraft:
    convert = next((draft for fits, draft in FORMS if fits(record)), None)
    if convert is None:
        raise RefusedRecord(
            "The record is of no known form: it has neither python_code, triton_code and test_code "
            "nor KernelBook's python_code, triton_code and entry_point with get_inputs, nor "
            "TritonBench's file with a reference."
        )
    draft = convert(record)
    found = violations(draft.as_record())
    if found:
        raise RefusedRecord(" ".join(found))
    return draft
