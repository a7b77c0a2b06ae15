"""`--reviews`: comments and decisions of the exported items, without names unless asked for."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from curation.errors import CurationError
from curation.models import LineComment, Pair, Status
from tests.curation.export.writing import a_seen_kernel, export, identities, manifest, records
from tests.factories import a_decision, a_kernel, a_line_comment, a_reviewer, an_approved_pair

pytestmark = pytest.mark.django_db


def a_discussed_kernel() -> LineComment:
    """With two decisions, the second with a reason, and one comment."""
    ada, bob = a_reviewer(username="ada"), a_reviewer(username="bob")
    kernel = a_seen_kernel()
    a_decision(kernel=kernel, version=2, user=ada, reasons=["Clear"], comment="As @bob said.")
    text = "@ada: ask ada@example.org, not @nemo."
    return a_line_comment(kernel=kernel, author=bob, file="standalone_source", line=2, text=text)


def test_an_export_without_the_option_has_no_reviews(tmp_path: Path) -> None:
    a_discussed_kernel()

    assert not (export(tmp_path / "out") / "reviews").exists()


def test_the_reviews_have_comments_and_decisions_under_pseudonyms(tmp_path: Path) -> None:
    comment = a_discussed_kernel()
    ada, bob = (f"reviewer-{pk}" for pk in (User.objects.get(username="ada").pk, comment.author_id))

    out = export(tmp_path / "out", "--reviews")

    _, decision, commented = records(out / "reviews" / "kernels.jsonl")
    for row in (decision, commented):
        assert {row["record"]: row["split"]} == identities(out)
    assert (decision["type"], decision["reasons"]) == ("decision", ["Clear"])
    assert (decision["reviewer"], decision["text"]) == (ada, f"As {bob} said.")
    assert (commented["type"], commented["line"]) == ("comment", 2)
    assert commented["file"] == "standalone_source.py"
    assert commented["reviewer"] == bob
    assert commented["text"] == f"{ada}: ask a reviewer, not @nemo."
    assert commented.keys() == decision.keys()
    everything = "".join(path.read_text() for path in (out / "reviews").iterdir())
    assert '"ada"' not in everything
    assert "reviews/kernels.jsonl" in {file["path"] for file in manifest(out)["files"]}


def test_the_card_explains_reviews_and_files_for_torchtune(tmp_path: Path) -> None:
    a_discussed_kernel()

    card = (export(tmp_path / "out", "--reviews", "--splits", "100/0/0") / "README.md").read_text()

    assert "- `reviews/`, 3 records. Decisions and line comments" in card
    assert "- `triton_functions.json`, 1 record. The kernels of train" in card
    assert "torchtune/instruct_" not in card.partition("## Files")[0]


def test_names_are_exported_only_if_asked_for(tmp_path: Path) -> None:
    a_discussed_kernel()

    out = export(tmp_path / "out", "--reviews", "--review-names")

    _, decision, commented = records(out / "reviews" / "kernels.jsonl")
    assert (decision["reviewer"], decision["text"]) == ("ada", "As @bob said.")
    assert commented["reviewer"] == "bob"
    with pytest.raises(CurationError, match="add --reviews"):
        export(tmp_path / "other", "--review-names")


def test_deleted_outdated_and_foreign_comments_are_not_exported(tmp_path: Path) -> None:
    comment = a_discussed_kernel()
    LineComment.objects.update(text="", deleted_at=comment.created_at)
    a_line_comment(kernel=comment.kernel, content_hash="0" * 64)
    a_line_comment(kernel=a_kernel(status=Status.REJECTED))

    out = export(tmp_path / "out", "--reviews")

    assert [row["type"] for row in records(out / "reviews" / "kernels.jsonl")] == ["decision"] * 2
    assert not Pair.objects.exists()
    assert records(out / "reviews" / "pairs.jsonl") == []


# --- `--with-reasons`: reasons in the records ------------------------------------------------
ONLY_TRAIN = ("--format", "jsonl", "--splits", "100/0/0")


def why(out: Path, *options: str, kind: str = "pairs") -> Any:
    (record,) = records(export(out, *ONLY_TRAIN, *options) / kind / "train.jsonl")
    return record["metadata"]["why"]


def resolved() -> dict[str, Any]:
    return {"resolved_at": timezone.now(), "resolved_by": a_reviewer()}


def test_reasons_are_exported_only_on_request(tmp_path: Path) -> None:
    pair = an_approved_pair()
    said = {"reasons": ["Clean code"], "comment": "A good example of masking."}
    a_decision(pair=pair, version=2, **said)

    assert why(tmp_path / "plain") == []
    assert why(tmp_path / "asked", "--with-reasons") == ["Clean code", "A good example of masking."]


def test_a_kernel_has_its_reasons_too(tmp_path: Path) -> None:
    kernel = a_seen_kernel()
    a_decision(kernel=kernel, version=2, comment="Readable.")

    assert why(tmp_path / "out", "--with-reasons", kind="kernels") == ["Readable."]


def test_reasons_for_other_content_and_of_undone_approvals_are_ignored(tmp_path: Path) -> None:
    pair = an_approved_pair()
    undone = a_decision(pair=pair, version=2, comment="Undone.")
    a_decision(pair=pair, version=3, undoes=undone)
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
    said = "As @ada.l and Ada Lovelace (ada@example.org) said: `a @ b`, `@triton.jit`."
    a_decision(pair=pair, version=2, user=user, comment=said)

    reasons = why(tmp_path / "out", "--with-reasons")

    assert reasons == ["As a reviewer and a reviewer (a reviewer) said: `a @ b`, `@triton.jit`."]
    assert "ada" not in json.dumps(reasons).lower()
