"""`--reviews`: comments and decisions of the exported items, without names unless asked for."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User

from curation.errors import CurationError
from curation.export.release.storage import rebuild
from curation.models import LineComment, Pair, Release, Status
from tests.curation.export.writing import (
    a_seen_kernel,
    export,
    hashes,
    identities,
    manifest,
    records,
)
from tests.factories import a_decision, a_kernel, a_line_comment, a_reviewer

pytestmark = pytest.mark.django_db


def a_discussed_kernel() -> LineComment:
    """With two decisions, the second with a reason, and one comment."""
    ada, bob = a_reviewer(username="ada"), a_reviewer(username="bob")
    kernel = a_seen_kernel()
    a_decision(
        kernel=kernel, version=2, user=ada, content_hash=kernel.content_hash,
        reasons=["Clear"], comment="As @bob said.",
    )  # fmt: skip
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


def test_a_release_keeps_the_reviews_of_its_day(tmp_path: Path) -> None:
    a_discussed_kernel()
    out = export(tmp_path / "out", "--reviews", "--release", "2026-11")
    LineComment.objects.update(text="Another text.")

    rebuild(Release.objects.get(), tmp_path / "again")

    assert hashes(tmp_path / "again") == hashes(out)
