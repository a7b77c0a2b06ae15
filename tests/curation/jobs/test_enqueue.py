"""Handing over happens after commit, under an id of our own, in JSON."""

import django_rq
import pytest
import redis
from django.db import transaction

from curation.jobs.enqueue import enqueue
from curation.models import IngestRun, Repository
from tests import factories as make

pytestmark = pytest.mark.django_db(transaction=True)


def a_run() -> IngestRun:
    repository = Repository.objects.create(name="a/b", url="https://github.com/a/b")
    return IngestRun.objects.create(repository=repository)


def test_a_run_reaches_redis_only_when_its_transaction_commits(queue_redis: redis.Redis) -> None:
    queue = django_rq.get_queue("ingest")
    with transaction.atomic():
        run = a_run()
        enqueue(run)
        assert queue.get_job_ids() == []

    assert queue.get_job_ids() == [run.job_id]


def test_a_rolled_back_run_never_reaches_redis(queue_redis: redis.Redis) -> None:
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        enqueue(a_run())
        raise ZeroDivisionError

    assert queue_redis.keys() == []


def test_a_job_contains_only_the_primary_key_as_json(queue_redis: redis.Redis) -> None:
    run = a_run()
    enqueue(run)

    job = django_rq.get_queue("ingest").fetch_job(run.job_id)
    assert job is not None
    assert (job.func_name, job.args, job.kwargs) == ("ingest.jobs.ingest", [run.pk], {})


def test_a_tried_case_overtakes_the_validations_that_wait(queue_redis: redis.Redis) -> None:
    bulk, case = make.a_validation_run(), make.a_tried_case()
    enqueue(bulk)
    enqueue(case)

    assert django_rq.get_queue("validation").get_job_ids() == [case.job_id, bulk.job_id]


def test_enqueueing_a_run_twice_creates_one_job(queue_redis: redis.Redis) -> None:
    run = a_run()
    enqueue(run)
    enqueue(run)

    assert set(django_rq.get_queue("ingest").get_job_ids()) == {run.job_id}
