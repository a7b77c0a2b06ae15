"""The card's tables of tokens: by phase of training, and against estimates."""

from pathlib import Path

import pytest
from django.utils import timezone

from curation.export.card.phases import by_phase
from tests.curation.export.writing import a_seen_kernel, export, some_rows
from tests.factories import a_repository

TOKENS = {"kernel": 900_000_000, "pair": 100_000_000}


def test_each_training_phase_shows_token_share_and_repetitions() -> None:
    base, continued, instruction = by_phase(TOKENS)

    assert base.tokens == 1_000_000_000
    assert base.share == (0.0005, 0.001)
    assert base.repetitions == (50, 100)
    assert continued.share == (0.002, 0.005)
    assert continued.repetitions == (10, 20)
    assert instruction.tokens == 100_000_000
    assert instruction.share is None
    assert instruction.repetitions == (0.005, 0.02)


def test_a_given_token_total_replaces_the_recommended_total() -> None:
    base, *_ = by_phase(TOKENS, 100_000_000_000)

    assert base.share == (0.01, 0.01)
    assert base.repetitions == (2.5, 5)


def test_no_training_phase_shows_repetitions_without_tokens() -> None:
    assert [row.repetitions for row in by_phase({"kernel": 0, "pair": 0})] == [None] * 3


@pytest.mark.django_db
def test_the_card_has_a_row_for_each_phase(tmp_path: Path) -> None:
    some_rows(3, 3)

    card = (export(tmp_path / "out") / "README.md").read_text()

    assert "| base pretraining | 50 B to 100 B | 2.5% to 5% |" in card
    assert "| continued pretraining | 10 B to 20 B | 5% to 10% |" in card
    assert "| instruction tuning | 500 K to 2 M | n/a |" in card


@pytest.mark.django_db
def test_the_card_compares_the_estimate_of_a_source_with_exported_tokens(tmp_path: Path) -> None:
    ada = a_repository(
        name="ada/kernels", estimated_tokens_low=1000, estimated_tokens_high=2000,
        last_ingested_at=timezone.now(),
    )  # fmt: skip
    a_repository(name="ada/unread", estimated_tokens_low=1000, estimated_tokens_high=2000)
    kernel = a_seen_kernel(ada)

    card = (export(tmp_path / "out") / "README.md").read_text()

    assert f"| ada/kernels | 1,000 to 2,000 | {kernel.tokens} |" in card
    assert "ada/unread" not in card
