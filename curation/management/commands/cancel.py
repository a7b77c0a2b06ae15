"""`manage.py cancel validation:12`: cancel a run, on any worker."""

import getpass
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from curation.jobs.cancel import cancel
from curation.web.runs import find_run


class Command(BaseCommand):
    help = "Cancel queued or running runs. Their processes stop within seconds; results stay."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.epilog = "Example: manage.py cancel validation:12"
        parser.add_argument(
            "run", nargs="+", help="the name of a run as `runs` lists it, such as validation:12"
        )

    def handle(self, *, run: list[str], **_: Any) -> None:
        for label in run:
            run_to_cancel = find_run(label)
            cancel(run_to_cancel, name=f"{_user()} at a shell")
            self.stdout.write(f"{run_to_cancel.label} is cancelled.")


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        # In a container, the user id may have no name.
        return "an unknown user"
