"""An ingest whose process is killed by -9 at random moments ends, rerun, as if undisturbed."""

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings

pytestmark = pytest.mark.slow

# In small batches, so that few kernels are stored in many transactions.
INGEST = """
import sys, django
django.setup()
from django.core.management import call_command
from ingest.persist import ledger
ledger.BATCH = 16
# Whole each time: one that came to its end would leave the next ones nothing to do.
call_command("ingest", sys.argv[1], now=True, again=True)
"""
FILES = 20
TABLES = {
    "sourcefile": 'path, blob_hash, "commit", retired_at IS NULL',
    "sourcetext": "sha256",
    "kernel": "content_hash, status, standalone",
    "provenance": "source_file_id IS NOT NULL, start_line, end_line, qualname, sha256",
    "drop": "path, reason",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of four kernels: seven batches of files and kernels."""
    folder = tmp_path_factory.mktemp("many")
    for file in range(FILES):
        kernels = "".join(
            f"\n\n@triton.jit\ndef kernel_{file}_{n}(p, n, BLOCK: tl.constexpr):\n"
            f"    at = tl.arange(0, BLOCK)\n    tl.store(p + at, at * {n}, mask=at < n)\n"
            for n in range(4)
        )
        (folder / f"file_{file}.py").write_text(
            f"import triton\nimport triton.language as tl\n{kernels}"
        )
    return folder


def start(data: Path, folder: Path) -> subprocess.Popen[bytes]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return subprocess.Popen(
        [sys.executable, "-c", INGEST, str(folder)],
        cwd=settings.BASE_DIR,
        env={
            **kept,
            "CURATION_DATA": str(data),
            "DJANGO_SETTINGS_MODULE": "curation.settings",
            "LEASE_SECONDS": "1",
            "MOST_ATTEMPTS": "99",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        process_group=0,
    )


def undisturbed(data: Path, folder: Path) -> float:
    began = time.monotonic()
    assert start(data, folder).wait() == 0
    return time.monotonic() - began


def rows(data: Path) -> dict[str, list[tuple[object, ...]]]:
    with sqlite3.connect(data / "curation.sqlite3") as database:
        return {
            table: sorted(database.execute(f"SELECT {columns} FROM curation_{table}"))  # noqa: S608
            for table, columns in TABLES.items()
        }


def test_an_ingest_killed_at_random_moments_ends_with_the_same_rows(
    folder: Path,
    tmp_path: Path,
    migrated: Callable[[Path], Path],
    pytestconfig: pytest.Config,
) -> None:
    """Kill it four times, or ten times with --every-variant."""
    kills = 10 if pytestconfig.getoption("--every-variant") else 4
    # Their tables are there, so that what is killed is the ingest.
    for name in ("calm", "killed"):
        migrated(tmp_path / name)
    # Too long, if this start had to compile every module: then one that ends corrects it.
    seconds = undisturbed(tmp_path / "calm", folder)
    chance = random.Random(20)  # noqa: S311
    killed = 0

    for _ in range(4 * kills):
        began, ingest = time.monotonic(), start(tmp_path / "killed", folder)
        try:
            # What comes before is the start of Python.
            ingest.wait(chance.uniform(0.6, 0.95) * seconds)
            # It came to its end: the machine is quicker than it was.
            seconds = time.monotonic() - began
        except subprocess.TimeoutExpired:
            os.killpg(ingest.pid, signal.SIGKILL)
            ingest.wait()
            killed += 1
        time.sleep(1.1)  # the lease of who was killed
        if killed == kills:
            break

    last = start(tmp_path / "killed", folder)
    output, _ = last.communicate()
    assert last.returncode == 0, output
    assert killed == kills
    assert rows(tmp_path / "killed") == rows(tmp_path / "calm")
    assert len(rows(tmp_path / "killed")["kernel"]) == 4 * FILES
