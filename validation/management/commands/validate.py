"""`manage.py validate`: check items on a device, in the queue or in this process."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import Model, QuerySet

from curation.jobs.attempt import carry_out_here
from curation.jobs.workers import advice, listeners
from curation.management.arguments import device as device_argument
from curation.models import (
    Device,
    Kernel,
    Pair,
    Repository,
    RunState,
    ValidationResult,
    ValidationRun,
)
from curation.operations.address import site_address
from curation.text import pluralize
from validation import reports
from validation.changes import changes as changed
from validation.checkers import CHECKERS, checker_for
from validation.jobs import validate
from validation.run_requests import batches, request_validation, without_verdict
from validation.summary import results_of, summary

# Maximum number of ignored lines of a report to show.
MOST_SHOWN = 10
NAMED: dict[str, type[Model]] = {"kernel": Kernel, "pair": Pair}


class Command(BaseCommand):
    help = (
        "Check kernels or pairs. A kernel is compiled; both sides of a pair are run and compared."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        which = parser.add_mutually_exclusive_group()
        parser.epilog = "Example: manage.py validate pair:118 --device interpreter --now"
        parser.add_argument(
            "item",
            nargs="*",
            help="an item, such as pair:118 or kernel:118; without any, those of --pending",
        )
        which.add_argument(
            "--pending", action="store_true", help="check items without a verdict (the default)"
        )
        which.add_argument(
            "--all", action="store_true", help="also check items that have a verdict"
        )
        which.add_argument(
            "--changes",
            action="store_true",
            help="only list the verdicts that another version of torch or Triton changed",
        )
        parser.add_argument(
            "--ladders", action="store_true", help="only rungs of ladders (default: all pairs)"
        )
        which.add_argument(
            "--import-report", type=Path, metavar="FILE",
            help="check nothing: store the verdicts that the harness wrote on another machine "
            "(default: none)",
        )  # fmt: skip
        parser.add_argument(
            "--repository", help="only items of this source: its name, URL or path (default: all)"
        )
        parser.add_argument(
            "--write", type=Path, metavar="FILE",
            help="check nothing: write the pairs for the harness on another machine "
            "(default: none)",
        )  # fmt: skip
        parser.add_argument(
            "--limit", type=int, metavar="N", help="check N items at most (default: all)"
        )
        parser.add_argument(
            "--device", type=device_argument,
            choices=[one.value for one in Device if one in CHECKERS],
            help="cuda (or gpu) and interpreter check pairs, compiler checks kernels (default: "
            f"{settings.VALIDATION_DEVICE} for named pairs, otherwise compiler)",
        )  # fmt: skip
        parser.add_argument(
            "--now", action="store_true", help="run in this process instead of the queue"
        )
        parser.add_argument(
            "--timeout", type=float, metavar="SECONDS",
            help="limit for each step of a pair; more on a busy machine (default: 60)",
        )  # fmt: skip
        parser.add_argument(
            "--timing",
            action="store_true",
            help="also measure the speed of pairs that pass; needs a GPU",
        )
        parser.add_argument(
            "--sanitize",
            action="store_true",
            help="also run pairs that pass under compute-sanitizer; needs a GPU",
        )

    def handle(
        self,
        *,
        item: list[str],
        all: bool,
        changes: bool,
        repository: str | None,
        ladders: bool,
        limit: int | None,
        device: str | None,
        now: bool,
        timeout: float | None,
        timing: bool,
        sanitize: bool,
        write: Path | None,
        import_report: Path | None,
        **_: Any,
    ) -> None:
        if import_report:
            self._import(import_report)
            return
        kind, ids = _parsed(item)
        wanted = Device(device or (settings.VALIDATION_DEVICE if kind is Pair else "compiler"))
        if changes:
            self._show_changes(wanted)
            return
        how: dict[str, Any] = {
            name: True for name, on in (("timing", timing), ("sanitize", sanitize)) if on
        }
        if how and wanted is not Device.CUDA:
            raise CommandError(f"--{next(iter(how))} needs a GPU: give it --device cuda.")
        if timeout is not None:
            how["timeout"] = timeout
        if limit is not None and limit < 1:
            raise CommandError("--limit must be at least 1.")
        finished = [] if kind or write or not now else _finish_waiting(wanted)
        chosen = _chosen(wanted, kind, ids, repository, everything=all)
        if ladders:
            if chosen.model is not Pair:
                raise CommandError("Only pairs have ladders: give --device cuda or interpreter.")
            chosen = chosen.exclude(ladder="")
        if write:
            self._write(chosen[:limit], wanted, write)
            return
        chosen = chosen.only("pk", "content_hash")
        items = list(chosen[:limit])
        if now:
            for line in summary(finished + _check_here(items, wanted, how)):
                self.stdout.write(line)
        elif items:
            listening = listeners(ValidationRun.QUEUE)
            runs = request_validation(
                items, device=wanted, options=how, hand_over=listening is not None
            )
            asked = f"{pluralize(len(items), 'item')} in {pluralize(len(runs), 'run')}"
            self.stdout.write(f"{asked}: queued{advice(listening)}.")
        else:
            self.stdout.write("0 items: nothing to do.")

    def _write(self, pairs: QuerySet[Any], device: Device, path: Path) -> None:
        if pairs.model is not Pair:
            raise CommandError("Only pairs can be written: give --device cuda or interpreter.")
        count = reports.write_entries(pairs, path)
        report = path.with_suffix(".report.jsonl")
        self.stdout.write(f"{pluralize(count, 'pair')} written to {path}. On the other machine:")
        self.stdout.write(
            f"    python3 -m validation.harness {path} --device {device} --report {report}"
        )
        self.stdout.write(f"Then here: manage.py validate --import-report {report}")

    def _import(self, path: Path) -> None:
        imported = reports.import_report(path)
        for run in imported.runs:
            self.stdout.write(f"{run.label}: {run.device}, {pluralize(run.total, 'verdict')}.")
        for line in summary([result for run in imported.runs for result in results_of(run)]):
            self.stdout.write(line)
        self.stdout.write(f"{pluralize(len(imported.left_out), 'line')} left out.")
        for sentence in imported.left_out[:MOST_SHOWN]:
            self.stdout.write(f"  {sentence}")

    def _show_changes(self, device: Device) -> None:
        count = 0
        for change in changed(device):
            self.stdout.write(str(change))
            count += 1
        self.stdout.write(f"On {device.label}: {pluralize(count, 'changed verdict')}.")


def _finish_waiting(device: Device) -> list[ValidationResult]:
    """Run the queued runs of an interrupted call, unless a worker takes them."""
    if site_address(settings.DATA_DIR) or listeners(ValidationRun.QUEUE):
        return []
    waiting = ValidationRun.objects.filter(device=device, state=RunState.QUEUED).order_by("pk")
    return [result for run in waiting for result in results_of(carry_out_here(run, validate))]


def _check_here(
    items: list[Any], device: Device, options: dict[str, Any]
) -> list[ValidationResult]:
    """Check `items` in this process and return their results.

    Each run is created just before it starts, so that no worker takes it.
    """
    results: list[ValidationResult] = []
    for batch in batches(items, device):
        for run in request_validation(batch, device=device, hand_over=False, options=options):
            results += results_of(carry_out_here(run, validate))
    return results


def _parsed(items: list[str]) -> tuple[type[Model] | None, list[int]]:
    """Return the model and the keys of the items on the command line, such as `pair:118`."""
    kinds: set[type[Model]] = set()
    keys = []
    for item in items:
        name, _, key = item.partition(":")
        if name not in NAMED or not (key.isascii() and key.isdigit()):
            shown = item if item.isascii() and item.isdigit() else "118"
            raise CommandError(
                f"{item!r} names no kernel and no pair: write pair:{shown} or kernel:{shown}."
            )
        kinds.add(NAMED[name])
        keys.append(int(key))
    if len(kinds) > 1:
        raise CommandError("Name kernels or pairs, not both: they are checked on other devices.")
    return next(iter(kinds), None), keys


def _chosen(
    device: Device,
    kind: type[Model] | None,
    ids: list[int],
    repository: str | None,
    *,
    everything: bool,
) -> QuerySet[Any]:
    checker = checker_for(device)
    items: QuerySet[Any]
    if kind is not None:
        name = kind._meta.verbose_name
        if kind is not checker.model:
            able = " or ".join(one for one in CHECKERS if CHECKERS[one].model is kind)
            raise CommandError(f"A {name} can't be checked by --device {device}: write {able}.")
        items = kind._default_manager.filter(pk__in=ids)
        missing = set(ids) - set(items.values_list("pk", flat=True))
        if missing:
            raise CommandError(f"There is no {name} {', '.join(map(str, sorted(missing)))}.")
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
