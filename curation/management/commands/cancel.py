"""`manage.py cancel validation:12`: end a run, wherever it is carried out."""

import getpass
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from curation.queue.cancel import cancel
from curation.review.runs import KINDS, find_run


class Command(BaseCommand):
    help = "Cancel queued or running runs. Their processes stop within seconds; results stay."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.epilog = "Example: manage.py cancel validation:12"
        parser.add_argument(
            "run", nargs="+", help=f"{', '.join(KINDS)}, “:” and a number, as `runs` lists them"
        )

    def handle(self, *, run: list[str], **_: Any) -> None:
        for label in run:
            wanted = find_run(label)
            cancel(wanted, name=f"{_user()} at a shell")
            self.stdout.write(f"{wanted.label} is cancelled.")


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        # A container may run under a number that has no name.
        return "somebody"
