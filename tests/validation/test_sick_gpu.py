"""A real worker whose GPU is sick gives its run back, says why, and takes no other."""

import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import django_rq
import pytest
import redis
from django.db import connections
from rq import Worker
from rq.serializers import JSONSerializer

from curation.models import Device, RunState, ValidationRun
from tests.factories import a_pair
from validation.harness import schedule
from validation.harness.options import Options
from validation.harness.pool.worker_pool import GpuSick
from validation.run_requests import request_validation

SICK = "The GPU no longer computes what it should (a product of two matrices is wrong)."


@contextmanager
def sick(options: Options) -> Iterator[Any]:
    raise GpuSick(SICK)
    yield


def work() -> None:
    queue = django_rq.get_queue("validation")
    Worker([queue], connection=queue.connection, serializer=JSONSerializer).work()


@pytest.mark.django_db(transaction=True)
def test_a_worker_with_a_broken_gpu_returns_its_run_and_exits(
    queue_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schedule, "open_pool", sick)
    first, second = (request_validation([a_pair()], device=Device.CUDA)[0] for _ in range(2))

    # A process that closed what it inherited would end the session of the one that it came from.
    connections.close_all()
    worker = multiprocessing.get_context("fork").Process(target=work)
    worker.start()
    worker.join(30)

    assert worker.exitcode == 0
    given_back = ValidationRun.objects.get(pk=first.pk)
    assert (given_back.attempts, given_back.message) == (1, f"{SICK} This worker ends.")
    assert ValidationRun.objects.get(pk=second.pk).state == RunState.QUEUED
    assert django_rq.get_queue("validation").job_ids == [second.job_id]
