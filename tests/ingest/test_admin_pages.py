"""The page of an ingest: live while it runs, and afterwards what was found and dropped, and why."""

from pathlib import Path

import pytest
import redis
from django.test import Client

from curation.models import IngestRun, RunState
from ingest.in_process import ingest_now
from ingest.sources import take_up
from tests.factories import a_curator, an_ingest_run

pytestmark = pytest.mark.django_db


@pytest.fixture
def by_curator(client: Client) -> Client:
    client.force_login(a_curator())
    return client


def page(client: Client, run: IngestRun) -> tuple[str, str | None]:
    response = client.get(f"/admin/curation/ingestrun/{run.pk}/change/")
    assert response.status_code == 200
    return response.content.decode(), response.headers.get("Refresh")


def test_the_page_of_an_ended_run_shows_its_funnel_and_drops_by_reason(
    by_curator: Client, tmp_path: Path
) -> None:
    (tmp_path / "bad.py").write_bytes(b"import triton  # jit\0")
    (tmp_path / "bound.py").write_text(
        "import triton\nfrom elsewhere import secret\n\n\n"
        "@triton.jit\ndef kernel(p):\n    secret(p)\n"
    )
    run = ingest_now(take_up(str(tmp_path)))

    html, refresh = page(by_curator, run)

    assert refresh is None
    assert "<td class='number'>1</td><td>found</td>" in html
    assert "isolate: not-standalone" in html
    assert f"?run__id__exact={run.pk}&amp;reason=null-byte" in html


def test_the_page_of_a_live_run_refreshes_itself(by_curator: Client) -> None:
    run = an_ingest_run()

    _html, refresh = page(by_curator, run)

    assert refresh == "3"


def test_the_drops_of_a_reason_are_listed_with_their_messages(
    by_curator: Client, tmp_path: Path
) -> None:
    (tmp_path / "bad.py").write_bytes(b"import triton  # jit\0")
    run = ingest_now(take_up(str(tmp_path)))

    rows = by_curator.get(
        f"/admin/curation/drop/?run__id__exact={run.pk}&reason=null-byte"
    ).content.decode()

    assert "bad.py" in rows
    assert "holds a null byte" in rows


@pytest.mark.parametrize("what", ["%3A", "x", "9" * 30, "0"])
def test_an_unknown_run_url_redirects_to_the_admin(by_curator: Client, what: str) -> None:
    answer = by_curator.get(f"/admin/curation/ingestrun/{what}/change/")

    assert (answer.status_code, answer["Location"]) == (302, "/admin/")


def test_a_source_is_saved_and_its_ingest_queued_by_one_click(
    by_curator: Client, queue_redis: redis.Redis
) -> None:
    form = by_curator.get("/admin/curation/repository/add/")
    values = {
        name: value
        for name, value in form.context["adminform"].form.initial.items()
        if value is not None
    }
    assert "Save and queue an ingest" in form.content.decode()

    answer = by_curator.post(
        "/admin/curation/repository/add/",
        {**values, "url": "https://github.com/example/kernels", "role": "source",
         "category": "utils", "tier": "3", "refresh_days": "90", "upsampling_weight": "1",
         "_ingest": "1"},
    )  # fmt: skip

    assert answer.status_code == 302, answer.context["adminform"].form.errors
    run = IngestRun.objects.get()
    assert run.repository.url == "https://github.com/example/kernels"
    assert run.state == RunState.QUEUED
