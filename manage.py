#!/usr/bin/env python
"""The command line: `python manage.py up` runs everything, `help` lists the rest."""

import os
import sys

from curation.errors import CurationError
from curation.operations.data_folder import check_database
from curation.operations.logs import complain, write_tracebacks_as_lines

# These work on the schema itself, or without any.
WITHOUT_DATABASE = {
    "check", "collectstatic", "help", "makemigrations", "makemessages", "migrate",
    "showmigrations", "sqlmigrate", "squashmigrations", "test", "testserver", "up", "version",
}  # fmt: skip

# These leave their work to the workers of `up`, unless --now is given.
QUEUING = {"ingest", "recheck", "validate"}
# These only read or change what others have stored.
READING = {
    "cancel", "diff_releases", "list_kernels", "list_pairs", "report", "retry", "runs",
}  # fmt: skip


def main() -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "curation.settings")
    write_tracebacks_as_lines()
    try:
        from django.core.management import execute_from_command_line

        command = sys.argv[1] if len(sys.argv) > 1 else "help"
        if command not in WITHOUT_DATABASE and not {"-h", "--help", "--version"} & set(sys.argv):
            _refuse_empty_data_folder(command)
            import django

            django.setup()
            from curation.operations.database import prepare

            prepare()
        execute_from_command_line(sys.argv)
    except CurationError as error:
        complain(str(error))
        return 1
    except KeyboardInterrupt:
        complain("Stopped.")
        return 130
    except BrokenPipeError:
        # Somebody reads only the first lines. Python would complain once more when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _refuse_empty_data_folder(command: str) -> None:
    if command in QUEUING and "--now" not in sys.argv:
        check_database("start manage.py up, or add --now")
    elif command in READING:
        check_database("or start manage.py up")


if __name__ == "__main__":
    sys.exit(main())
