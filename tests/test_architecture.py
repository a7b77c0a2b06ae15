"""Rules of the architecture: imports between packages, what no process loads, size of files."""

import subprocess
import sys
from pathlib import Path

from django.conf import settings

LONGEST = 350
# Each is one recursive reader of syntax, whose methods share their state.
LONGER = {"validation/compile/uses.py"}


def test_the_import_contracts_hold() -> None:
    checked = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=settings.BASE_DIR,
        capture_output=True,
        text=True,
        check=False,
    )

    assert checked.returncode == 0, checked.stdout


def test_web_ingest_and_queue_never_load_torch() -> None:
    program = (
        "import sys, os; os.environ['DJANGO_SETTINGS_MODULE'] = 'tests.settings';"
        "import django; django.setup();"
        "import curation.urls, curation.wsgi, ingest.jobs, curation.export.folder, validation.jobs;"
        "sys.exit(bool({'torch', 'triton'} & set(sys.modules)))"
    )

    assert subprocess.run([sys.executable, "-c", program], cwd=settings.BASE_DIR).returncode == 0


def test_no_file_of_the_product_is_too_long() -> None:
    root = Path(settings.BASE_DIR)
    files = [
        path.relative_to(root).as_posix()
        for package in ("curation", "ingest", "validation")
        for path in (root / package).rglob("*.py")
        if "migrations" not in path.parts and len(path.read_text().splitlines()) > LONGEST
    ]

    assert set(files) == LONGER
