"""Exports in a process of their own, which is killed while it writes.

`python -m tests.curation.export.killed STEP FOLDER` writes up to a step, says so and waits.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

from django.conf import settings
from django.db import connection


def killed(step: str, folder: Path) -> None:
    """Write `folder` in another process, on the database of this one, and kill it at a step."""
    database = str(connection.settings_dict["NAME"])
    if not connection.in_atomic_block:
        connection.close()
    variables = {
        "DJANGO_SETTINGS_MODULE": "tests.settings_of_another_process",
        "TEST_DATABASE": database,
    }
    with subprocess.Popen(
        [sys.executable, "-m", "tests.curation.export.killed", step, str(folder)],
        cwd=settings.BASE_DIR,
        env=os.environ | variables,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        assert process.stdout.readline() == "writing\n"
        process.kill()


def wait(*_: object) -> None:
    print("writing", flush=True)  # noqa: T201 - read by the test
    time.sleep(60)


def main(step: str, folder: Path) -> None:
    import django

    django.setup()
    from curation.export import dataset
    from curation.export.folder import new_folder
    from curation.export.options import ExportOptions

    match step:
        case "folder":
            with new_folder(folder) as half:
                (half / "half").write_text("written")
                wait()
        case "release":
            setattr(dataset, "write_card", wait)  # noqa: B010
            dataset.export(ExportOptions(without_benchmarks=True), folder, name="1")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
