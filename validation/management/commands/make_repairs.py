"""`manage.py make_repairs`: plant mistakes into passed pairs, and store those that are rejected."""

import re
import sys
from collections import Counter
from functools import partial
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from curation.management.arguments import device as device_argument
from curation.models import Device
from curation.progress_bar import Bar
from curation.text import pluralize
from validation.repairs.kinds import KINDS

# A `{name}` placeholder in the explanation of a kind of mistake.
FACT = re.compile(r"`?\{\w+\}`?")
DEVICES = (Device.CUDA.value, Device.INTERPRETER.value)


class Command(BaseCommand):
    help = (
        "Plant typical mistakes into pairs that passed their validation, and store those that the "
        "harness rejects as repair traces. An interrupted run goes on where it ended."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.epilog = "Example: manage.py make_repairs --count 50 --device interpreter"
        parser.add_argument(
            "--count", type=int, default=100, metavar="N",
            help="stop when N traces are stored, earlier ones included (default: %(default)s)",
        )  # fmt: skip
        parser.add_argument(
            "--seed", type=int, default=0, metavar="N",
            help="the same seed plants the same mistakes (default: %(default)s)",
        )  # fmt: skip
        parser.add_argument(
            "--kind", action="append", choices=[*KINDS], metavar="KIND",
            help="only this kind of mistake; may be given more than once (default: all)",
        )  # fmt: skip
        parser.add_argument(
            "--device", type=device_argument, choices=DEVICES,
            help=f"where the harness runs (default: {settings.VALIDATION_DEVICE})",
        )  # fmt: skip
        parser.add_argument("--list", action="store_true", help="list the kinds and stop")

    def handle(
        self, *, count: int, seed: int, kind: list[str] | None, device: str | None, **options: Any
    ) -> None:
        if options["list"]:
            for listed in KINDS.values():
                self.stdout.write(f"{listed.name:24} {FACT.sub('…', listed.why)}")
            return
        if count < 1:
            raise CommandError("--count must be at least 1.")
        self._make(count, seed, kind or [*KINDS], Device(device or settings.VALIDATION_DEVICE))

    def _make(self, count: int, seed: int, kinds: list[str], device: Device) -> None:
        # Import the harness late, because it takes long and `--list` does not need it.
        from validation.equivalence import open_harness
        from validation.repairs.check import check
        from validation.repairs.plant import plant
        from validation.repairs.store import passed_pairs, store, stored_traces

        pairs = passed_pairs(device)
        if not pairs:
            raise CommandError(
                f"No pair has passed a validation on {device}. First: "
                f"manage.py validate --pending --device {device} --now"
            )
        planted, kept = Counter[str](), Counter[str]()
        stored = list(stored_traces())
        known = Counter(name for _, name, _ in stored if name in kinds)
        added = 0
        bar = Bar(sys.stderr)
        with open_harness(device, {}) as harness:
            chosen = [KINDS[name] for name in kinds]
            check_in_pool = partial(check, pool=harness.pool)
            for attempt in plant(pairs, chosen, count, seed, check_in_pool, stored):
                name = attempt.candidate.kind.name
                planted[name] += 1
                kept[name] += attempt.is_kept
                added += store(attempt, device)
                bar.show("planting", known.total() + kept.total(), count)
        bar.end()
        self.stdout.write(f"{'kind':24} planted rejected stored before")
        for name in kinds:
            self.stdout.write(f"{name:24} {planted[name]:7,} {kept[name]:8,} {known[name]:13,}")
        self.stdout.write(
            f"{pluralize(added, 'trace')} stored, {known.total():,} known before, "
            f"from {pluralize(len(pairs), 'passed pair')}."
        )
