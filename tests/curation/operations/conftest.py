"""Data folders that are prepared once and copied."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.curation.operations.house import manage


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory, migrated: Callable[[Path], Path]) -> Path:
    """A data folder with an up-to-date database, in which somebody may log in."""
    folder = migrated(tmp_path_factory.mktemp("prepared") / "data")
    first = "from curation.operations.first_curator import create_first_curator as it; it()"
    made = manage(folder, "shell", "--verbosity", "0", "--command", first)
    assert made.returncode == 0, made.stderr
    return folder


@pytest.fixture(scope="session")
def copy_of_prepared(prepared: Path) -> Callable[[Path], Path]:
    def copy(target: Path) -> Path:
        shutil.copytree(prepared, target)
        return target

    return copy
