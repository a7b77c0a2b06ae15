"""`manage.py list_kernels`: print one line for each occurrence of a kernel in a file."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from ingest.report import kernels_of
from ingest.sources import chosen


class Command(BaseCommand):
    help = "List the kernels of a source (default: all) with their evidence."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.epilog = "Example: manage.py list_kernels --repository triton-lang/triton --json"
        parser.add_argument(
            "--repository", help="the name, URL or path that `ingest` took (default: all)"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object a line")

    def handle(self, *, repository: str | None, **options: Any) -> None:
        for kernel in kernels_of(chosen(repository)):
            if options["json"]:
                self.stdout.write(json.dumps(kernel))
            else:
                place = f"{kernel['path']}:{kernel['start']}-{kernel['end']}"
                standalone = "standalone" if kernel["standalone"] else "not standalone"
                self.stdout.write(
                    f"{place}  {kernel['qualname']}  {kernel['language']} {kernel['kind']}, "
                    f"{standalone}, {kernel['status']}"
                )
