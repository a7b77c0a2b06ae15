"""Two workers read different repositories that hold the same kernels, at the same time."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from curation.models import IngestRun, Kernel, Provenance, RunState

pytestmark = pytest.mark.slow

MANAGE = Path(settings.BASE_DIR) / "manage.py"


def test_parallel_ingests_store_a_shared_kernel_once_with_all_its_places(
    tmp_path: Path, transactional_db: None
) -> None:
    folders = [tmp_path / "one", tmp_path / "two", tmp_path / "three"]
    for number, folder in enumerate(folders):
        folder.mkdir()
        for file in range(20):
            # The same kernels under other paths, so that each worker meets them in another order.
            name = file if number == 0 else (19 - file if number == 1 else (file * 7) % 20)
            (folder / f"f{file:02}.py").write_text(
                "import triton\n\n\n"
                + "\n\n".join(
                    f"@triton.jit\ndef kernel_{name}_{n}(p):\n    pass\n" for n in range(5)
                )
            )
    workers = [_ingest(folder) for folder in folders]

    ended = [worker.communicate()[0] for worker in workers]

    assert [worker.returncode for worker in workers] == [0, 0, 0], ended
    assert set(IngestRun.objects.values_list("state", flat=True)) == {RunState.SUCCEEDED}
    assert Kernel.objects.count() == 100
    assert Provenance.objects.count() == 300


def _ingest(folder: Path) -> subprocess.Popen[str]:
    """A process of its own on the database that this test uses."""
    return subprocess.Popen(
        [sys.executable, MANAGE, "ingest", str(folder), "--now"],
        env={**os.environ, **_same_database()},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def _same_database() -> dict[str, str]:
    if connection.vendor == "sqlite":
        return {
            "DJANGO_SETTINGS_MODULE": "tests.settings_of_another_process",
            "TEST_DATABASE": str(connection.settings_dict["NAME"]),
            "PYTHONPATH": str(settings.BASE_DIR),
        }
    url, _, _ = os.environ["DATABASE_URL"].rpartition("/")
    return {"DATABASE_URL": f"{url}/{connection.settings_dict['NAME']}"}
