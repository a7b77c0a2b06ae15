"""`/healthz`: is the database there, is Redis there, and who listens on the queues?"""

from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.utils import timezone
from django.views.decorators.http import require_safe
from redis.exceptions import RedisError

from curation.models import Lease
from curation.queue.workers import alive_workers


@login_not_required
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """200 while requests can be served and work accepted; missing workers are told, not fatal."""
    database = redis = "ok"
    scheduler = False
    workers: dict[str, int] = {}
    try:
        scheduler = Lease.objects.filter(name="scheduler", expires_at__gt=timezone.now()).exists()
    except DatabaseError:
        database = "down"
        connection.close()
    try:
        workers = alive_workers()
    except RedisError:
        redis = "down"
    well = database == redis == "ok"
    return JsonResponse(
        {
            "status": "ok" if well else "down",
            "database": database,
            "redis": redis,
            "workers": workers,
            "scheduler": scheduler,
        },
        status=200 if well else 503,
        headers={"Cache-Control": "no-store"},
    )
