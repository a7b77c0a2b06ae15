"""Drafts in the browser: what is missing, what is kept, and how one becomes a pair."""

from typing import Any

import pytest
import redis
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from curation.decisions.drafts import save
from curation.decisions.editing import PairTexts
from curation.models import Draft, DraftState, LicenseVerdict, Pair, ValidationRun
from curation.pairs.unfinished import move
from tests import factories as make

pytestmark = pytest.mark.django_db

PYTHON = "import torch\n\n\ndef run_add(x):\n    return x + 1\n"
TRITON = (
    "import torch\nimport triton\nimport triton.language as tl\n\n\n"
    + make.KERNEL_SOURCE.format(name="add_kernel")
    + """

def run_add(x):
    out = torch.empty_like(x)
    add_kernel[(triton.cdiv(x.numel(), 16),)](x, out, x.numel(), BLOCK=16)
    return out
"""
)
TEST = """\
import pytest
import torch
from python_code import run_add as reference
from triton_code import run_add as candidate

CASES = [{"n": 16}, {"n": 37}]
TOLERANCE = {torch.float32: (1e-5, 1e-6)}


def make_inputs(case, device):
    return (torch.randn(case["n"], device=device),)


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    inputs = make_inputs(case, "cpu")
    assert torch.allclose(candidate(*inputs), reference(*inputs))
"""


@pytest.fixture
def draft() -> Draft:
    make.a_license(expression="BSD-3-Clause")
    return make.a_draft(
        entry_point="run_add",
        slug="add",
        provenance={"repository": "a/b", "commit": "c" * 40, "license": "BSD-3-Clause"},
    )


def sent(draft: Draft, **over: Any) -> dict[str, Any]:
    whole = {"python_code": PYTHON, "triton_code": TRITON, "test_code": TEST}
    known = {
        "version": draft.version,
        "operation_type": draft.operation_type,
        "difficulty": draft.difficulty,
    }
    return {**whole, **known, **over}


def pair_of(draft: Draft) -> str:
    return reverse("finish-draft", args=[draft.pk])


# --- The list -------------------------------------------------------------------------------
def test_the_draft_list_shows_missing_and_present_parts(browser: Client) -> None:
    draft = make.a_draft(operation="Halving", python_code="x = 1\n")

    page = browser.get(reverse("drafts")).content.decode()

    assert draft.get_absolute_url() in page
    assert draft.missing[0] in page
    assert "python triton" in page
    assert str(draft.repository) in page
    assert draft.path in page


def test_the_draft_list_can_be_filtered_by_source_missing_part_and_state(browser: Client) -> None:
    wanted = make.a_draft(reason="inputs")
    others = (
        make.a_draft(repository=wanted.repository),
        make.a_draft(reason="inputs"),
        make.a_draft(reason="inputs", repository=wanted.repository, state=DraftState.SET_ASIDE),
    )
    asked: dict[str, Any] = {"repository": wanted.repository_id, "missing": "inputs"}

    page = browser.get(reverse("drafts"), asked).content.decode()

    assert wanted.get_absolute_url() in page
    assert not any(one.get_absolute_url() in page for one in others)


def test_every_open_draft_is_on_one_page_of_the_list(browser: Client) -> None:
    sources = [make.a_repository(), make.a_repository()]
    made = {make.a_draft(repository=sources[n % 2]).get_absolute_url() for n in range(53)}

    url, seen = reverse("drafts"), []
    while url:
        answer = browser.get(url)
        seen += [row.get_absolute_url() for row in answer.context["rows"]]
        following = answer.context["following"]
        url = f"{reverse('drafts')}?{following}" if following else ""

    assert (len(seen), set(seen)) == (53, made)


def test_an_empty_draft_list_names_the_command_that_creates_drafts(browser: Client) -> None:
    assert "manage.py draft_pairs" in browser.get(reverse("drafts")).content.decode()
    assert "All open drafts" in browser.get(reverse("drafts") + "?missing=inputs").content.decode()


@pytest.mark.parametrize("rubbish", ["page=x", "page=99", "repository=x", "state=x", "missing=x"])
def test_the_draft_list_ignores_invalid_parameters(browser: Client, rubbish: str) -> None:
    draft = make.a_draft()

    page = browser.get(f"{reverse('drafts')}?{rubbish}").content.decode()

    assert draft.get_absolute_url() in page


# --- The editor -----------------------------------------------------------------------------
def test_the_draft_editor_lists_missing_parts_above_three_text_fields(
    browser: Client, draft: Draft
) -> None:
    page = browser.get(draft.get_absolute_url()).content.decode()

    assert draft.missing[0] in page
    assert page.count("<textarea") == 3
    assert "empty" in page
    assert "BSD-3-Clause" in page


def test_an_incomplete_draft_can_be_saved(browser: Client, draft: Draft, curator: User) -> None:
    browser.post(draft.get_absolute_url(), sent(draft, test_code="", python_code="def ("))

    draft.refresh_from_db()
    assert (draft.python_code, draft.test_code) == ("def (\n", "")
    assert (draft.state, draft.edited_by, draft.version) == (DraftState.OPEN, curator, 2)
    assert not Pair.objects.exists()


def test_a_dismissed_draft_keeps_its_text_and_can_be_reopened(
    browser: Client, draft: Draft
) -> None:
    browser.post(draft.get_absolute_url(), sent(draft, do="set-aside"))
    draft.refresh_from_db()
    aside = (draft.state, draft.python_code)
    browser.post(draft.get_absolute_url(), sent(draft))
    draft.refresh_from_db()

    assert aside == (DraftState.SET_ASIDE, PYTHON)
    assert draft.state == DraftState.OPEN


@pytest.mark.parametrize("button", ["draft", "finish-draft"])
def test_saving_a_stale_draft_is_refused_and_shows_both_texts(
    browser: Client, draft: Draft, button: str
) -> None:
    stale = sent(draft, python_code="mine = 1")
    browser.post(draft.get_absolute_url(), sent(draft, python_code="theirs = 1"))

    answer = browser.post(reverse(button, args=[draft.pk]), stale)

    page = answer.content.decode()
    assert answer.status_code == 409
    assert "ada has changed this draft" in page.replace("\n", " ")
    assert "mine = 1" in page
    assert "theirs = 1" in page
    draft.refresh_from_db()
    assert draft.python_code == "theirs = 1\n"
    assert f'name="version" value="{draft.version}"' in page


@pytest.mark.parametrize(
    "wrong",
    [{"version": ""}, {"operation_type": "x"}, {"test_code": "x" * 200_001}],
)
def test_a_refused_draft_keeps_the_submitted_text_on_the_page(
    browser: Client, draft: Draft, wrong: dict[str, str]
) -> None:
    answer = browser.post(draft.get_absolute_url(), sent(draft, **wrong))

    assert answer.status_code == 400
    assert "return x + 1" in answer.content.decode()
    draft.refresh_from_db()
    assert (draft.version, draft.python_code) == (1, "")


def test_a_finished_draft_is_read_only(browser: Client) -> None:
    draft = make.a_draft(state=DraftState.FINISHED, pair=make.a_pair())

    page = browser.get(draft.get_absolute_url()).content.decode()
    answer = browser.post(draft.get_absolute_url(), sent(draft))

    assert page.count("readonly") == 3
    assert draft.pair is not None
    assert draft.pair.get_absolute_url() in page
    assert answer.status_code == 400
    draft.refresh_from_db()
    assert draft.python_code == ""


# --- Becoming a pair ------------------------------------------------------------------------
def test_a_finished_draft_becomes_a_pending_pair_that_is_validated(
    browser: Client, draft: Draft, curator: User, queue_redis: redis.Redis
) -> None:
    kernel = make.a_kernel()
    Draft.objects.update(kernel=kernel)

    answer = browser.post(pair_of(draft), sent(draft, differentiable="on"))

    pair = Pair.objects.get()
    assert answer.headers["Location"] == pair.get_absolute_url()
    assert (pair.origin, pair.status, pair.author) == ("real-world", "pending", curator)
    assert (pair.kernel, pair.differentiable) == (kernel, True)
    assert pair.metadata["provenance"] == draft.provenance
    assert str(pair.license) == "BSD-3-Clause"
    assert pair.license_verdict == LicenseVerdict.PERMISSIVE
    assert ValidationRun.objects.get().batch == [["pair", pair.pk, pair.content_hash]]
    draft.refresh_from_db()
    assert (draft.state, draft.pair) == (DraftState.FINISHED, pair)


def test_a_draft_that_breaks_the_contract_is_saved_with_sentences(
    browser: Client, draft: Draft
) -> None:
    answer = browser.post(pair_of(draft), sent(draft, test_code="import os\n"))

    page = answer.content.decode()
    assert answer.status_code == 400
    assert "test_code imports os" in page
    assert "test_code defines no constant CASES." in page
    assert not Pair.objects.exists()
    draft.refresh_from_db()
    assert (draft.state, draft.test_code) == (DraftState.OPEN, "import os\n")
    assert f'name="version" value="{draft.version}"' in page


def test_finishing_a_draft_twice_creates_one_pair(browser: Client, draft: Draft) -> None:
    first = browser.post(pair_of(draft), sent(draft))
    second = browser.post(pair_of(draft), sent(draft))

    assert first.headers["Location"] == second.headers["Location"]
    assert Pair.objects.count() == ValidationRun.objects.count() == 1


def test_an_older_pair_of_the_operation_becomes_the_previous_version(
    browser: Client, draft: Draft
) -> None:
    old = make.a_pair(split_group=draft.split_group)

    browser.post(pair_of(draft), sent(draft))

    new = Pair.objects.exclude(pk=old.pk).get()
    assert (new.previous, new.split_group) == (old, draft.split_group)


def test_a_draft_equal_to_an_existing_pair_is_refused(browser: Client, draft: Draft) -> None:
    browser.post(pair_of(draft), sent(draft))
    other = make.a_draft(entry_point="run_add")

    answer = browser.post(pair_of(other), sent(other))

    assert answer.status_code == 409
    assert "The same pair exists already" in answer.content.decode()
    other.refresh_from_db()
    assert (other.state, other.python_code) == (DraftState.OPEN, PYTHON)


def test_a_draft_of_an_opted_out_source_can_not_become_a_pair(
    browser: Client, draft: Draft
) -> None:
    draft.repository.opted_out_at = timezone.now()
    draft.repository.save()

    answer = browser.post(pair_of(draft), sent(draft))

    assert answer.status_code == 409
    assert "is opted out" in answer.content.decode()
    assert not Pair.objects.exists()


# --- Against machines -----------------------------------------------------------------------
def test_a_machine_write_does_not_overwrite_an_edit_of_a_draft(draft: Draft, curator: User) -> None:
    as_the_machine_saw_it = Draft.objects.get()
    texts = PairTexts("mine = 1", "", "")
    save(draft=draft, version=1, texts=texts, user=curator, state=DraftState.OPEN)

    assert not move(as_the_machine_saw_it, python_code="theirs = 1\n")
    assert Draft.objects.get().python_code == "mine = 1\n"
