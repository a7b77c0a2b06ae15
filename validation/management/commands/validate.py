"""`manage.py validate`: check items on a device, in the queue or in this process."""

from collections import Counter
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import QuerySet

from curation.models import (
    Device,
    Kernel,
    Outcome,
    Repository,
    RunState,
    ValidationCheck,
    Verdict,
)
from curation.queue.in_process import carry_out_here
from curation.words import counted
from validation.changes import changes as changed
from validation.checkers import CHECKERS, checker_for
from validation.jobs import validate
from validation.requests import batches, request_validation, without_verdict


class Command(BaseCommand):
    help = "Check kernels or pairs: whether they compile, or compute what they should."

    def add_arguments(self, parser: CommandParser) -> None:
        which = parser.add_mutually_exclusive_group()
        parser.add_argument("ids", nargs="*", type=int, help="of kernels or pairs")
        which.add_argument(
            "--pending", action="store_true", help="what has no verdict yet (the default)"
        )
        which.add_argument("--all", action="store_true", help="also what has one")
        which.add_argument(
            "--changes",
            action="store_true",
            help="check nothing: show which verdicts another torch or Triton changed",
        )
        parser.add_argument("--repository", help="only what was seen in this source")
        parser.add_argument("--limit", type=int, help="check so many items at most")
        parser.add_argument("--device", choices=CHECKERS, default=Device.COMPILER)
        parser.add_argument(
            "--now", action="store_true", help="do it in this process instead of the queue"
        )

        parser.add_argument(
            "--timing", action="store_true", help="also how fast what passes is, on a GPU"
        )
        parser.add_argument(
            "--sanitize", action="store_true", help="also run what passes under compute-sanitizer"
        )

    def handle(
        self,
        *,
        ids: list[int],
        all: bool,
        changes: bool,
        repository: str | None,
        limit: int | None,
        device: str,
        now: bool,
        timing: bool,
        sanitize: bool,
        **_: Any,
    ) -> None:
        wanted = Device(device)
        if changes:
            self._show_changes(wanted)
            return
        how = {name: True for name, on in (("timing", timing), ("sanitize", sanitize)) if on}
        if how and wanted is not Device.CUDA:
            raise CommandError(f"--{next(iter(how))} needs a GPU: give it --device cuda.")
        if limit is not None and limit < 1:
            raise CommandError("--limit must be at least 1.")
        chosen = _chosen(wanted, ids, repository, everything=all).only("pk", "content_hash")
        items = list(chosen[:limit])
        asked = counted(len(items), "item")
        if now:
            verdicts, failed = _check_here(items, wanted, how)
            counts = ", ".join(f"{verdicts[one]:,} {one}" for one in Verdict if verdicts[one])
            reasons = ", ".join(f"{name} {count:,}" for name, count in failed.most_common())
            self.stdout.write(
                f"{asked}: {counts or 'nothing to do'}."
                + (f" Failed checks: {reasons}." if reasons else "")
            )
        else:
            runs = request_validation(items, device=wanted, options=how)
            self.stdout.write(f"{asked} in {counted(len(runs), 'run')}: queued.")

    def _show_changes(self, device: Device) -> None:
        count = 0
        for change in changed(device):
            self.stdout.write(str(change))
            count += 1
        self.stdout.write(f"On {device.label}: {counted(count, 'changed verdict')}.")


def _check_here(
    items: list[Any], device: Device, options: dict[str, Any]
) -> tuple[Counter[str], Counter[str]]:
    """Check `items` in this process. Return how often each verdict came and each check failed.

    A run is created when its turn comes, so that no worker takes a run that waits.
    """
    verdicts: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    for batch in batches(items, device):
        for run in request_validation(batch, device=device, hand_over=False, options=options):
            done = carry_out_here(run, validate)
            if done.state != RunState.SUCCEEDED:
                raise CommandError(done.message)
            verdicts.update(done.results.values_list("verdict", flat=True))
            checks = ValidationCheck.objects.filter(result__run=done, outcome=Outcome.FAILED)
            failed.update(checks.values_list("name", flat=True))
    return verdicts, failed


def _chosen(
    device: Device, ids: list[int], repository: str | None, *, everything: bool
) -> QuerySet[Any]:
    checker = checker_for(device)
    items: QuerySet[Any]
    if ids:
        items = checker.model._default_manager.filter(pk__in=ids)
        missing = set(ids) - set(items.values_list("pk", flat=True))
        if missing:
            names = ", ".join(map(str, sorted(missing)))
            raise CommandError(f"There is no {checker.model._meta.verbose_name} {names}.")
        return items
    items = checker.eligible()
    if repository is not None:
        items = _seen_in(items, repository)
    return items if everything else without_verdict(items, device)


def _seen_in(items: QuerySet[Any], name: str) -> QuerySet[Any]:
    source = Repository.objects.named(name).first()
    if source is None:
        raise CommandError(f"{name} is not among the sources.")
    places = {"provenances__retired_at": None, "provenances__source_file__repository": source}
    if items.model is Kernel:
        return items.filter(**places).distinct()
    return items.filter(**{f"kernel__{path}": value for path, value in places.items()}).distinct()
