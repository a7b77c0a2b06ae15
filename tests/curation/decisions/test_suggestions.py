"""Suggested verdicts follow the reviewers' decisions, say why, and decide nothing."""

from random import Random
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

import tests.factories as make
from curation.decisions import suggestions as room
from curation.decisions.logistic import LogisticModel, learn
from curation.decisions.suggestions import features_of, learned, refresh, suggestions
from curation.models import Decision, Figures, Kernel, Status

database = pytest.mark.django_db


def test_the_agreement_is_measured_on_items_that_were_not_learned_from() -> None:
    """Features that name each item would predict all that was seen, and nothing else."""
    random = Random(3)  # noqa: S311 - no secret
    rows = [
        {f"item {number // 6}": 1.0, "noise": random.random()} for number in range(300)
    ]  # fmt: skip
    model = learn(rows, [random.random() < 0.5 for _ in rows])

    assert model.agreement < 0.62


def test_a_rule_in_the_evidence_is_learned_with_its_sign() -> None:
    rows = [
        {"validated": float(n % 3 > 0), "a near-duplicate": float(n % 4 == 0)} for n in range(400)
    ]
    model = learn(rows, [bool(row["validated"]) for row in rows])

    assert model.agreement == 1.0
    assert abs(model.baseline - 2 / 3) < 0.01
    terms = model.terms({"validated": 1.0, "a near-duplicate": 0.0})
    assert terms["validated"] > 1.0 > abs(terms["a near-duplicate"])
    assert model.probability({"validated": 1.0}) > 0.9 > 0.1 > model.probability({})
    assert LogisticModel.from_json(model.as_json()) == model


@given(
    st.lists(
        st.tuples(st.dictionaries(st.sampled_from("abc"), st.floats(-1e6, 1e6)), st.booleans()),
        min_size=1, max_size=40,
    )
)  # fmt: skip
def test_any_evidence_gives_a_model_with_finite_answers(decided: Any) -> None:
    model = learn([dict(row) for row, _ in decided], [verdict for _, verdict in decided])

    assert 0.0 <= model.agreement <= 1.0
    assert 0.0 <= model.probability({"a": 1.0, "unknown": 2.0}) <= 1.0


@pytest.fixture
def decided(monkeypatch: pytest.MonkeyPatch) -> list[Kernel]:
    """People approve kernels without a warning, and reject the others."""
    monkeypatch.setattr(room, "LEAST", 30)
    reviewer, kernels = make.a_reviewer(), []
    for number in range(40):
        status = Status.REJECTED if number % 3 == 0 else Status.APPROVED
        kernel = make.a_kernel(status=status)
        if status == Status.REJECTED:
            make.a_finding(kernel=kernel, gate="dead_code", passed=False)
        make.a_decision(
            kernel=kernel, status=status, user=reviewer, content_hash=kernel.content_hash
        )
        kernels.append(kernel)
    return kernels


@database
def test_suggestions_are_off_until_there_is_enough_to_learn_from(
    decided: list[Kernel], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "LEAST", 41)
    refresh()
    assert learned(Kernel) is None and suggestions(Kernel, [decided[0].pk]) == {}

    Figures.objects.all().delete()
    monkeypatch.setattr(room, "LEAST", 40)
    refresh()
    assert learned(Kernel) is not None


@database
def test_a_pending_item_gets_the_verdict_of_its_like_with_reasons(
    decided: list[Kernel], client: Client
) -> None:
    refresh()
    warned, clean = make.a_kernel(), make.a_kernel()
    make.a_finding(kernel=warned, gate="dead_code", passed=False)

    made = suggestions(Kernel, [warned.pk, clean.pk])

    assert (made[warned.pk].status, made[clean.pk].status) == (Status.REJECTED, Status.APPROVED)
    assert "warned of by the gate dead_code" in made[warned.pk].reasons
    client.force_login(make.a_curator())
    cache.clear()
    page = client.get(f"/kernels/{warned.pk}/").content.decode()
    assert "Suggestion: reject" in page and "Learned from 40 decisions" in page
    listed = client.get("/suggestions?items=kernels").content.decode()
    assert f"/kernels/{warned.pk}/" in listed and f"/kernels/{clean.pk}/" in listed
    assert Kernel.objects.filter(pk__in=made, status=Status.PENDING).count() == 2


@database
def test_only_single_decisions_of_people_on_the_present_text_count(decided: list[Kernel]) -> None:
    Kernel.objects.filter(pk=decided[0].pk).update(content_hash="f" * 64)
    first = Decision.objects.get(kernel=decided[1])
    make.a_decision(
        kernel=decided[1], undoes=first, version=2, status=Status.PENDING,
        previous_status=first.status, content_hash=decided[1].content_hash,
    )  # fmt: skip

    assert set(room._decided(Kernel)) == {kernel.pk for kernel in decided[2:]}


@database
def test_evidence_of_a_pair_is_read_from_its_newest_result() -> None:
    pair = make.a_pair()
    for verdict, figures in (
        ("failed", {}),
        ("passed", {"grades": {"accuracy": "within", "sizes": "any"}, "speedup": 4.0}),
    ):
        make.a_validation_result(
            pair=pair, verdict=verdict, figures=figures, content_hash=pair.content_hash
        )

    features = features_of(type(pair), [pair.pk])[pair.pk]

    assert features["validated"] == 1.0 and features["speed"] == 2.0
    assert features["graded within in accuracy"] == 1.0
    assert not any("found to be" in name or "sizes" in name for name in features)
