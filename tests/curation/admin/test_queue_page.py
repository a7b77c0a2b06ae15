"""django-rq's page of queues: for those who hold its permission, and for nobody else."""

import pickle
import time
from pathlib import Path
from typing import Any

import django_rq
import pytest
import redis
from django.contrib import admin
from django.test import Client
from django.urls import NoReverseMatch, URLPattern, reverse
from django_rq.models import Dashboard
from rq.job import Job

from tests.curation.jobs.touching import MARK, Pickled
from tests.factories import a_person, a_reviewer

pytestmark = pytest.mark.any_database

PAGE = "/admin/django_rq/dashboard/"


def pages() -> list[URLPattern]:
    return admin.site._registry[Dashboard].get_urls()


def address(page: URLPattern) -> str:
    values = {name: 0 if name.endswith("_index") else "x" for name in page.pattern.converters}
    try:
        return reverse(f"admin:{page.name}", kwargs=values)
    except NoReverseMatch:
        return f"{PAGE}stats.json/"


def a_job() -> Job:
    queue = django_rq.get_queue("ingest", commit_mode="auto")
    return queue.enqueue_call("ingest.jobs.ingest", args=(1,))


def about(job: Job, page: str) -> str:
    return reverse(f"admin:django_rq_{page}", kwargs={"queue_index": 0, "job_id": job.id})


@pytest.mark.usefixtures("queue_redis")
def test_a_curator_sees_the_queues(by_curator: Client) -> None:
    page = by_curator.get(PAGE).content.decode()

    for queue in ("ingest", "validation", "default"):
        assert queue in page


@pytest.mark.usefixtures("queue_redis")
@pytest.mark.parametrize(
    "page", ["jobs", "queue_details", "failed_jobs", "started_jobs", "workers", "home_json"]
)
def test_a_curator_can_open_each_queue_page(by_curator: Client, page: str) -> None:
    values = {} if page == "home_json" else {"queue_index": 0}

    assert by_curator.get(reverse(f"admin:django_rq_{page}", kwargs=values)).status_code == 200


@pytest.mark.usefixtures("queue_redis")
def test_a_curator_can_open_a_job(by_curator: Client) -> None:
    job = a_job()

    page = by_curator.get(f"{PAGE}queues/0/{job.id}/")

    assert page.status_code == 200
    assert job.id in page.content.decode()


def a_hostile_job(server: redis.Redis, **fields: Any) -> Job:
    """A job that is in the queue, in every registry, and with a worker."""
    job = a_job()
    for name, value in fields.items():
        server.hset(job.key, name, value)
    server.hset(f"rq:execution:{job.id}:1", mapping={"created_at": 1.0, "last_heartbeat": 1.0})
    server.zadd("rq:wip:ingest", {f"{job.id}:1": 1.0})
    for registry in ("finished", "failed", "deferred", "scheduled", "canceled"):
        server.zadd(f"rq:{registry}:ingest", {job.id: time.time() + 600})
    now = "2026-11-21T10:00:00.000000Z"
    worker: dict[Any, Any] = {
        "queues": "ingest",
        "current_job": job.id,
        "birth": now,
        "last_heartbeat": now,
    }
    server.hset("rq:worker:x", mapping=worker)
    server.sadd("rq:workers", "rq:worker:x")
    server.sadd("rq:workers:ingest", "rq:worker:x")
    return job


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.pattern))
@pytest.mark.parametrize("method", ["get", "post"])
def test_no_queue_page_imports_or_unpickles_the_data_of_a_job(
    by_curator: Client,
    queue_redis: redis.Redis,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    page: URLPattern,
    method: str,
) -> None:
    mark = tmp_path / "mark"
    monkeypatch.setenv(MARK, str(mark))
    hostile: list[dict[str, Any]] = [
        {"meta": pickle.dumps(Pickled(f"touch {mark}"))},
        {"failure_callback_name": "tests.curation.jobs.touching.call"},
    ]

    for fields in hostile:
        queue_redis.flushall()
        job = a_hostile_job(queue_redis, **fields)
        place = address(page).replace("/x/", f"/{job.id}/", 1)
        place = place.replace(f"workers/0/{job.id}", "workers/0/rq:worker:x")
        chosen = {"action": "requeue", "job_ids": [job.id], "_selected_action": [job.id]}
        by_curator.get(place) if method == "get" else by_curator.post(place, chosen)

        assert not mark.exists(), fields


@pytest.mark.usefixtures("queue_redis")
def test_an_invalid_job_id_gives_a_404(by_curator: Client) -> None:
    assert by_curator.get(f"{PAGE}queues/0/1.5/").status_code == 404


@pytest.mark.usefixtures("queue_redis")
@pytest.mark.parametrize("number", [3, 10**30])
def test_an_unknown_queue_number_gives_a_404(by_curator: Client, number: int) -> None:
    assert by_curator.get(f"{PAGE}queues/{number}/").status_code == 404


@pytest.mark.usefixtures("queue_redis")
@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize("page", ["delete_job", "requeue_job", "enqueue_job"])
def test_an_action_on_a_deleted_job_redirects_to_the_queue_with_a_message(
    by_curator: Client, page: str, method: str
) -> None:
    job = a_job()
    job.delete()

    answer = getattr(by_curator, method)(about(job, page), follow=True)

    assert answer.redirect_chain == [(f"{PAGE}queues/0/", 302)]
    assert "This job no longer exists" in answer.content.decode()


@pytest.mark.usefixtures("queue_redis")
def test_a_bulk_delete_reports_a_job_that_no_longer_exists(by_curator: Client) -> None:
    job = a_job()
    job.delete()
    chosen = {"action": "delete", "job_ids": [job.id]}

    answer = by_curator.post(
        reverse("admin:django_rq_actions", kwargs={"queue_index": 0}), chosen, follow=True
    )

    assert "This job no longer exists" in answer.content.decode()


@pytest.mark.usefixtures("queue_redis")
def test_a_queued_job_can_not_be_requeued(by_curator: Client) -> None:
    job = a_job()

    answer = by_curator.post(about(job, "requeue_job"), follow=True)

    assert "state does not allow this action" in answer.content.decode()
    assert django_rq.get_queue("ingest").get_job_ids() == [job.id]


def test_the_admin_links_to_the_queues_for_curators(by_curator: Client) -> None:
    assert f'<a href="{PAGE}">Queues</a>' in by_curator.get("/admin/").content.decode()


def test_the_admin_hides_the_queue_link_from_staff_without_the_permission(
    db: None, client: Client
) -> None:
    client.force_login(a_person(is_staff=True))

    assert PAGE not in client.get("/admin/").content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.pattern))
@pytest.mark.parametrize("is_staff", [False, True])
def test_an_account_without_the_permission_reaches_no_queue_page(
    client: Client, page: URLPattern, is_staff: bool
) -> None:
    client.force_login(a_person(is_staff=True) if is_staff else a_reviewer())

    for response in (client.get(address(page)), client.post(address(page))):
        assert response.status_code == 302
        assert response["Location"].startswith("/admin/login/")


def test_the_queue_model_has_no_add_change_or_delete_page(by_superuser: Client) -> None:
    for page in ("add/", "1/change/", "1/delete/", "1/history/", "1/"):
        assert by_superuser.get(f"{PAGE}{page}").status_code == 404


def test_the_queue_pages_include_no_rq_scheduler_page(by_curator: Client) -> None:
    assert by_curator.get(f"{PAGE}schedulers/0/").status_code == 404
