"""Lists of the admin: a fixed number of queries, and no long texts."""

import pytest
from django.contrib import admin
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django_rq.models import Dashboard

from curation.admin import lean
from curation.models import Kernel, Pair
from tests.curation.admin.every_model import EVERY_MODEL, Shown
from tests.factories import a_kernel, a_repository, an_ingest_run

each_model = pytest.mark.parametrize("shown", EVERY_MODEL, ids=str)


def queries(client: Client, address: str) -> list[str]:
    with CaptureQueriesContext(
        connection,
    ) as captured:
        response = client.get(address)
    assert response.status_code == 200
    return [query["sql"] for query in captured.captured_queries]


def test_every_model_is_in_the_admin_and_in_this_table() -> None:
    assert set(admin.site._registry) == {shown.model for shown in EVERY_MODEL} | {Dashboard}


@pytest.mark.any_database
@each_model
def test_an_admin_list_of_ten_rows_needs_the_queries_of_three(
    shown: Shown, by_superuser: Client
) -> None:
    for _ in range(3):
        shown.a_row()
    address = shown.page("changelist")
    queries(by_superuser, address)  # content types and the like are remembered from here on
    few = queries(by_superuser, address)

    for _ in range(7):
        shown.a_row()
    many = queries(by_superuser, address)

    assert len(many) == len(few), "\n".join(many)
    assert len(many) <= 7, "\n".join(many)


@pytest.mark.any_database
@each_model
def test_an_admin_list_loads_no_source_text(shown: Shown, by_superuser: Client) -> None:
    shown.a_row()

    asked = "\n".join(queries(by_superuser, shown.page("changelist")))

    unread = (*Kernel.SOURCES, *Pair.SOURCES, "signature", "manifest", "matched_text", "log")
    assert [name for name in unread if f'"{name}"' in asked] == []


@each_model
def test_an_admin_search_without_results_does_not_fail(shown: Shown, by_superuser: Client) -> None:
    shown.a_row()

    response = by_superuser.get(shown.page("changelist"), {"q": "no such thing"})

    assert response.status_code == 200


@pytest.mark.any_database
@each_model
def test_a_list_never_counts_a_whole_table(shown: Shown, by_superuser: Client) -> None:
    shown.a_row()

    asked = queries(by_superuser, shown.page("changelist"))

    counts = [query for query in asked if "COUNT(" in query]
    assert len(counts) == 1
    assert f"LIMIT {lean.COUNTED}" in counts[0]


def test_a_list_beyond_the_count_limit_is_paged_up_to_the_limit(
    by_superuser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lean, "COUNTED", 60)
    Kernel.objects.bulk_create(
        Kernel(name=f"k{n}", content_hash=f"{n:064}", standalone=True, lines=1, kind="entry")
        for n in range(70)
    )

    second = by_superuser.get("/admin/curation/kernel/", {"p": 2})

    assert second.context["cl"].result_count == 60
    assert len(second.context["cl"].result_list) == 10


def test_an_ingest_run_shows_its_progress_funnel_and_requester(
    by_superuser: Client, curator: object
) -> None:
    an_ingest_run(
        repository=a_repository(name="owner/name"),
        stage="extract",
        done=3,
        total=40,
        funnel={"found": 12, "isolated": 9},
        requested_by=curator,
    )

    page = by_superuser.get("/admin/curation/ingestrun/").content.decode()

    for words in ("owner/name", "extract: 3 of 40", "12 found → 9 isolated", str(curator)):
        assert words in page


def test_a_kernel_page_links_to_its_evidence_and_decisions(by_superuser: Client) -> None:
    kernel = a_kernel()
    page = by_superuser.get(f"/admin/curation/kernel/{kernel.pk}/change/").content.decode()

    for model in ("decision", "provenance", "qualityfinding", "validationresult"):
        address = f"/admin/curation/{model}/?kernel__id__exact={kernel.pk}"
        assert address in page
        assert by_superuser.get(address).status_code == 200
