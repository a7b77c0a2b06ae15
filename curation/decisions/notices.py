"""Notices to people: stored with an event, shown on the site, sent by mail and webhook.

The scheduler sends stored notices and retries failures. So no decision waits for a mail server.
"""

import hashlib
import hmac
import json
import logging
import time
import urllib.request
from collections.abc import Collection
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import send_mail
from django.db.models import QuerySet
from django.utils import timezone

from curation.models import Kernel, Notice, NoticeChoice, NoticeKind, Pair, Run, TriedCase
from curation.models.runs import ENDED
from curation.people import CURATORS

log = logging.getLogger(__name__)

# Maximum notices per pass, maximum attempts per notice, and timeout of a server in seconds.
AT_ONCE, ATTEMPTS, PATIENCE = 50, 5, 10.0
# Maximum age of an ended run for which a notice is sent.
LATELY = timedelta(days=2)


def notify(user: User, kind: NoticeKind, text: str, url: str, *, event: str) -> None:
    """Store a notice for a person, at most one for each event."""
    Notice.objects.get_or_create(
        user=user, event=event, defaults={"kind": kind, "text": text[:500], "url": url[:300]}
    )


def unread(user: User) -> QuerySet[Notice]:
    return Notice.objects.filter(user=user, read_at=None)


def notice_runs() -> int:
    """Scheduled task: notify the requesters of ended runs. Return the number of notices.

    Runs of a tried case get no notice, because their page shows the result within seconds.
    """
    since = timezone.now() - LATELY
    made = 0
    for model in set(Run.__subclasses__()) - {TriedCase}:
        rows = model._default_manager.filter(
            created_at__gte=since, state__in=ENDED, requested_by__isnull=False
        )
        told = Notice.objects.filter(event__startswith=f"run-{model._meta.model_name}-")
        known = set(told.filter(created_at__gte=since).values_list("event", flat=True))
        for run in rows.select_related("requested_by").defer("log"):
            event = f"run-{model._meta.model_name}-{run.pk}"
            if event in known or run.requested_by is None:
                continue
            words = f"{run}: {run.get_state_display().lower()}."
            notify(
                run.requested_by, NoticeKind.RUN,
                f"{words} {run.message}" if run.message else words, run.get_absolute_url(),
                event=event,
            )  # fmt: skip
            made += 1
    return made


def deliver_notices() -> int:
    """Scheduled task: send notices by mail and webhook. Return the number of sent notices."""
    sent = 0
    rows = Notice.objects.filter(sent_at=None, attempts__lt=ATTEMPTS).select_related("user")
    for notice in rows.order_by("pk")[:AT_ONCE]:
        try:
            _mail(notice)
            _post(notice)
        except (OSError, ValueError) as error:
            log.warning("Notice %s could not be sent: %s", notice.pk, error)
            Notice.objects.filter(pk=notice.pk).update(
                attempts=notice.attempts + 1, trouble=f"{type(error).__name__}: {error}"[:300]
            )
            continue
        Notice.objects.filter(pk=notice.pk).update(sent_at=timezone.now(), trouble="")
        sent += 1
    return sent


def _mail(notice: Notice) -> None:
    wanted = NoticeChoice.objects.filter(user=notice.user, mail=True).exists()
    if not settings.EMAIL_HOST or not wanted or not notice.user.email or notice.mailed_at:
        return
    body = f"{notice.text}\n\n{settings.SITE_URL}{notice.url}\n"
    subject = " ".join(notice.text.split())[:120]
    send_mail(subject, body, None, [notice.user.email])
    # Mark the mail as sent now, so that the next attempt does not repeat it if the webhook fails.
    Notice.objects.filter(pk=notice.pk).update(mailed_at=timezone.now())


def _post(notice: Notice) -> None:
    if not settings.WEBHOOK_URL:
        return
    at = str(int(time.time()))
    body = json.dumps({
        "id": notice.pk, "kind": notice.kind, "user": notice.user.username, "text": notice.text,
        "url": f"{settings.SITE_URL}{notice.url}", "created_at": notice.created_at.isoformat(),
    }).encode()  # fmt: skip
    request = urllib.request.Request(  # noqa: S310 - the operator's own address
        settings.WEBHOOK_URL,
        body,
        {"Content-Type": "application/json", "X-Timestamp": at, "X-Signature": sign(at, body)},
    )
    with urllib.request.urlopen(request, timeout=PATIENCE):  # noqa: S310 - as above
        pass


def sign(at: str, body: bytes) -> str:
    """Return the signature for the receiver to check: HMAC-SHA256 of the time, a dot, the body."""
    key = settings.WEBHOOK_SECRET.encode()
    return hmac.new(key, at.encode() + b"." + body, hashlib.sha256).hexdigest()


def notify_of_dispute(item: Kernel | Pair, others: Collection[int], event: str) -> None:
    """Notify the curators who can settle a dispute: all except the two who disagree."""
    curators = User.objects.filter(groups__name=CURATORS, is_active=True).exclude(pk__in=others)
    for user in curators:
        notify(
            user, NoticeKind.DISPUTE, f"Two reviewers disagree on {item}. You can settle it.",
            item.get_absolute_url(), event=event,
        )  # fmt: skip
