"""A reviewer tries a case of a pair: from the form to both answers on the page."""

from typing import Any

import pytest
from django.test import Client

from curation.models import Device, Pair, RunState, TriedCase, ValidationResult
from curation.web.cases import changed_values, fields_of, read_cases
from tests.factories import a_kernel, a_pair, a_reviewer, a_tried_case
from tests.hostile.zoo.load import zoo
from validation.jobs import try_case, validate
from validation.run_requests import request_case, request_validation, retry_case

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]

SOFTMAX = next(entry for entry in zoo() if entry.name == "last-block-unwritten.shown")


@pytest.fixture
def pair() -> Pair:
    code = SOFTMAX.code
    return a_pair(
        entry_point=SOFTMAX.entry_point, python_code=code.python_code,
        triton_code=code.triton_code, test_code=code.test_code,
    )  # fmt: skip


@pytest.fixture
def reviewer(client: Client) -> Client:
    client.force_login(a_reviewer())
    return client


def test_a_reviewer_sees_both_answers_and_no_verdict_changes(pair: Pair, reviewer: Client) -> None:
    answer = reviewer.post(f"/pairs/{pair.pk}/try", {"place": "1", "change": "large"})
    run = TriedCase.objects.get()
    waiting = reviewer.get(answer["Location"]).content.decode()
    try_case(run.pk)

    run.refresh_from_db()
    page = reviewer.get(f"/pairs/{pair.pk}/?tab=try").content.decode()
    assert run.state == RunState.SUCCEEDED, run.message
    assert run.report["inputs"] and run.report["outputs"] and run.report["seconds"]["total"] > 0
    assert "Waiting for a worker" in waiting and "data-live" in waiting
    assert '<svg class="errors"' in page and "data-live" not in page
    assert not ValidationResult.objects.exists()


NOT_TRIED: dict[str, tuple[dict[str, Any], str]] = {
    "a case that the test has not": ({"place": 99}, "The test has 6 cases, from 0 on"),
    "a case that the test refuses": ({"instead": {"n": -5}}, "Make_inputs: RuntimeError"),
    "a case that is too large": (
        {"instead": {"n": 99_999_999}}, "Too large: 762 MiB, the limit is 16 MiB"
    ),
    "a case without values to change": (
        {"place": 0, "change": "nan"}, "Nothing was changed: this case has no values for it"
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", NOT_TRIED)
def test_a_case_that_was_not_run_is_no_fault_of_the_kernel(
    name: str, pair: Pair, reviewer: Client
) -> None:
    chosen, words = NOT_TRIED[name]
    usual: dict[str, Any] = {"place": 1, "instead": {}, "change": "", "requested_by": None}
    run = request_case(pair, **{**usual, **chosen})

    try_case(run.pk)
    later = request_case(pair, **usual)

    page = reviewer.get(f"/pairs/{pair.pk}/?tab=try&run={run.pk}").content.decode()
    listed = reviewer.get(f"/pairs/{pair.pk}/?tab=try&run={later.pk}").content.decode()
    assert "Could not be tried" in page and words in page and "Not right" not in page
    assert "could not be tried, by" in listed


@pytest.mark.slow
def test_a_case_is_tried_in_the_middle_of_a_bulk_validation(pair: Pair) -> None:
    items = [pair, a_pair(test_code="CASES = []\n")]
    [bulk] = request_validation(items, device=Device.INTERPRETER, hand_over=False)
    case = request_case(pair, place=1, instead={}, change="", requested_by=None)

    validate(bulk.pk)

    case.refresh_from_db()
    bulk.refresh_from_db()
    assert (case.state, bulk.state) == (RunState.SUCCEEDED, RunState.SUCCEEDED), case.message
    assert case.finished_at and bulk.finished_at and case.finished_at < bulk.finished_at
    assert case.report["outputs"]


@pytest.mark.slow
def test_a_case_is_tried_in_the_middle_of_a_compile_batch(pair: Pair) -> None:
    kernels = [a_kernel(standalone_source=f"import triton\nN = {n}\n") for n in range(2)]
    [bulk] = request_validation(kernels, device=Device.COMPILER, hand_over=False)
    case = request_case(pair, place=1, instead={}, change="", requested_by=None)

    validate(bulk.pk)

    case.refresh_from_db()
    bulk.refresh_from_db()
    assert (case.state, bulk.state) == (RunState.SUCCEEDED, RunState.SUCCEEDED), case.message
    assert case.finished_at and bulk.finished_at and case.finished_at < bulk.finished_at


def test_a_reviewer_cancels_the_own_case_and_no_other(pair: Pair, reviewer: Client) -> None:
    reviewer.post(f"/pairs/{pair.pk}/try", {"place": "0", "change": ""})
    own, other = TriedCase.objects.get(), a_tried_case(pair=pair)

    page = reviewer.get(f"/pairs/{pair.pk}/?tab=try&run={own.pk}").content.decode()
    reviewer.post(f"/pairs/{pair.pk}/try", {"cancel": own.pk})
    refused = reviewer.post(f"/pairs/{pair.pk}/try", {"cancel": other.pk})

    own.refresh_from_db()
    other.refresh_from_db()
    assert "with 1 other; before all other checks" in page and f'value="{own.pk}">Cancel' in page
    assert "/runs/try/" not in page
    assert (own.state, other.state) == (RunState.CANCELLED, RunState.QUEUED)
    assert refused.status_code == 404


def test_a_changed_pair_is_not_tried(pair: Pair, reviewer: Client) -> None:
    reviewer.post(f"/pairs/{pair.pk}/try", {"place": "0", "change": ""})
    run = TriedCase.objects.get()
    TriedCase.objects.update(content_hash="f" * 64)

    try_case(run.pk)

    run.refresh_from_db()
    assert (run.state, run.message) == (RunState.FAILED, "The pair has changed since.")
    assert retry_case(run, requested_by=None, failed=False).content_hash == pair.content_hash


@pytest.mark.parametrize("form", [{}, {"place": "x"}, {"place": "0", "change": "tripled"}])
def test_a_foreign_form_queues_nothing(form: dict[str, str], pair: Pair, reviewer: Client) -> None:
    answer = reviewer.post(f"/pairs/{pair.pk}/try", form)

    assert answer.status_code == 302
    assert not TriedCase.objects.exists()


@pytest.mark.parametrize(
    "text",
    ["CASES = [{'n': n} for n in range(3)]", "CASES = make()", "CASES = 3", "x = 1", "def f(:", "",
     "CASES = [1, 2]", "CASES = [" * 5000],
)  # fmt: skip
def test_cases_that_are_computed_are_not_offered(text: str) -> None:
    assert read_cases(text) == []


def test_values_are_read_as_the_type_of_the_case() -> None:
    case = {"rows": 4, "scale": 0.5, "causal": True, "dtype": "float16", "shape": (2, 3)}

    given = {"rows": "8", "scale": "1e-3", "causal": "False", "dtype": "float16", "shape": "4"}

    assert changed_values(case, given) == {"rows": 8, "scale": 0.001, "causal": False}
    assert [field.key for field in fields_of([case], 0, {})] == ["rows", "scale", "causal", "dtype"]
    with pytest.raises(ValueError, match="rows: 'many' is not a whole number"):
        changed_values(case, {"rows": "many"})
