"""`manage.py make_repairs`: plant mistakes into passed pairs, and keep what the harness rejects."""

import sys
from collections import Counter
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from curation.management.arguments import device as device_argument
from curation.models import Device
from curation.progress_bar import Bar
from curation.text import pluralize
from validation.repairs.kinds import KINDS

DEVICES = (Device.CUDA.value, Device.INTERPRETER.value)


class Command(BaseCommand):
    help = (
        "Plant typical mistakes into pairs that passed their validation, and store those that the "
        "harness rejects as repair traces. A trace is stored once."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.epilog = "Example: manage.py make_repairs --count 50 --device interpreter"
        parser.add_argument(
            "--count", type=int, default=100, metavar="N",
            help="stop at N rejected mistakes (default: %(default)s)",
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
                self.stdout.write(f"{listed.name:24} {listed.why}")
            return
        if count < 1:
            raise CommandError("--count must be at least 1.")
        self._make(count, seed, kind or [*KINDS], Device(device or settings.VALIDATION_DEVICE))

    def _make(self, count: int, seed: int, kinds: list[str], device: Device) -> None:
        # The harness takes long to import, and `--list` does not need it.
        from validation.equivalence import open_harness
        from validation.repairs.plant import CHECKS, plant
        from validation.repairs.store import passed_pairs, store, stored_hashes

        pairs = passed_pairs(device)
        if not pairs:
            raise CommandError(
                f"No pair has passed a validation on {device}. First: "
                f"manage.py validate --pending --device {device} --now"
            )
        planted, kept = Counter[str](), Counter[str]()
        added = 0
        bar = Bar(sys.stderr)
        with open_harness(device, {"checks": CHECKS}) as harness:
            chosen = [KINDS[name] for name in kinds]
            for attempt in plant(pairs, chosen, count, seed, harness, stored_hashes):
                name = attempt.candidate.kind.name
                planted[name] += 1
                kept[name] += attempt.is_kept
                added += store(attempt, device)
                bar.show("planting", kept.total(), count)
        bar.end()
        self.stdout.write(f"{'kind':24} planted rejected")
        for name in kinds:
            self.stdout.write(f"{name:24} {planted[name]:7,} {kept[name]:8,}")
        self.stdout.write(
            f"{pluralize(added, 'trace')} stored, {kept.total() - added:,} known before, "
            f"from {pluralize(len(pairs), 'passed pair')}."
        )
