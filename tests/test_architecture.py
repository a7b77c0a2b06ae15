"""The floors of the house: who may import whom, and what no process may carry."""

import subprocess
import sys
from pathlib import Path

from django.conf import settings


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
