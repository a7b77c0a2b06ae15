"""Values come back from JSON as they were, and nothing else comes back."""

import json
from contextlib import nullcontext
from typing import Any

import pytest

from ingest.candidate import Candidate, Dropped
from ingest.confined.values import UnreadableAnswer, from_json, read_json, to_json
from ingest.evidence import Evidence, evidence
from ingest.extract import MemoryTree
from ingest.licenses import LicenseReader
from ingest.stages import FileLicenses, kernels
from tests.conftest import KERNEL
from tests.ingest.licenses.cases import MIT_OF_ADA
from tests.ingest.licenses.small_repository import detector

DROPPED = {"stage": "read", "path": "a", "reason": "x", "message": "y", "qualname": "", "line": 1}


@pytest.fixture(scope="module")
def candidate() -> Candidate:
    tree = MemoryTree({"add.py": KERNEL.encode(), "LICENSE": MIT_OF_ADA.encode()})
    licenses = FileLicenses(tree, LicenseReader(detector()))
    [found] = kernels(tree, ["add.py"], licenses, lambda *_: None, nullcontext)
    assert isinstance(found, Candidate)
    return found


def test_a_kernel_and_its_evidence_round_trip_through_json(candidate: Candidate) -> None:
    said = evidence(candidate)

    assert candidate.licenses
    assert from_json(Candidate, read_json(to_json(candidate))) == candidate
    assert from_json(Evidence, read_json(to_json(said))) == said


@pytest.mark.parametrize(
    "change",
    [
        {"line": "1"},
        {"line": True},
        {"line": 2**31},
        {"path": None},
        {"path": ["a"]},
        {"more": 1},
    ],
)
def test_a_field_of_another_type_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(UnreadableAnswer):
        from_json(Dropped, {**DROPPED, **change})


@pytest.mark.slow
def test_a_missing_field_and_an_unknown_choice_are_refused(candidate: Candidate) -> None:
    data = json.loads(to_json(candidate))
    del data["tokens"]
    with pytest.raises(UnreadableAnswer, match="fields of a Candidate"):
        from_json(Candidate, data)
    data = json.loads(to_json(candidate))
    data["licenses"][0]["verdict"] = "granted"
    with pytest.raises(UnreadableAnswer, match="Verdict"):
        from_json(Candidate, data)


def test_strings_are_made_storable_in_a_database() -> None:
    found = from_json(
        Dropped,
        {**DROPPED, "stage": "a\0b", "path": "\ud800", "message": "\U0001f600", "line": None},
    )

    assert (found.stage, found.path, found.message) == ("ab", "?", "\U0001f600")


@pytest.mark.parametrize("text", [b"", b"{", b"\xff", b"[" * 1_000_000])
def test_invalid_json_is_refused(text: bytes) -> None:
    with pytest.raises(UnreadableAnswer):
        read_json(text)
