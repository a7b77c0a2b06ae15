"""Start all processes on this machine: `python manage.py up [--port 8000]`."""

import os
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from curation.errors import CurationError
from curation.operations.privileges import become
from curation.operations.startup import up


class Command(BaseCommand):
    help = "Prepare the data folder and run Redis, web, workers and scheduler until stopped."
    # The started processes run Django's checks, and report their errors in the log.
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.epilog = "Example: manage.py up --port 8080"
        parser.add_argument(
            "--port",
            default=os.environ.get("PORT") or "8000",
            help="the port to serve the site on (default: %(default)s, from PORT)",
        )
        parser.add_argument(
            "--verbose",
            action="store_true",
            help="show every line of gunicorn, rq and Redis too, not only in the log file",
        )
        parser.add_argument(
            "--user",
            metavar="NAME",
            help="as root: give the data folder to this user, and run everything as it "
            "(default: the user that starts it)",
        )

    def handle(self, *, port: str, verbose: bool, user: str | None, **options: Any) -> None:
        if user:
            become(user, settings.DATA_DIR)
        try:
            up(port, verbose=verbose)
        except KeyboardInterrupt:
            raise CurationError("Stopped before anything was started.") from None
