"""Whatever strangers write in code, names, paths and licences is shown as text, nothing else."""

import csv
import io
import json
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from curation.models import Kernel, Repository
from tests import factories as make
from tests.curation.web.strange_text import a_kernel_saying, a_pair_saying, item_pages, other_pages

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]

BAD = "<script>alert(1)</script>\"'"


@pytest.fixture
def kernel() -> Kernel:
    kernel = a_kernel_saying(BAD)
    Repository.objects.update(opted_out_at=timezone.now())
    benchmark = make.a_benchmark(name=f"{BAD}2")
    make.a_contamination_match(kernel=kernel, problem=BAD, path=BAD, benchmark=benchmark)
    make.a_copy_flag(kernel=kernel, blocked=make.a_kernel(name=BAD))
    environment = {"triton": BAD, "target": BAD}
    run = make.a_validation_run(device="compiler", environment=environment)
    make.a_validation_result(kernel=kernel, message=BAD, run=run)
    return kernel


def pages(kernel: Kernel) -> Iterator[str]:
    pair = a_pair_saying(BAD, kernel)
    yield from item_pages(kernel, pair)
    yield from other_pages(BAD, pair)
    yield f"{kernel.get_absolute_url()}?queue={BAD}"
    yield f"{reverse('find')}?q={BAD}&tag={BAD}"
    yield f"{reverse('find')}?{BAD}={BAD}"
    yield f"{reverse('queue')}?q={BAD}&tag={BAD}"
    yield f"{reverse('bulk')}?q={BAD}"
    yield f"{reverse('history')}?who={BAD}"
    yield from map(reverse, ("people", "exports"))


def test_markup_in_any_field_is_shown_as_escaped_text(
    browser: Client, curator: User, kernel: Kernel
) -> None:
    make.a_reason(text=BAD)
    make.a_saved_view(user=curator, name=BAD, query=BAD)
    make.an_api_token(user=curator, name=BAD)
    make.an_invitation(username=BAD, email=BAD)
    make.a_bulk_decision(filter=BAD)
    make.a_decision(kernel=make.a_kernel(name=BAD), user=curator)
    make.an_export_run(name=BAD, message=BAD, state="failed", finished_at=timezone.now())

    for url in pages(kernel):
        page = browser.get(url, follow=True).content.decode()
        assert "<script>alert" not in page, url
        assert "&lt;script&gt;" in page, url


def test_a_refused_form_shows_its_values_as_escaped_text(browser: Client, kernel: Kernel) -> None:
    said = {"status": BAD, "version": BAD, "comment": BAD, "tags": BAD, "reason": BAD}

    for name in ("decide", "ask"):
        url = reverse(name, args=["kernels", kernel.pk])
        page = browser.post(url, said | {"text": "", "asked": BAD}).content.decode()
        assert "<script>alert" not in page, name
        assert "&lt;script&gt;" in page, name


def test_only_the_csv_log_escapes_spreadsheet_formulas(browser: Client, curator: User) -> None:
    make.a_decision(kernel=make.a_kernel(name="=1+1"), user=curator, comment="=cmd()")

    table, lines = (
        b"".join(browser.get(reverse(name)).streaming_content).decode()  # type: ignore[attr-defined]
        for name in ("history-csv", "history-jsonl")
    )

    (row,) = csv.DictReader(io.StringIO(table))
    assert (row["about"], row["said"]) == ("'=1+1", "'=cmd()")
    assert [json.loads(line)["said"] for line in lines.splitlines()] == ["=cmd()"]


def test_the_api_declares_its_content_type_as_json(
    client: Client, curator: User, kernel: Kernel
) -> None:
    url = reverse("api-item", args=["kernels", kernel.pk])

    answer = client.get(url, headers=make.bearer(curator))

    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.json()["name"] == BAD
