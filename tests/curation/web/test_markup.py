"""Whatever strangers write in code, names, paths and licences is shown as text, nothing else."""

import csv
import io
from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from curation.models import Kernel, Pair
from curation.web import tokens
from tests import factories as make

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]

BAD = "<script>alert(1)</script>\"'"


@pytest.fixture
def kernel() -> Kernel:
    repository = make.a_repository(
        name=BAD, url="https://example.org/x", opted_out_at=timezone.now()
    )
    kernel = make.a_kernel(
        name=BAD, standalone_source=f"# {BAD}\nx = '{BAD}'\n", launcher_source=f"# {BAD}\n",
        tags=[BAD], standalone=False, standalone_reasons=[BAD], notes=[BAD],
        license=make.a_license(expression=BAD), license_verdict="permissive",
        parameters=[{"name": BAD, "annotation": BAD, "default": BAD, "constexpr": False}],
        kind_evidence=[{"says": BAD, "rule": BAD, "line": 1, "text": BAD}],
    )  # fmt: skip
    for number in range(2):
        file = make.a_source_file(path=f"{BAD}{number}.py", repository=repository)
        make.a_provenance(kernel=kernel, source_file=file, license_reason=BAD)
    make.some_license_evidence(
        repository=repository, source_file=file, path=BAD, matched_text=BAD, remark=BAD
    )
    make.a_finding(kernel=kernel, gate=BAD[:60], passed=False, message=BAD)
    make.a_contamination_match(
        kernel=kernel, problem=BAD, path=BAD, benchmark=make.a_benchmark(name=f"{BAD}2")
    )
    make.a_copy_flag(kernel=kernel, blocked=make.a_kernel(name=BAD))
    twin = make.a_kernel(name=f"{BAD}2", standalone_source=f"y = '{BAD}'\n", status="approved")
    make.a_duplicate_link(kernel=twin, of_kernel=kernel)
    make.a_validation_result(
        kernel=kernel, content_hash=kernel.content_hash, message=BAD,
        run=make.a_validation_run(device="compiler", environment={"triton": BAD, "target": BAD}),
    )  # fmt: skip
    make.a_question(kernel=kernel, text=BAD)
    make.a_decision(kernel=kernel, comment=BAD, reasons=[BAD])
    return kernel


@pytest.fixture
def pair(kernel: Kernel) -> Pair:
    pair = make.a_pair(
        kernel=kernel, slug="bad", python_code=f"# {BAD}\n", triton_code=BAD, test_code=BAD,
        entry_point=BAD, recipe=BAD,
    )  # fmt: skip
    result = make.a_validation_result(
        pair=pair, content_hash=pair.content_hash, message=BAD, figures={BAD: BAD},
        run=make.a_validation_run(environment={BAD: BAD}),
    )  # fmt: skip
    make.a_validation_check(
        result=result, name=BAD, message=BAD,
        figures={BAD: BAD, "max_abs_error": 0.1, "share_of_allowed": 0.2},
    )  # fmt: skip
    return pair


def pages(kernel: Kernel, pair: Pair) -> Iterator[str]:
    for tab in ("standalone", "file", "launcher", "diff", "diff&layout=inline", "alike", "history"):
        yield f"{kernel.get_absolute_url()}?tab={tab}&queue={BAD}"
    for tab in ("code", "results", "history"):
        yield f"{pair.get_absolute_url()}?tab={tab}"
    yield reverse("edit-pair", args=[pair.pk])
    draft = make.a_draft(
        operation=BAD, path=BAD, missing=[BAD], python_code=BAD, entry_point=BAD,
        provenance={"license": BAD, "lines": BAD, "commit": BAD},
    )  # fmt: skip
    yield draft.get_absolute_url()
    yield reverse("drafts")
    yield reverse("ask", args=["kernels", kernel.pk])
    yield f"{reverse('find')}?q={BAD}&tag={BAD}"
    yield f"{reverse('find')}?{BAD}={BAD}"
    yield f"{reverse('queue')}?q={BAD}&tag={BAD}"
    yield f"{reverse('bulk')}?q={BAD}"
    yield f"{reverse('history')}?who={BAD}"
    for name in ("find", "history", "account", "people", "exports"):
        yield reverse(name)


def test_markup_in_any_field_is_shown_as_escaped_text(
    browser: Client, curator: User, kernel: Kernel, pair: Pair
) -> None:
    make.a_reason(text=BAD)
    make.a_saved_view(user=curator, name=BAD, query=BAD)
    make.an_api_token(user=curator, name=BAD)
    make.an_invitation(username=BAD, email=BAD)
    make.a_bulk_decision(filter=BAD)
    make.a_decision(kernel=make.a_kernel(name=BAD), user=curator)
    make.an_export_run(name=BAD, message=BAD, state="failed", finished_at=timezone.now())

    for url in pages(kernel, pair):
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


def test_the_csv_log_escapes_spreadsheet_formulas(browser: Client, curator: User) -> None:
    make.a_decision(kernel=make.a_kernel(name="=1+1"), user=curator, comment="=cmd()")

    lines = b"".join(browser.get(reverse("history-csv")).streaming_content)  # type: ignore[attr-defined]

    rows = list(csv.DictReader(io.StringIO(lines.decode())))
    assert (rows[0]["about"], rows[0]["said"]) == ("'=1+1", "'=cmd()")


def test_the_api_declares_its_content_type_as_json(
    client: Client, curator: User, kernel: Kernel
) -> None:
    secret = tokens.make(curator, "tests")

    answer = client.get(
        reverse("api-item", args=["kernels", kernel.pk]),
        headers={"Authorization": f"Bearer {secret}"},
    )

    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.json()["name"] == BAD
