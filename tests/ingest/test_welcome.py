"""The checklist that gets a new installation started."""

import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest
import redis
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from curation.models import IngestRun, Repository
from curation.sources.load import load_sources
from tests import factories as make

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]

STEP = re.compile(r"<h2>(\w+)[^<]*<span[^>]*>(Done|To do)</span>")


@pytest.fixture
def curator() -> User:
    return make.a_curator()


@pytest.fixture
def browser(curator: User) -> Client:
    client = Client()
    client.force_login(curator)
    return client


def shown(browser: Client) -> str:
    html = browser.get(reverse("welcome")).content.decode()
    return re.sub(r"\s+", " ", html)


def steps(browser: Client) -> dict[str, str]:
    return dict(STEP.findall(shown(browser)))


def test_on_a_fresh_installation_every_checklist_step_is_open(browser: Client) -> None:
    load_sources()
    make.a_pair(origin="manual")

    page = shown(browser)

    assert set(steps(browser).values()) == {"To do"}
    assert "No source has been ingested yet" in page
    assert "Dao-AILab/flash-attention" in page
    assert "KernelBench" not in page
    assert "1 item waits for you" in page
    assert "Review 1 hand-written pair<" in page


def test_the_checklist_names_ingested_sources_with_their_kernels(browser: Client) -> None:
    folder = make.a_repository(
        name="/home/ada/kernels", origin="folder", last_ingested_at=timezone.now()
    )
    file = make.a_source_file(repository=folder)
    for _ in range(3):
        make.a_provenance(source_file=file)
    make.a_provenance(source_file=file, retired_at=timezone.now())

    page = shown(browser)

    assert steps(browser)["Ingest"] == "Done"
    assert "1 source ingested:" in page
    assert '<th scope="row">/home/ada/kernels</th><td>3</td>' in page


def test_a_decision_completes_the_review_step_until_it_is_undone(
    browser: Client, curator: User
) -> None:
    first = make.a_decision(user=curator)
    assert steps(browser)["Review"] == "Done"
    assert "1 decision by 1 person." in shown(browser)

    make.a_decision(kernel=first.kernel, version=2, user=curator, undoes=first)

    assert steps(browser)["Review"] == "To do"


def test_a_decision_by_policy_does_not_complete_the_review_step(browser: Client) -> None:
    make.a_decision(actor="policy", user=None, rules="licence 1")

    assert steps(browser)["Review"] == "To do"


@pytest.mark.parametrize(
    ("export", "sentence"),
    [
        (make.a_split_assignment, "Exported from the command line"),
        (make.a_release, "1 release and 0 archives so far"),
        (
            lambda: make.an_export_run(
                state="succeeded", archive="a.tar.gz", finished_at=timezone.now()
            ),
            "0 releases and 1 archive so far",
        ),
    ],
)
def test_an_export_completes_the_export_step(
    browser: Client, export: Callable[[], object], sentence: str
) -> None:
    make.an_export_run()
    assert steps(browser)["Export"] == "To do"

    export()

    assert steps(browser)["Export"] == "Done"
    assert sentence in shown(browser)


def test_a_second_reviewer_completes_the_last_checklist_step(browser: Client) -> None:
    make.a_person()
    make.a_reviewer(is_active=False)
    assert steps(browser)["Invite"] == "To do"

    make.a_reviewer()

    assert steps(browser)["Invite"] == "Done"
    assert "2 people review here." in shown(browser)


def test_menu_and_help_link_to_the_checklist(browser: Client) -> None:
    for name in ("find", "keys"):
        link = f'href="{reverse("welcome")}"'
        assert link in browser.get(reverse(name)).content.decode().split("<main")[name == "keys"]


def test_a_button_of_the_checklist_queues_a_known_source(
    browser: Client, queue_redis: redis.Redis
) -> None:
    source = make.a_repository()

    page = browser.post(
        reverse("queue-ingest"), {"source": source.url}, follow=True
    ).content.decode()
    again = browser.post(
        reverse("queue-ingest"), {"source": source.url}, follow=True
    ).content.decode()

    assert f"of {source} is queued." in page
    assert "Not queued" in again
    assert IngestRun.objects.get().repository == source


@pytest.mark.parametrize("name", ["welcome", "runs"])
def test_an_address_or_a_folder_is_ingested_from_a_field(
    name: str, browser: Client, queue_redis: redis.Redis, tmp_path: Path
) -> None:
    page = browser.get(reverse(name)).content.decode()
    form = re.search(r'<form[^>]*action="/ingest".*?</form>', page, re.DOTALL)
    assert form and form[0].count("<button") == 1

    for text, origin in (("owner/kernels", "git"), (str(tmp_path), "folder")):
        answer = browser.post(reverse("queue-ingest"), {"source": text, "page": name})
        run = IngestRun.objects.latest("pk")
        assert answer["Location"] == run.get_absolute_url()
        assert (run.repository.origin, run.state) == (origin, "queued")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("git@github.com:a/b", "is an ssh address"), ("kernels", "is neither owner/name nor"),
        ("/no/such/folder", "There is no readable folder"), ("", "No repository was given"),
        ("-x", "is an option of git"), ("\0", "zero byte"),
    ],
)  # fmt: skip
def test_a_refused_address_is_shown_again_with_a_sentence(
    text: str, sentence: str, browser: Client
) -> None:
    answer = browser.post(reverse("queue-ingest"), {"source": text, "page": "runs"}, follow=True)

    page = unescape(answer.content.decode())
    assert sentence in page
    assert not text or text == "\0" or f'value="{text}"' in page
    assert not Repository.objects.exists()


def test_the_checklist_runs_a_fixed_number_of_queries(
    browser: Client, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    for _ in range(12):
        make.an_ingest_run(repository=make.a_repository(last_ingested_at=timezone.now()))
        make.a_decision()
        make.a_split_assignment()

    with django_assert_max_num_queries(18):
        browser.get(reverse("welcome"))
