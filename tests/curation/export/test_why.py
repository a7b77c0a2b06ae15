"""Reviewers' reasons in the records: only on request, and without names."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from curation.models import Status
from tests.curation.export.writing import export, records
from tests.factories import (
    a_decision,
    a_line_comment,
    a_reviewer,
    an_approved_pair,
)

pytestmark = pytest.mark.django_db
ONLY_TRAIN = ("--format", "jsonl", "--splits", "100/0/0")


def why(out: Path, *options: str, kind: str = "pairs") -> Any:
    (record,) = records(export(out, *ONLY_TRAIN, *options) / kind / "train.jsonl")
    return record["metadata"]["why"]


def resolved() -> dict[str, Any]:
    return {"resolved_at": timezone.now(), "resolved_by": a_reviewer()}


def test_reasons_are_exported_only_on_request(tmp_path: Path) -> None:
    pair = an_approved_pair()
    a_decision(
        pair=pair, content_hash=pair.content_hash, version=2, reasons=["Clean code"],
        comment="A good example of masking.",
    )  # fmt: skip

    assert why(tmp_path / "plain") == []
    assert why(tmp_path / "asked", "--with-reasons") == ["Clean code", "A good example of masking."]


def test_a_kernel_has_its_reasons_too(tmp_path: Path) -> None:
    from tests.curation.export.writing import a_seen_kernel

    kernel = a_seen_kernel()
    a_decision(kernel=kernel, content_hash=kernel.content_hash, version=2, comment="Readable.")

    assert why(tmp_path / "out", "--with-reasons", kind="kernels") == ["Readable."]


def test_reasons_for_other_content_and_of_undone_approvals_are_ignored(tmp_path: Path) -> None:
    pair = an_approved_pair()
    undone = a_decision(pair=pair, content_hash=pair.content_hash, version=2, comment="Undone.")
    a_decision(pair=pair, content_hash=pair.content_hash, version=3, undoes=undone)
    a_decision(pair=pair, content_hash="f" * 64, version=4, comment="Of another text.")
    a_decision(pair=pair, content_hash="f" * 64, version=5, status=Status.REJECTED, comment="Bad.")

    assert why(tmp_path / "out", "--with-reasons") == []


def test_resolved_threads_are_reasons_with_their_line(tmp_path: Path) -> None:
    pair = an_approved_pair()
    about = {"pair": pair, "content_hash": pair.content_hash, "file": "triton_code", "line": 3}
    thread = a_line_comment(**about, text="Why a mask?", **resolved())
    a_line_comment(**about, text="The last block is partial.", parent=thread)
    a_line_comment(**about, text="An open question.")
    a_line_comment(**about, text="", deleted_at=timezone.now(), **resolved())

    assert why(tmp_path / "out", "--with-reasons") == [
        "Triton side, line 3: Why a mask?",
        "Triton side, line 3: The last block is partial.",
    ]


def test_names_of_people_are_not_exported(tmp_path: Path) -> None:
    pair = an_approved_pair()
    user = a_reviewer(username="ada.l", first_name="Ada", last_name="Lovelace")
    a_decision(
        pair=pair, content_hash=pair.content_hash, version=2, user=user,
        comment="As @ada.l and Ada Lovelace (ada@example.org) said: `a @ b`, `@triton.jit`.",
    )  # fmt: skip

    reasons = why(tmp_path / "out", "--with-reasons")

    assert reasons == ["As a reviewer and a reviewer (a reviewer) said: `a @ b`, `@triton.jit`."]
    assert "ada" not in json.dumps(reasons).lower()


def test_a_release_with_reasons_is_rebuilt_from_its_members(tmp_path: Path) -> None:
    pair = an_approved_pair()
    decision = a_decision(pair=pair, content_hash=pair.content_hash, version=2, comment="Good.")
    options = ("--with-reasons", "--release", "one")
    first = why(tmp_path / "first", *options)

    a_decision(pair=pair, content_hash=pair.content_hash, version=3, undoes=decision)

    assert why(tmp_path / "second", *options) == first == ["Good."]
