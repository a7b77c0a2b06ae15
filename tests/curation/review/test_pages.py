"""The reviewers' pages: what they show, what they accept, and what they cost."""

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from curation.models import Decision, Kernel, Status
from tests.factories import a_kernel, a_person, a_provenance, a_reviewer, a_source_file

pytestmark = pytest.mark.django_db


@pytest.fixture
def reviewer() -> User:
    return a_reviewer(username="ada")


@pytest.fixture
def browser(client: Client, reviewer: User) -> Client:
    client.force_login(reviewer)
    return client


def decision(kernel: Kernel, **over: Any) -> dict[str, Any]:
    return {"status": "approved", "version": kernel.version, "request": uuid.uuid4(), **over}


def test_the_queue_shows_the_oldest_pending_kernel(browser: Client) -> None:
    a_kernel(name="decided", status=Status.APPROVED)
    a_kernel(name="first_kernel")
    a_kernel(name="second_kernel")

    page = browser.get(reverse("queue")).content.decode()

    assert "<h1>first_kernel</h1>" in page
    assert 'class="code"' in page


def test_an_empty_queue_says_what_it_means(browser: Client) -> None:
    assert "Nothing is waiting" in browser.get(reverse("queue")).content.decode()


def test_approving_sets_the_status_and_goes_on_to_the_next(browser: Client) -> None:
    kernel = a_kernel()

    answer = browser.post(reverse("decide-kernel", args=[kernel.pk]), decision(kernel))

    assert answer.status_code == 302
    assert answer.headers["Location"] == reverse("queue")
    kernel.refresh_from_db()
    assert kernel.status == Status.APPROVED


def test_a_stale_page_gets_a_sentence_and_keeps_what_was_typed(browser: Client) -> None:
    kernel = a_kernel()
    url = reverse("decide-kernel", args=[kernel.pk])
    browser.post(url, decision(kernel))

    answer = browser.post(url, decision(kernel, status="rejected", comment="three long thoughts"))

    assert answer.status_code == 409
    assert "has changed meanwhile" in answer.content.decode()
    assert "three long thoughts</textarea>" in answer.content.decode()
    assert Decision.objects.count() == 1


@pytest.mark.parametrize(
    "broken",
    [{"status": "retired"}, {"status": ""}, {"version": "x"}, {"request": "no-uuid"}],
)
def test_a_broken_form_changes_nothing_and_keeps_what_was_typed(
    browser: Client, broken: dict[str, str]
) -> None:
    kernel = a_kernel()

    answer = browser.post(
        reverse("decide-kernel", args=[kernel.pk]), decision(kernel, comment="kept", **broken)
    )

    assert answer.status_code == 400
    assert "kept</textarea>" in answer.content.decode()
    assert not Decision.objects.exists()


def test_markup_in_a_kernel_is_shown_as_text(browser: Client) -> None:
    bad = "<script>alert(1)</script>"
    kernel = a_kernel(name=bad, standalone_source=f"# {bad}\nx = '{bad}'\n")
    a_provenance(kernel=kernel, source_file=a_source_file(path=f"{bad}.py"))

    page = browser.get(kernel.get_absolute_url()).content.decode()

    assert bad not in page
    assert "&lt;script&gt;" in page


def test_a_page_links_each_place_to_its_lines_at_its_commit(browser: Client) -> None:
    place = a_provenance(start_line=12, end_line=40)
    file = place.source_file

    page = browser.get(place.kernel.get_absolute_url()).content.decode()

    assert f"{file.repository.url}/blob/{file.commit}/{file.path}#L12-L40" in page


def test_a_page_costs_the_same_queries_however_much_it_shows(
    browser: Client, django_assert_num_queries: Callable[..., Any]
) -> None:
    kernel = a_kernel()
    for count in (1, 30):
        for _ in range(count):
            a_provenance(kernel=kernel)
        with django_assert_num_queries(8):
            browser.get(kernel.get_absolute_url())


def test_the_queue_costs_the_same_queries_however_long_it_is(
    browser: Client, django_assert_num_queries: Callable[..., Any]
) -> None:
    for count in (1, 30):
        for _ in range(count):
            a_kernel()
        with django_assert_num_queries(8):
            browser.get(reverse("queue"))


@pytest.mark.parametrize("name", ["queue", "kernel", "decide-kernel"])
def test_a_stranger_is_sent_to_the_login_page(client: Client, name: str) -> None:
    url = reverse(name, args=[] if name == "queue" else [a_kernel().pk])

    for answer in (client.get(url), client.post(url)):
        assert answer.status_code == 302
        assert answer.headers["Location"].startswith(reverse("login"))


def test_somebody_without_a_role_is_refused_with_a_sentence(client: Client) -> None:
    client.force_login(a_person())

    answer = client.get(reverse("queue"))

    assert answer.status_code == 403
    assert "A curator can add you to the reviewers" in answer.content.decode()


def test_a_decision_without_the_csrf_token_is_refused(reviewer: User) -> None:
    careful = Client(enforce_csrf_checks=True)
    careful.force_login(reviewer)
    kernel = a_kernel()

    answer = careful.post(reverse("decide-kernel", args=[kernel.pk]), decision(kernel))

    assert answer.status_code == 403
    assert not Decision.objects.exists()
