"""`manage.py runs`: list live and ended runs, a line each."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from curation.models import Run
from curation.templatetags.review import lasting
from curation.web.runs import KINDS, STATES, newest, running


class Command(BaseCommand):
    help = "List runs, those under way first, then the newest: one line each."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.epilog = "Example: manage.py runs --kind validation --state failed --limit 5"
        parser.add_argument("--kind", choices=KINDS, help="only runs of this kind (default: all)")
        parser.add_argument("--state", choices=STATES, help="only in this state (default: all)")
        parser.add_argument(
            "--limit", type=int, default=20, metavar="N", help="at most N lines (default: 20)"
        )

    def handle(self, *, kind: str | None, state: str | None, limit: int, **_: Any) -> None:
        first = [] if state else running(kind or "")
        listed = [*first, *newest(kind or "", state or "", size=max(limit, 1)).runs]
        for run in listed[: max(limit, 1)]:
            self.stdout.write(_line(run))
        if not listed:
            self.stderr.write("No runs match." if kind or state else "No runs yet.")


def _line(run: Run) -> str:
    age = lasting(timezone.now() - run.created_at)
    message = run.message.partition("\n")[0] or run.result
    # The name of a folder may contain a line break.
    subject = " ".join(run.subject.split())
    said = f"{subject}: {message}" if message else subject
    return f"{run.label:<16} {run.state:<10} {_progress(run):<34} {age:>10}  {said}"


def _progress(run: Run) -> str:
    if not run.live and run.percent is None:
        return "-"
    count = f"{run.done:,} of {run.total:,}" if run.total else f"{run.done:,}"
    percent = "" if run.percent is None else f" ({run.percent}%)"
    left = "" if run.remaining is None else f", {lasting(run.remaining)} left"
    return f"{count}{percent}{left}"
