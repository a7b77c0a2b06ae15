"""Import of pass rates: what is stored, and what a bad row costs."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management.base import CommandError

from curation.errors import CurationError
from curation.models import Pair, PassRate
from curation.models.pass_rates import pass_at_k
from tests.factories import a_pair, a_pass_rate
from tests.probes import output_of

pytestmark = pytest.mark.django_db


def run(path: Path) -> str:
    return output_of("import_pass_at_k", str(path))


def json_lines(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def row(pair: Any, **over: Any) -> dict[str, Any]:
    return {"pair": str(pair), "model": "some-7b", "k": 1, "n": 8, "passed": 2} | over


def stored() -> list[tuple[Any, ...]]:
    return list(PassRate.objects.values_list("pair", "model", "k", "n", "passed"))


def test_a_file_of_csv_is_stored_by_record_id_number_and_hash(tmp_path: Path) -> None:
    first, second, third = a_pair(), a_pair(), a_pair()
    path = tmp_path / "rates.csv"
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        writer = csv.writer(file)
        writer.writerow(["Pair", "model", "k", "n", "passed"])
        for name in (first, f"pair:{second.pk}", third.content_hash):
            writer.writerow([name, "some-7b", 1, 8, 2])

    assert run(path).startswith("3 pass rates added, 0 changed, 0 known before, 0 lines refused.")
    assert stored() == [(pair.pk, "some-7b", 1, 8, 2) for pair in (first, second, third)]


def test_a_second_import_of_a_file_adds_nothing(tmp_path: Path) -> None:
    pair = a_pair()
    path = json_lines(tmp_path / "rates.jsonl", row(pair), row(pair, k=4), row(pair, model="b"))
    run(path)
    before = list(PassRate.objects.values())

    assert run(path).startswith("0 pass rates added, 0 changed, 3 known before")
    assert list(PassRate.objects.values()) == before


def test_other_numbers_replace_a_stored_row(tmp_path: Path) -> None:
    pair = a_pair()
    run(json_lines(tmp_path / "a.jsonl", row(pair)))

    assert "0 pass rates added, 1 changed" in run(
        json_lines(tmp_path / "b.jsonl", row(pair, passed=6))
    )
    assert stored() == [(pair.pk, "some-7b", 1, 8, 6)]
    assert Pair.objects.get(pk=pair.pk).pass_rate == 0.75


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("{", "It is not JSON."),
        ("[1]", "It is not a JSON object."),
        (row("no-such-pair-00000000"), "There is no pair 'no-such-pair-00000000'."),
        (row("pair:99999999999999999999"), "There is no pair 'pair:99999999999999999999'."),
        (row(""), "pair: This field is required."),
        (row("PAIR", model=" "), "model: This field is required."),
        (
            row("PAIR", model="x" * 101),
            "model: Ensure this value has at most 100 characters (it has 101).",
        ),
        (row("PAIR", model="a\u202eb"), "model: It has characters that are no text."),
        (row("PAIR", n="many"), "n: Enter a whole number."),
        (row("PAIR", n=2.5), "n: Enter a whole number."),
        (row("PAIR", passed=True), "passed: Enter a whole number."),
        (row("PAIR", passed=-1), "passed: Ensure this value is greater than or equal to 0."),
        (row("PAIR", k=None), "k: This field is required."),
        (row("PAIR", k=0), "k: Ensure this value is greater than or equal to 1."),
        (row("PAIR", k=9), "n: pass@9 needs at least 9 attempts."),
        (row("PAIR", passed=9), "passed: There were only 8 attempts."),
        (row("PAIR", n=10_001), "n: Ensure this value is less than or equal to 10000."),
        (row("PAIR", passed=3), "It contradicts line 1, which is about the same pass@1."),
    ],
    ids=str,
)
def test_a_bad_row_costs_one_row_and_is_named_by_its_line(
    bad: Any, reason: str, tmp_path: Path
) -> None:
    pair, other = a_pair(), a_pair()
    if isinstance(bad, dict) and bad["pair"] == "PAIR":
        bad = bad | {"pair": str(pair)}
    text = bad if isinstance(bad, str) else json.dumps(bad)
    path = tmp_path / "rates.jsonl"
    path.write_text(f"{json.dumps(row(pair))}\n\n{text}\n{json.dumps(row(other))}\n")

    said = run(path)

    assert f"Line 3: {reason}\n" in said
    assert "2 pass rates added, 0 changed, 0 known before, 1 line refused." in said
    assert [pair for pair, *_ in stored()] == [pair.pk, other.pk]


def test_a_row_of_csv_with_other_bytes_or_another_width_costs_one_row(tmp_path: Path) -> None:
    pair = a_pair()
    good = f"{pair},{{}},1,8,2\n"
    path = tmp_path / "rates.csv"
    path.write_bytes(
        b"pair,model,k,n,passed\n"
        + good.format("a").encode()
        + f"{pair},".encode() + b"\xff\xfe,1,8,2\n"
        + f"{pair},b,1\n".encode()
        + good.format("c").encode()
        + f'{pair},"d"x,1,8,2\n'.encode()
        + good.format("e").encode()
    )  # fmt: skip

    said = run(path)

    assert "Line 3: model: It has characters that are no text." in said
    assert "Line 4: It has 3 values, but the header has 5." in said
    assert "Line 6: It is not CSV: " in said
    assert [model for _, model, *_ in stored()] == ["a", "c", "e"]


def test_a_file_without_a_needed_column_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rates.csv"
    path.write_text("pair,model,k,n\n")

    with pytest.raises(CurationError, match="names no column 'passed'"):
        run(path)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="can't be read: No such file"):
        run(tmp_path / "none.csv")


def test_more_rows_than_a_batch_are_stored(tmp_path: Path) -> None:
    pairs = [a_pair() for _ in range(12)]
    rows = [row(pair, model=f"m{n}") for n in range(60) for pair in pairs]

    assert "720 pass rates added" in run(json_lines(tmp_path / "rates.jsonl", *rows))
    assert PassRate.objects.count() == 720


def test_the_rate_of_a_pair_is_the_mean_over_models(tmp_path: Path) -> None:
    pair = a_pair()
    run(json_lines(
        tmp_path / "rates.jsonl",
        row(pair, model="a", k=1, n=8, passed=8),
        row(pair, model="a", k=8, n=100, passed=50),
        row(pair, model="b", n=10, passed=0),
    ))  # fmt: skip

    assert Pair.objects.get(pk=pair.pk).pass_rate == 0.25


@pytest.mark.parametrize(
    ("k", "n", "passed", "rate"),
    [(1, 8, 2, 0.25), (8, 8, 1, 1.0), (2, 4, 2, 1 - 1 / 6), (5, 10, 0, 0.0)],
)
def test_pass_at_k_is_the_unbiased_estimate(k: int, n: int, passed: int, rate: float) -> None:
    assert pass_at_k(k, n, passed) == pytest.approx(rate)
    assert a_pass_rate(k=k, n=n, passed=passed).rate == pytest.approx(rate)
