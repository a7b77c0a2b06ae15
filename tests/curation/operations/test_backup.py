"""The commands of docs/operating.md bring a house back as it was: same rows, same export."""

import hashlib
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from tests.curation.operations.house import environment, manage

pytestmark = pytest.mark.slow

DOCS = (Path(settings.BASE_DIR) / "docs" / "operating.md").read_text()
FURNISH = """
import django; django.setup()
from django.core.management import call_command
from tests import factories as make
call_command("migrate", verbosity=0)
make.a_reviewer(username="ada")
for _ in range(3):
    make.a_provenance(kernel=make.an_approved_kernel())
"""
TOLD = """
import json, django; django.setup()
from django.apps import apps
print(json.dumps({model._meta.label: sorted(map(repr, model._base_manager.values_list()))
                  for model in apps.get_models(include_auto_created=True)
                  if model._meta.managed}))
"""


def commands(heading: str) -> list[str]:
    """The lines of the code blocks below a heading of the page."""
    section = DOCS.split(f"\n{heading}\n", 1)[1].split("\n#", 1)[0]
    return [
        line for block in re.findall(r"```\n(.*?)```", section, re.S) for line in block.splitlines()
    ]


def shell(command: str, folder: Path, **variables: str) -> None:
    subprocess.run(
        ["bash", "-euc", command],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8", **variables},
        check=True,
    )


def told(data: Path, **variables: str) -> str:
    return python(TOLD, data, **variables)


def python(program: str, data: Path, **variables: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=settings.BASE_DIR,
        env=environment(data, DJANGO_SETTINGS_MODULE="curation.settings", **variables),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def exported(data: Path, out: Path, **variables: str) -> dict[str, str]:
    done = manage(data, "export_dataset", "--out", str(out), **variables)
    assert done.returncode == 0, done.stderr
    return {
        str(path.relative_to(out)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in out.rglob("*")
        if path.is_file()
    }


@pytest.mark.skipif(not shutil.which("sqlite3"), reason="sqlite3 is Debian's, and not installed")
def test_a_sqlite_backup_taken_during_writes_can_be_restored(
    tmp_path: Path, migrated: Callable[[Path], Path]
) -> None:
    house, elsewhere = tmp_path / "house", tmp_path / "elsewhere"
    data = migrated(house / ".data")
    python(FURNISH, data)
    before, export = told(data), exported(data, tmp_path / "before")
    # Somebody is at work: what is in the log of SQLite, but not yet in its file, belongs to it.
    writer = sqlite3.connect(data / "curation.sqlite3")
    writer.execute("PRAGMA wal_autocheckpoint=0")
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("DELETE FROM curation_provenance")
    backup, restore = commands("### SQLite")

    shell(backup, house)
    writer.rollback()
    shutil.copytree(house, elsewhere, ignore=shutil.ignore_patterns("curation.sqlite3*"))
    shell(restore, elsewhere)

    assert told(elsewhere / ".data") == before
    assert exported(elsewhere / ".data", tmp_path / "after") == export


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="the tests run on SQLite")
def test_a_postgresql_dump_can_be_restored_into_an_empty_database(tmp_path: Path) -> None:
    url, names = os.environ["DATABASE_URL"].rpartition("/")[0], ("backup_old", "backup_new")
    old, new = (f"{url}/{name}" for name in names)
    backup, restore = commands("### PostgreSQL")
    try:
        for name in names:
            with connection.cursor() as cursor:
                cursor.execute(f"DROP DATABASE IF EXISTS {name}")
                cursor.execute(f"CREATE DATABASE {name}")
        python(FURNISH, tmp_path / "data", DATABASE_URL=old)
        before = told(tmp_path / "data", DATABASE_URL=old)
        export = exported(tmp_path / "data", tmp_path / "before", DATABASE_URL=old)

        shell(backup, tmp_path, DATABASE_URL=old)
        shell(restore, tmp_path, DATABASE_URL=new)

        assert told(tmp_path / "data", DATABASE_URL=new) == before
        assert exported(tmp_path / "data", tmp_path / "after", DATABASE_URL=new) == export
    finally:
        for name in names:
            with connection.cursor() as cursor:
                cursor.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
