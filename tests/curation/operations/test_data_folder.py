"""The data folder is for its owner alone, whatever it was before."""

import logging
import os
import socket
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from curation.operations import data_folder
from tests.curation.operations.house import manage


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


@pytest.fixture
def opened(tmp_path: Path, copy_of_prepared: Callable[[Path], Path]) -> Path:
    """A data folder that a person has opened: it and its files are readable by all users."""
    folder = copy_of_prepared(tmp_path / "data")
    (folder / "exports").mkdir()
    (folder / "exports" / "export-1.tar.gz").touch()
    (folder / "up.log").touch()
    (tmp_path / "elsewhere").mkdir()
    (folder / "mirrors").symlink_to(tmp_path / "elsewhere")
    for path in [*folder.rglob("*"), tmp_path / "elsewhere", folder]:
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() else 0o644)
    return folder


@pytest.mark.slow
def test_up_makes_an_existing_data_folder_private_to_its_owner(opened: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        refused = manage(opened, "up", "--port", str(taken.getsockname()[1]))

    assert "can't be used" in refused.stderr
    assert mode(opened) == 0o700
    # A link's target is outside of the data folder: its mode is kept.
    assert mode(opened.parent / "elsewhere") == 0o755


@pytest.mark.slow
def test_a_storing_command_makes_the_data_folder_private(opened: Path) -> None:
    done = manage(opened, "load_sources")

    assert done.returncode == 0, done.stderr
    assert mode(opened) == 0o700


def test_every_process_creates_files_readable_only_by_its_user(tmp_path: Path) -> None:
    # As under an init system: gunicorn loads this, and no command comes before.
    script = (
        "import os; os.umask(0o022); import curation.wsgi; "
        "open(os.environ['CURATION_DATA'] + '/fresh', 'w').close()"
    )
    subprocess.run(
        [sys.executable, "-c", script],
        env={"PATH": os.environ["PATH"], "CURATION_DATA": str(tmp_path / "data")},
        check=True,
    )

    assert mode(tmp_path / "data" / "fresh") == 0o600


@pytest.mark.slow
def test_the_first_command_may_be_an_export_whose_dataset_others_can_read(tmp_path: Path) -> None:
    done = manage(tmp_path / "data", "export_dataset", "--out", str(tmp_path / "new" / "out"))

    assert done.returncode == 0, done.stderr
    assert mode(tmp_path / "new") == mode(tmp_path / "new" / "out") == 0o755
    assert mode(tmp_path / "new" / "out" / "MANIFEST.json") == 0o644


def test_the_mode_of_a_data_folder_with_foreign_files_is_unchanged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "public_html").mkdir(mode=0o755)
    tmp_path.chmod(0o755)

    with caplog.at_level(logging.WARNING):
        data_folder.create(tmp_path)
        data_folder.close(tmp_path)

    assert mode(tmp_path) == 0o755
    assert "it also holds public_html" in caplog.text


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a folder to another user")
def test_a_data_folder_of_another_user_gives_a_sentence(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    folder.chmod(0o777)
    tmp_path.chmod(0o755)
    child = os.fork()
    if not child:
        code = 1
        try:
            with open(tmp_path / "said", "w", opener=_for_all) as said:
                os.chdir(tmp_path)
                os.setuid(65534)
                data_folder.log.addHandler(logging.StreamHandler(said))
                data_folder.close(Path("data"))
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)

    assert status == 0
    assert "Operation not permitted for user 65534" in (tmp_path / "said").read_text()
    assert mode(folder) == 0o777


def _for_all(path: str, flags: int) -> int:
    return os.open(path, flags, 0o666)
