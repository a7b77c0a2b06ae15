"""The reviewers' pages: what they show, what they accept, and what they cost."""

import re
import uuid
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from curation.evidence.claim_sheet.claim_facts import sheets
from curation.models import Correction, Decision, DuplicateLink, Kernel, Pair, Skip, Status
from curation.web.access import kind_of
from curation.web.lists import facets
from tests import factories as make
from tests.probes import queries_of
from tests.showcase import furnish

pytestmark = pytest.mark.django_db

# PostgreSQL reads the matches of a search in steps, for the list and for its counts.
MOST_QUERIES, MOST_OF_A_SEARCH = 15, 21


@pytest.fixture
def reviewer() -> User:
    return make.a_reviewer(username="ada")


@pytest.fixture
def browser(client: Client, reviewer: User) -> Client:
    client.force_login(reviewer)
    return client


def act(item: Any, name: str = "decide") -> str:
    return reverse(name, args=[kind_of(item), item.pk])


def decision(item: Any, **over: Any) -> dict[str, Any]:
    return {"status": "approved", "version": item.version, "request": uuid.uuid4(), **over}


def text(browser: Client, url: str, **extra: Any) -> str:
    return browser.get(url, follow=True, **extra).content.decode()


def waiting_in_the_bar(browser: Client) -> str:
    [count] = re.findall(r'<span class="count">(.+?)</span>', text(browser, reverse("keys")))
    return str(count)


# --- The queue ------------------------------------------------------------------------------
def test_the_navigation_bar_shows_the_queue_length_after_each_decision(browser: Client) -> None:
    kernels = [make.a_kernel() for _ in range(3)]
    make.a_pair()
    assert waiting_in_the_bar(browser) == "4"

    browser.post(act(kernels[0]), decision(kernels[0]))
    assert waiting_in_the_bar(browser) == "3"

    browser.post(reverse("undo"))
    assert waiting_in_the_bar(browser) == "4"


def test_the_length_of_a_long_queue_is_not_counted_for_each_page(
    browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("curation.web.views.item.MANY", 3)
    for _ in range(4):
        make.a_kernel()

    first, second = (queries_of(lambda: waiting_in_the_bar(browser)) for _ in range(2))

    assert len(second) == len(first) - 1
    assert waiting_in_the_bar(browser) == "2+"


def test_the_page_shows_the_place_in_the_list_that_is_reviewed(browser: Client) -> None:
    kernels = [make.a_kernel(operation_type="matmul", priority=9 - n) for n in range(3)]
    make.a_kernel()
    first, second, third = kernels

    assert "1 of 3 · " in text(browser, f"{reverse('queue')}?operation=matmul")
    queue = "operation=matmul"
    page = browser.post(act(first), decision(first, queue=queue), follow=True).content.decode()
    assert "2 of 3 · " in page
    page = browser.post(act(second, "skip"), {"queue": queue}, follow=True).content.decode()
    assert "3 of 3 · " in page
    page = browser.post(act(third), decision(third, queue=queue), follow=True).content.decode()
    assert "3 of 3 · " in page and f">{second}</h1>" in page
    assert " of 3 · " not in text(browser, second.get_absolute_url())


def test_an_unknown_filter_of_the_queue_gives_a_sentence(browser: Client) -> None:
    page = text(browser, reverse("queue") + "?colour=red")

    assert "There is no filter" in page


# --- Deciding -------------------------------------------------------------------------------
@pytest.mark.parametrize("a", [make.a_kernel, make.a_pair])
def test_approving_sets_the_status_and_redirects_to_the_next_item(
    browser: Client, a: Callable[..., Any]
) -> None:
    item, following = a(priority=2), a(priority=1)

    answer = browser.post(act(item), decision(item))

    assert answer.status_code == 302
    assert answer.headers["Location"] == following.get_absolute_url()
    item.refresh_from_db()
    assert item.status == Status.APPROVED


def test_reasons_and_comment_are_kept_with_the_decision(browser: Client) -> None:
    kernel = make.a_kernel()

    said = {"status": "rejected", "reason": ["wrong", "noise"], "comment": "see 3"}
    browser.post(act(kernel), decision(kernel, **said))

    made = Decision.objects.get()
    assert (made.status, made.reasons, made.comment) == ("rejected", ["wrong", "noise"], "see 3")


def test_a_correction_by_a_reviewer_replaces_the_classification_and_is_logged(
    browser: Client,
) -> None:
    kernel = make.a_kernel(operation_type="other", difficulty="easy", tags=["a"])

    said = {"operation_type": "scan", "difficulty": "hard", "tags": "a, prefix-sum, a"}
    browser.post(act(kernel), decision(kernel, **said))

    kernel.refresh_from_db()
    assert (kernel.operation_type, kernel.difficulty) == ("scan", "hard")
    assert kernel.tags == ["a", "prefix-sum"]
    assert kernel.kind_corrected
    assert Correction.objects.get().before["operation_type"] == "other"


def test_an_unchanged_classification_is_not_a_correction(browser: Client) -> None:
    kernel = make.a_kernel(operation_type="scan", difficulty="hard", tags=["a"])

    browser.post(act(kernel), decision(kernel, operation_type="scan", difficulty="hard", tags="a"))

    kernel.refresh_from_db()
    assert not kernel.kind_corrected
    assert not Correction.objects.exists()


def test_a_decision_on_a_stale_page_gives_409_and_keeps_the_form(browser: Client) -> None:
    kernel = make.a_kernel()
    browser.post(act(kernel), decision(kernel))

    said = {"comment": "three long thoughts", "reason": "Incorrect result", "queue": "tag=x"}
    answer = browser.post(act(kernel), decision(kernel, status="rejected", **said))

    page = answer.content.decode()
    assert answer.status_code == 409
    assert f"You have decided on {kernel} in another tab: it is approved now." in page
    assert "three long thoughts</textarea>" in page
    assert 'value="Incorrect result" checked' in page
    assert '<input type="hidden" name="queue" value="tag=x">' in page
    assert Decision.objects.count() == 1


@pytest.mark.parametrize(
    "broken",
    [
        {"status": "retired"}, {"status": ""}, {"version": "x"}, {"request": "no-uuid"},
        {"operation_type": "magic", "tags": ""},
    ],
)  # fmt: skip
def test_an_invalid_decision_form_is_refused_and_keeps_its_comment(
    browser: Client, broken: dict[str, str]
) -> None:
    kernel = make.a_kernel()

    answer = browser.post(act(kernel), decision(kernel, comment="kept", **broken))

    assert answer.status_code == 400
    assert "kept</textarea>" in answer.content.decode()
    assert not Decision.objects.exists()


@pytest.mark.parametrize("status", ["approved", "rejected"])
def test_a_reason_for_the_other_verdict_is_refused(browser: Client, status: str) -> None:
    make.a_reason(text="Well commented", status="approved")
    make.a_reason(text="The mask is off by one", status="rejected")
    kernel = make.a_kernel()
    reasons = ["Well commented", "The mask is off by one"]

    answer = browser.post(act(kernel), decision(kernel, status=status, reason=reasons))

    verb = "reject" if status == "approved" else "approve"
    assert f"is a reason to {verb}. Untick it, or {verb}." in answer.content.decode()
    assert not Decision.objects.exists()


def test_a_rejection_without_a_reason_unfolds_the_reasons(browser: Client) -> None:
    kernel = make.a_kernel()

    answer = browser.post(act(kernel), decision(kernel, status="rejected", comment=" "))

    page = answer.content.decode()
    assert "Give a reason: tick one, or write a comment." in page
    assert '<details class="reasons" open>' in page
    assert not Decision.objects.exists()


def test_a_decided_item_says_so_beside_its_buttons_and_is_left_without_a_skip(
    browser: Client,
) -> None:
    kernel = make.a_kernel()
    browser.post(act(kernel), decision(kernel))

    page = text(browser, kernel.get_absolute_url())
    left = browser.post(act(kernel, "skip"), follow=True).content.decode()

    assert "Approved</span> by you, " in page
    assert "</kbd> Approve again" in page and "</kbd> Reject instead" in page
    assert "is skipped" not in left and not Skip.objects.exists()


def test_the_menu_marks_the_queue_after_a_decision(browser: Client) -> None:
    first, _ = make.a_kernel(priority=2), make.a_kernel()

    page = browser.post(act(first), decision(first), headers={"X-Swap": "1"}).content.decode()

    assert re.search(r'data-key="g q" aria-current="page"', page)


def test_the_author_of_an_edit_can_not_decide_on_it(browser: Client, reviewer: User) -> None:
    pair = make.a_pair(author=reviewer)

    answer = browser.post(act(pair), decision(pair))

    assert answer.status_code == 409
    assert "You edited" in answer.content.decode()
    assert "The queue is empty" in text(browser, reverse("queue"))


# --- Skip, undo, ask, pin -------------------------------------------------------------------
def test_a_skipped_item_returns_when_the_queue_is_otherwise_empty(browser: Client) -> None:
    first, second = make.a_kernel(priority=2), make.a_kernel(priority=1)

    on = browser.post(act(first, "skip")).headers["Location"]
    browser.post(act(second), decision(second))
    back = browser.get(reverse("queue")).headers["Location"]

    assert (on, back) == (second.get_absolute_url(), first.get_absolute_url())
    assert Skip.objects.count() == 1


def test_an_item_skipped_by_one_reviewer_goes_to_another(browser: Client, reviewer: User) -> None:
    kernel = make.a_kernel()
    for _ in range(2):
        browser.post(act(kernel, "skip"))
    other = make.a_browser(make.a_reviewer())

    assert other.get(reverse("queue")).headers["Location"] == kernel.get_absolute_url()


def test_undo_reverts_the_last_decision_and_its_correction(browser: Client) -> None:
    kernel = make.a_kernel(operation_type="other", difficulty="easy")
    browser.post(act(kernel), decision(kernel, operation_type="scan", difficulty="easy", tags=""))

    answer = browser.post(reverse("undo"))

    kernel.refresh_from_db()
    assert answer.headers["Location"] == kernel.get_absolute_url()
    assert (kernel.status, kernel.operation_type) == (Status.PENDING, "other")
    assert not kernel.kind_corrected
    assert Decision.objects.count() == 2


REFILLED = {
    "comment": "three long thoughts</textarea>",
    "reason": 'value="The mask is off by one" checked',
    "operation_type": '<option value="scan" selected>',
    "difficulty": '<option value="hard" selected>',
    "tags": 'value="a, prefix-sum"',
}


def decided_and_undone(browser: Client) -> tuple[Kernel, str]:
    kernel = make.a_kernel(operation_type="other", difficulty="easy", tags=["b"])
    make.a_reason(text="The mask is off by one", status="rejected")
    said = {"operation_type": "scan", "difficulty": "hard", "tags": "a, prefix-sum"}
    said |= {"comment": "three long thoughts", "reason": "The mask is off by one"}
    browser.post(act(kernel), decision(kernel, status="rejected", **said))
    return kernel, browser.post(reverse("undo"), follow=True).content.decode()


def test_undo_refills_the_form_with_the_values_of_the_decision(browser: Client) -> None:
    _, page = decided_and_undone(browser)

    assert [field for field, filled in REFILLED.items() if filled not in page] == []


def test_the_form_is_not_filled_for_another_person_or_after_another_decision(
    browser: Client,
) -> None:
    kernel, _ = decided_and_undone(browser)
    kernel.claims.all().delete()
    pages = [text(make.a_browser(make.a_reviewer()), kernel.get_absolute_url())]
    kernel.claims.all().delete()
    kernel.refresh_from_db()
    browser.post(act(kernel), decision(kernel, comment="", tags="b"))
    pages.append(text(browser, kernel.get_absolute_url()))

    assert not [field for field, filled in REFILLED.items() if any(filled in p for p in pages)]


def test_undo_reverts_one_decision_at_a_time_until_none_is_left(browser: Client) -> None:
    for kernel in [make.a_kernel() for _ in range(2)]:
        browser.post(act(kernel), decision(kernel))

    *_, last = (browser.post(reverse("undo"), follow=True) for _ in range(3))

    assert Kernel.objects.pending().count() == 2
    assert "You have no decision to undo" in last.content.decode()


def test_a_swap_request_gets_the_next_page_with_the_response(browser: Client) -> None:
    wanted = [make.a_kernel(operation_type="matmul") for _ in range(2)]
    swaps = {"X-Swap": "1"}
    first, second = sorted(wanted, key=lambda kernel: kernel.pk)
    form = decision(first, queue="operation=matmul")

    answer = browser.post(act(first), form, headers=swaps)

    assert answer.status_code == 200
    assert answer.headers["X-Address"] == f"{second.get_absolute_url()}?queue=operation%3Dmatmul"
    page = answer.content.decode()
    assert f"{first} is approved." in page
    assert f'action="{act(second)}"' in page
    assert '<input type="hidden" name="queue" value="operation=matmul">' in page
    # Sent again, it changes nothing and goes on.
    assert browser.post(act(first), form, headers=swaps).headers["X-Address"]
    assert Decision.objects.count() == 1
    last = browser.post(act(second), decision(second, queue="operation=matmul"), headers=swaps)
    assert last.headers["Location"] == f"{reverse('queue')}?operation=matmul"


def test_undo_keeps_a_later_decision_of_another_reviewer(browser: Client) -> None:
    kernel = make.a_kernel()
    browser.post(act(kernel), decision(kernel))
    make.decided(kernel, make.a_reviewer(username="grace"), "rejected")

    answer = browser.post(reverse("undo"), follow=True)

    kernel.refresh_from_db()
    assert kernel.status == Status.REJECTED
    assert "rejected now by grace" in answer.content.decode()


def test_a_reviewer_can_not_undo_the_decision_of_another(browser: Client) -> None:
    made = make.a_decision()

    browser.post(reverse("undo"), {"decision": made.pk})

    assert Decision.objects.count() == 1


def test_a_question_assigns_the_item_to_another_reviewer(browser: Client, reviewer: User) -> None:
    kernel, colleague = make.a_kernel(), make.a_reviewer(username="grace")
    make.a_kernel(priority=100)

    browser.post(act(kernel, "ask"), {"asked": "grace", "text": "Is the mask right?"})

    other, stranger = (make.a_browser(user) for user in (colleague, make.a_reviewer()))
    for person in (browser, stranger):
        assert "Is the mask right?" not in text(person, reverse("queue"))
    assert "Is the mask right?" in text(other, reverse("queue"))
    other.post(act(kernel), decision(kernel, comment="yes"))
    question = kernel.questions.get()
    assert (question.answered_by, question.answer) == (colleague, "yes")


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"text": " ", "asked": ""}, "Write what the reviewer should check"),
        ({"text": "so?", "asked": "nobody"}, "nobody is not a reviewer"),
    ],
)
def test_a_question_without_a_valid_recipient_keeps_its_text(
    browser: Client, said: dict[str, str], sentence: str
) -> None:
    answer = browser.post(act(make.a_kernel(), "ask"), said)

    assert answer.status_code == 400
    assert sentence in answer.content.decode()
    assert f"{said['text']}</textarea>" in answer.content.decode()


def test_a_curator_can_pin_an_item_to_the_front_of_the_queue() -> None:
    curator = make.a_browser(make.a_curator())
    pinned = make.a_kernel()
    make.a_kernel(priority=1 << 26)

    curator.post(act(pinned, "pin"), {"pinned": "1"})
    assert curator.get(reverse("queue")).headers["Location"] == pinned.get_absolute_url()
    curator.post(act(pinned, "pin"), {"pinned": "0"})

    pinned.refresh_from_db()
    assert (pinned.pinned, pinned.priority) == (False, 0)
    assert "No longer pinned" in text(curator, reverse("history"))


# --- What is shown --------------------------------------------------------------------------
def test_a_page_links_each_line_to_its_origin_at_its_commit(browser: Client) -> None:
    place = make.a_provenance(start_line=12, end_line=15)
    file = place.source_file

    page = text(browser, f"{place.kernel.get_absolute_url()}?tab=file")

    origin = f"{file.repository.url}/blob/{file.commit}/{file.path}"
    assert f'<a href="{origin}#L12-L15"' in page
    assert f'id="L12"><th scope="row"><a href="{origin}#L12-L12"' in page


def test_a_kernel_of_a_notebook_shows_its_cell_and_links_to_the_notebook(browser: Client) -> None:
    place = make.a_provenance(cell=3, container="notebook", start_line=2, end_line=5)
    file = place.source_file

    page = text(browser, place.kernel.get_absolute_url())

    assert "cell 3, 2\N{EN DASH}5" in page
    assert f'<a href="{file.repository.url}/blob/{file.commit}/{file.path}"' in page
    assert f"{file.path}#L" not in page


def test_an_item_page_shows_the_matched_license_text(browser: Client) -> None:
    place = make.a_provenance(license_reason="The header says so.")
    file, words = place.source_file, "Permission is hereby granted"
    make.some_license_evidence(source_file=file, repository=file.repository, matched_text=words)

    page = text(browser, place.kernel.get_absolute_url())

    assert "The header says so." in page
    assert "Permission is hereby granted" in page


def sheet(browser: Client, item: Any) -> dict[str, str]:
    """Return the claims on the page of an item by topic. Lists count the same claims."""
    shown = [row.claim for row in browser.get(item.get_absolute_url()).context["claims"]]
    assert shown == sheets([item])[item.pk]
    return {claim.topic: f"{claim.state}: {claim.text}" for claim in shown}


@pytest.mark.parametrize("make_item", [make.a_kernel, make.a_pair])
def test_an_item_page_names_the_hardware_and_triton_release(
    browser: Client, make_item: Callable[..., Kernel | Pair]
) -> None:
    item = make_item(hardware="ascend", min_triton="3.4")

    assert "Huawei Ascend, Triton 3.4 or newer" in text(browser, item.get_absolute_url())


def test_an_unchecked_kernel_is_shown_as_unknown(browser: Client) -> None:
    shown = sheet(browser, make.a_kernel())

    assert shown == {
        "license": "not shown: May be distributed: not known, no license was found",
        "compiles": "not shown: Compiles: not tried",
        "answers": "not shown: Answers: never compared, there is no pair of it",
        "near-duplicates": "not shown: New: not compared with other items yet",
        "benchmarks": "not shown: Overlap with benchmarks: not compared yet",
        "quality": "not shown: Quality gates: not checked yet",
        "complete": "shown: Complete: every name is defined",
        "memory": "shown: Each store of a block has a mask or a bounds check",
    }


def test_the_results_of_all_checks_are_summarized_on_the_item_page(browser: Client) -> None:
    license = make.a_license(expression="MIT")
    kernel = make.a_kernel(license=license, license_verdict="permissive")
    make.a_fingerprint(kernel=kernel, placed=True, compared_with=make.sha("benchmarks"))
    make.a_finding(kernel=kernel)
    environment = {"triton": "3.9.0", "target": "cuda:90"}
    run = make.a_validation_run(device="compiler", environment=environment)
    make.a_validation_result(kernel=kernel, run=run)

    assert sheet(browser, kernel) == {
        "answers": "not shown: Answers: never compared, there is no pair of it",
        "license": "shown: May be distributed: MIT",
        "complete": "shown: Complete: every name is defined",
        "compiles": "shown: Compiles for sm_90 with Triton 3.9.0",
        "memory": "shown: Each store of a block has a mask or a bounds check",
        "near-duplicates": "shown: New: no near-duplicate",
        "benchmarks": "shown: Overlaps no registered benchmark",
        "quality": "shown: Passes all quality gates",
    }


def test_the_item_page_shows_import_and_launch_results(browser: Client) -> None:
    kernel = make.a_kernel()
    run = make.a_validation_run(device="compiler", environment={"triton": "3.9.0"})
    figures = {"imports": True, "launches": "unknown: it was too small"}
    make.a_validation_result(kernel=kernel, figures=figures, run=run)

    page = text(browser, kernel.get_absolute_url())

    assert "imports by itself" in page
    assert "launch: unknown: it was too small" in page


def test_the_page_of_a_pair_shows_its_timing_and_marks_impossible_speed(browser: Client) -> None:
    def times(median: float) -> dict[str, float]:
        return {"median_us": median, "low_us": median - 1, "high_us": median + 1, "runs": 20}

    pair = make.a_pair()
    timing = {
        "candidate": times(12.34), "eager": times(40), "compiled": None, "speedup": 3.24,
        "speedup_compiled": None, "floor_us": 5.0, "impossible": "",
    }  # fmt: skip
    figures = {"timing": timing, "speedup": 3.24}
    result = make.a_validation_result(pair=pair, figures=figures)

    page = text(browser, f"{pair.get_absolute_url()}?tab=results")
    shown = page.replace("&nbsp;", " ")

    assert "<td>12.3 µs</td><td>11.3 to 13.3 µs</td><td>20</td><td></td>" in shown
    assert "<td>40.0 µs</td><td>39.0 to 41.0 µs</td><td>20</td><td>3.24 times</td>" in shown
    assert "The lower bound on this GPU is 5.0 µs" in shown
    assert "torch.compile" not in page
    result.figures = {"timing": {**timing, "impossible": "too good", "speedup": None}}
    result.save()
    assert "Impossible: too good." in text(browser, f"{pair.get_absolute_url()}?tab=results")


def test_a_near_duplicate_of_a_blocked_kernel_shows_a_license_doubt(browser: Client) -> None:
    blocked = make.a_kernel(license=make.a_license(expression="GPL-3.0-only", verdict="blocked"))
    kernel = make.a_kernel(license=make.a_license(expression="MIT"), license_verdict="permissive")
    make.a_copy_flag(kernel=kernel, blocked=blocked, similarity=0.93)

    page = text(browser, kernel.get_absolute_url())

    said = f"May be distributed: MIT, but {blocked}, 93% alike, is under GPL-3.0-only"
    assert sheet(browser, kernel)["license"] == f"not shown: {said}"
    assert f"{blocked}, 93% alike, is under GPL-3.0-only" in page
    assert f'<a href="{blocked.get_absolute_url()}">' in page


@pytest.mark.parametrize("of", ["place", "repository"])
def test_an_opt_out_is_the_first_line_on_an_item_page(browser: Client, of: str) -> None:
    repository = make.a_repository(opted_out_at=timezone.now() if of == "repository" else None)
    file = make.a_source_file(repository=repository)
    kernel = make.a_provenance(source_file=file, opted_out=of == "place").kernel
    pair = make.a_pair(kernel=kernel)

    for item in (kernel, pair):
        first = next(iter(sheet(browser, item).items()))
        assert first == ("opt-out", "wrong: May not be distributed: an opt-out excludes it")
    assert f"{repository}: {file.path}" in text(browser, kernel.get_absolute_url())


def test_a_pair_with_the_operation_of_a_benchmark_shows_a_note(browser: Client) -> None:
    benchmark = make.a_benchmark(name="ScalingIntelligence/KernelBench")
    pair = make.a_pair()
    make.a_fingerprint(pair=pair, placed=True, compared_with=make.sha("benchmarks"))
    make.an_operation_overlap(
        pair=pair, benchmark=benchmark, problem="KernelBench/level1/23_Softmax"
    )

    page = browser.get(f"/pairs/{pair.pk}/").content.decode()

    assert "The same operation as KernelBench level1/23_Softmax" in page
    assert "Overlaps no registered benchmark" in page


def test_the_page_of_a_decided_item_has_no_claim_to_renew(browser: Client) -> None:
    kernel = make.an_approved_kernel()

    assert "data-claim" not in text(browser, kernel.get_absolute_url())


# --- What it costs --------------------------------------------------------------------------
def every_page() -> Iterator[str]:
    kernel = furnish()
    twin = DuplicateLink.objects.get(of_kernel=kernel).kernel
    assert twin is not None
    make.a_contamination_match(kernel=kernel)
    make.a_copy_flag(kernel=kernel)
    make.a_question(kernel=kernel)
    for tab in ("standalone", "file", "launcher", "diff", "alike", "history"):
        yield f"{kernel.get_absolute_url()}?tab={tab}"
    yield twin.get_absolute_url()
    for tab in ("code", "results", "history"):
        yield f"{Pair.objects.get().get_absolute_url()}?tab={tab}"
    for name in ("find", "history", "dashboard", "account", "keys", "queue", "guidelines"):
        yield reverse(name)
    for name in ("guideline", "edit-guideline"):
        yield reverse(name, args=["reduction"])
    yield f"{reverse('find')}?status=pending&category=utils&duplicates=unique&finding=none&q=tl."
    yield f"{reverse('find')}?items=pairs&order=priority"
    yield f"{reverse('bulk')}?status=pending"


def test_no_page_costs_more_than_fifteen_queries(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(facets, "QUICK", 60.0)
    client.force_login(make.a_curator())

    def visit(url: str) -> None:
        assert client.get(url).status_code in (200, 302), url

    # The first pages fill the caches.
    for url in (make.a_kernel().get_absolute_url(), "/find", "/find?items=pairs"):
        client.get(url)

    for url in every_page():
        asked = queries_of(partial(visit, url))
        most = MOST_OF_A_SEARCH if "q=" in url else MOST_QUERIES
        assert len(asked) <= most, (url, [query[:60] for query in asked])


def more_rows(curator: User) -> None:
    """A row of each kind that a list shows."""
    kernel, pair = make.a_provenance().kernel, make.a_pair()
    for about in ({"kernel": kernel}, {"pair": pair}):
        make.a_decision(**about, user=curator)
    make.a_draft()
    make.runs_of_all_kinds()
    make.an_invitation(invited_by=make.a_curator())
    for user in (curator, make.a_reviewer()):
        make.an_api_token(user=user, name=f"token {pair.pk}")


@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("find", 15), ("history", 15), ("drafts", 15), ("runs", 14), ("bulk", 15), ("people", 10),
        ("account", 9), ("password", 5),
    ],
)  # fmt: skip
def test_the_query_count_of_a_list_does_not_depend_on_its_length(name: str, most: int) -> None:
    curator = make.a_curator()
    browser = make.a_browser(curator)
    asked = []
    # The first page fills the caches.
    for count in (0, 1, 9):
        for _ in range(count):
            more_rows(curator)
        queries = queries_of(partial(browser.get, reverse(name), {"status": "pending"}))
        asked.append(len(queries))

    assert asked[1] == asked[2] <= most
    assert not any('SELECT "curation_draft"."triton_code"' in query for query in queries)
