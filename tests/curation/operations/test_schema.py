"""The schema changes by `migrate` and `up` only, after a copy, and the copy is the way back."""

import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from django.conf import settings

from tests.curation.operations.house import PYTHON, environment, manage
from tests.curation.operations.test_backup import commands, python, shell, told
from tests.waiting import DEADLINE

pytestmark = pytest.mark.slow

ADA = "import django; django.setup(); from tests.factories import a_reviewer; a_reviewer()"
PREPARE = "import django; django.setup(); from curation.operations.startup import prepare as p; p()"


@pytest.fixture(scope="session")
def tomorrow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout of newer code: this one with one more migration."""
    checkout = tmp_path_factory.mktemp("tomorrow")
    root = Path(settings.BASE_DIR)
    for name in ("docs", "ingest", "validation", "templates", "static"):
        (checkout / name).symlink_to(root / name)
    # Copied, because Python resolves the link of a program and would import the curation beside it.
    shutil.copy(root / "manage.py", checkout)
    shutil.copytree(root / "curation", checkout / "curation")
    own = Path(__file__).with_name("migration_of_tomorrow.py")
    shutil.copy(own, checkout / "curation" / "migrations" / "9999_of_tomorrow.py")
    return checkout


@pytest.fixture
def data(tmp_path: Path, copy_of_prepared: Callable[[Path], Path]) -> Path:
    """The data folder of the documentation, in which this code has worked."""
    return copy_of_prepared(tmp_path / ".data")


def of_tomorrow(
    checkout: Path, data: Path, *arguments: str, limit: str = "unlimited"
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["bash", "-c", f'ulimit -f {limit}; exec "$@"', "-", PYTHON, "manage.py", *arguments],
        cwd=checkout,
        env=environment(data),
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )


def copies(data: Path) -> list[Path]:
    return sorted(data.glob("curation-before-migrating-*"))


def applied(database: Path) -> list[str]:
    with closing(sqlite3.connect(database)) as rows:
        return [name for (name,) in rows.execute("SELECT name FROM django_migrations")]


@pytest.mark.parametrize("command", ["list_pairs", "load_sources", "scheduler"])
def test_a_command_refuses_a_database_of_older_code_and_leaves_it(
    tomorrow: Path, data: Path, command: str
) -> None:
    refused = of_tomorrow(tomorrow, data, command)

    assert refused.returncode == 1
    assert refused.stderr == (
        f"The database {data}/curation.sqlite3 is older than this code. "
        "Stop everything that uses it, then run manage.py migrate.\n"
    )
    assert "9999_of_tomorrow" not in applied(data / "curation.sqlite3")


def test_the_documented_way_back_restores_the_database_of_older_code(
    tomorrow: Path, data: Path
) -> None:
    python(ADA, data)
    before = told(data)

    done = of_tomorrow(tomorrow, data, "migrate")

    [copy] = copies(data)
    assert done.returncode == 0, done.stderr
    assert f"the database was copied to {copy}." in done.stderr
    assert of_tomorrow(tomorrow, data, "list_pairs").returncode == 0
    assert "newer than this code" in manage(data, "list_pairs").stderr

    for line in commands("### Going back"):
        shell(line, data.parent)

    assert manage(data, "list_pairs").returncode == 0
    assert told(data) == before


def test_up_migrates_after_a_copy(tomorrow: Path, data: Path) -> None:
    subprocess.run(
        [PYTHON, "-c", PREPARE],
        cwd=tomorrow,
        env=environment(data, DJANGO_SETTINGS_MODULE="curation.settings"),
        check=True,
    )

    assert "9999_of_tomorrow" in applied(data / "curation.sqlite3")
    [copy] = copies(data)
    assert "9999_of_tomorrow" not in applied(copy)


def test_only_the_newest_copies_are_kept(tomorrow: Path, data: Path) -> None:
    older = [data / f"curation-before-migrating-2020010{day}-0-0.sqlite3" for day in range(1, 5)]
    for path in older:
        path.touch()

    of_tomorrow(tomorrow, data, "migrate")

    assert copies(data)[:2] == older[2:]
    assert len(copies(data)) == 3


def test_without_room_for_a_copy_nothing_is_migrated(tomorrow: Path, data: Path) -> None:
    done = of_tomorrow(tomorrow, data, "migrate", limit="200")

    assert done.returncode == 1
    [sentence] = [line for line in done.stderr.splitlines() if "could not be copied" in line]
    assert sentence.endswith("so nothing was migrated. Make room there, then try again.")
    assert "Traceback" not in done.stderr
    assert not copies(data)
    assert "9999_of_tomorrow" not in applied(data / "curation.sqlite3")
