"""What comes in from outside, and what is refused by its line and in words."""

from __future__ import annotations

import json
import random
from io import StringIO
from itertools import islice
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from hypothesis import given
from hypothesis import strategies as st

from curation.models import LicenseVerdict, Pair, Status
from curation.pairs.draft import PairDraft
from tests.validation.pairs.imports import records
from tests.validation.pairs.test_library import assert_passing_for_a_stranger
from validation.pairs.contract import violations
from validation.pairs.handwritten import handwritten
from validation.pairs.imports.foreign_records import Refusal, read


@pytest.mark.django_db
def test_an_import_stores_valid_records_and_names_invalid_lines(tmp_path: Path) -> None:
    broken = records.broken()
    lines: list[tuple[bytes, str]] = [*((line, "") for line in records.good()), *broken]
    random.Random(3).shuffle(lines)  # noqa: S311 - to be repeated, not to be secret
    file = tmp_path / "pairs.jsonl"
    file.write_bytes(b"".join(line + b"\n" for line, _ in lines))

    said = import_pairs(file)

    assert len(broken) == 40
    assert "100 pairs stored, 0 known before." in said
    assert "40 lines refused." in said
    for number, (_, reason) in enumerate(lines, start=1):
        named = [line for line in said.splitlines() if line.startswith(f"Line {number}: ")]
        assert len(named) == bool(reason), (number, reason, named)
        assert not reason or reason in named[0]
    assert Pair.objects.filter(status=Status.PENDING).count() == 100


@pytest.mark.django_db
def test_importing_the_same_file_twice_stores_each_pair_once(tmp_path: Path) -> None:
    file = tmp_path / "pairs.jsonl"
    file.write_text(json.dumps(records.tritonbench(1)) + "\n")

    import_pairs(file)
    again = import_pairs(file)

    assert "0 pairs stored, 1 known before." in again
    assert Pair.objects.count() == 1


@pytest.mark.django_db
def test_the_policy_judges_the_license_of_an_imported_pair(tmp_path: Path) -> None:
    file = tmp_path / "pairs.jsonl"
    file.write_text(json.dumps({**records.kernelbook(1), "licenses": ["GPL-3.0-only"]}) + "\n")

    import_pairs(file)

    (pair,) = Pair.objects.all()
    assert pair.license is not None
    assert pair.license.expression == "GPL-3.0-only"
    assert pair.license_verdict == LicenseVerdict.BLOCKED
    assert pair.metadata["provenance"]["repository"] == "somebody/models"


@pytest.mark.django_db
def test_an_imported_pair_keeps_its_description(tmp_path: Path) -> None:
    record = next(handwritten()).as_record()
    record["metadata"]["description"] = "Add\ntwo vectors."
    file = tmp_path / "pairs.jsonl"
    file.write_text(json.dumps(record) + "\n")

    import_pairs(file)

    assert Pair.objects.get().description == "Add two vectors."


def test_a_description_that_is_not_a_text_is_refused() -> None:
    record = next(handwritten()).as_record()
    record["metadata"]["description"] = ["Add two vectors."]

    (refusal,) = read([json.dumps(record).encode()])

    assert isinstance(refusal, Refusal)
    assert "metadata.description is not a text" in refusal.reason


DEEP = "torch" + ".a" * 700


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"tags": ["\ud800"]}, "metadata.tags holds"),
        ({"provenance": {"repository": "a\0b"}}, "metadata.provenance.repository holds"),
        ({"description": "Add\0 two vectors."}, "metadata.description holds"),
        ({"hardware": ["\udfff"]}, "metadata.hardware holds"),
        ({"\ud800": 1}, "metadata holds"),
    ],
)
def test_a_record_with_unstorable_text_is_refused_alone(
    change: dict[str, object], sentence: str
) -> None:
    record, other = (draft.as_record() for draft in islice(handwritten(), 2))
    record["metadata"] |= change

    refusal, draft = read([json.dumps(each).encode() for each in (record, other)])

    assert isinstance(refusal, Refusal)
    assert refusal.reason == f"{sentence} a null character or half a character."
    assert isinstance(draft, PairDraft)


def test_a_record_with_too_deeply_nested_code_is_refused_alone() -> None:
    record, other = (draft.as_record() for draft in islice(handwritten(), 2))
    record["triton_code"] += f"\n\n@{DEEP}\ndef deep(): ...\n"
    book = records.kernelbook(1)
    book["python_code"] += f"\n\nx = {DEEP}\n"

    *refused, draft = read([json.dumps(each).encode() for each in (record, book, other)])

    assert refused == [
        Refusal(1, "The code is nested too deeply to be checked."),
        Refusal(2, "The code is nested too deeply."),
    ]
    assert isinstance(draft, PairDraft)


@pytest.mark.parametrize("key", ["triton_code", "test_code"])
def test_too_deeply_nested_code_violates_the_contract(key: str) -> None:
    record = next(handwritten()).as_record()
    record[key] += f"\n\n@{DEEP}\ndef deep(): ...\n\n\n{DEEP}()\n"

    assert violations(record) == ["The code is nested too deeply to be checked."]


@pytest.mark.slow
def test_converted_pairs_pass_pytest_in_an_empty_folder(tmp_path: Path) -> None:
    lines = [
        json.dumps(record).encode() for record in (records.kernelbook(2), records.tritonbench(2))
    ]

    drafts = [draft for draft in read(lines) if not isinstance(draft, Refusal)]

    assert len(drafts) == 2
    assert_passing_for_a_stranger(drafts, tmp_path)


@given(st.binary())
def test_importing_random_bytes_gives_a_refusal(line: bytes) -> None:
    line = line.replace(b"\n", b"")

    assert all(isinstance(found, Refusal) for found in read([line]))


KEYS = ("python_code", "triton_code", "test_code", "metadata", "entry_point", "file", "reference")
VALUES = (
    st.none() | st.text(max_size=20) | st.integers() | st.lists(st.text(max_size=5), max_size=3)
)


@given(st.fixed_dictionaries({}, optional=dict.fromkeys(KEYS, VALUES)))
def test_importing_a_random_record_gives_a_refusal(record: dict[str, object]) -> None:
    line = json.dumps(record).encode()

    assert all(isinstance(found, Refusal) for found in read([line]))


def test_importing_a_missing_file_is_an_error() -> None:
    with pytest.raises(CommandError, match="can't be read"):
        import_pairs(Path("/nowhere/pairs.jsonl"))


def import_pairs(file: Path) -> str:
    out = StringIO()
    call_command("import_pairs", str(file), stdout=out)
    return out.getvalue()
