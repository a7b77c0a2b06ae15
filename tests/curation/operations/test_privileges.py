"""`up` as root: it says so, or runs everything as a user that was named."""

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.conf import settings

from tests.curation.operations.house import house, manage

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can give rights away"),
    pytest.mark.slow,
]

USER, NUMBER = "nobody", 65534
PACKAGES = sysconfig.get_path("purelib")


@contextmanager
def folder_for_all() -> Iterator[Path]:
    """A folder that every user reaches: pytest's own are closed."""
    path = Path(tempfile.mkdtemp(prefix="for-all-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


@pytest.fixture
def folder() -> Iterator[Path]:
    with folder_for_all() as path:
        yield path


@pytest.fixture(scope="module")
def python() -> Iterator[Path]:
    """An interpreter that every user may run. The one that runs the tests may be in root's home."""
    # A file that a command such as makemigrations wrote here is closed until git writes it again.
    checkout = Path(settings.BASE_DIR)
    closed = [path for path in checkout.glob("curation/**/*.py") if not path.stat().st_mode & 0o004]
    for path in (Path(PACKAGES), checkout / "manage.py", *closed):
        if subprocess.run(["test", "-r", path], user=NUMBER, group=NUMBER, check=False).returncode:
            pytest.skip(f"user {USER} can't read {path}")
    with folder_for_all() as folder:
        base = folder / "base"
        # With the bytecode, which the user could not write: each process would compile anew.
        shutil.copytree(sys.base_prefix, base, copy_function=_link, symlinks=True, ignore=_BULK)
        made = environment(folder / "python", base / "bin" / Path(sys.executable).resolve().name)
        subprocess.run(["chmod", "-R", "a+rX", folder / "python"], check=True)
        yield made


def library(python: Path) -> dict[str, str]:
    """The search path for the interpreter's shared library: its usual folder may be closed."""
    return {"LD_LIBRARY_PATH": str(python.parents[2] / "base" / "lib")}


_BULK = shutil.ignore_patterns("test", "tests", "site-packages", "*.a")


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def environment(folder: Path, base: Path) -> Path:
    """A virtual environment of `base` with the packages of this one."""
    subprocess.run([base, "-m", "venv", "--without-pip", folder], check=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    (packages / "ours.pth").write_text(f"{PACKAGES}\n")
    script = folder / "bin" / "gunicorn"
    script.write_text(f"#!{folder}/bin/python\nfrom gunicorn.app.wsgiapp import run\nrun()\n")
    script.chmod(0o755)
    return folder / "bin" / "python"


def owners(pids: list[int]) -> set[str]:
    found = set()
    for pid in pids:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith(("Uid:", "Gid:", "Groups:")):
                found |= set(line.split()[1:])
    return found


def test_up_as_root_runs_all_processes_as_the_given_user(
    folder: Path, python: Path, copy_of_prepared: Callable[[Path], Path]
) -> None:
    data = copy_of_prepared(folder / "data")
    (data / "exports").mkdir()
    (data / "exports" / "of-root").touch()
    elsewhere = folder / "elsewhere"
    elsewhere.touch()
    (data / "link").symlink_to(elsewhere)
    os.link(elsewhere, data / "second-name")

    with house(data, arguments=("--user", USER), python=python, **library(python)) as one:
        assert owners(one.processes()) == {str(NUMBER)}
        assert "Running as root" not in one.output()
        passed_over = {"second-name"}
        for path in [data, *data.rglob("*")]:
            assert path.lstat().st_uid == (0 if path.name in passed_over else NUMBER), path
        assert elsewhere.stat().st_uid == 0


def test_up_refuses_an_unknown_user_with_a_sentence(tmp_path: Path) -> None:
    done = manage(tmp_path / "data", "up", "--user", "no-such-user")

    assert done.returncode == 1
    assert done.stderr.startswith("There is no user no-such-user on this machine.")


def test_up_names_an_interpreter_that_the_given_user_can_not_run(folder: Path) -> None:
    closed = folder / "closed"
    closed.mkdir(mode=0o700)
    python = environment(closed / "python", Path(sys.executable))

    done = manage(folder / "data", "up", "--user", USER, python=python)

    assert done.returncode == 1
    assert f"User {USER} can't read {python}" in done.stderr


def test_up_refuses_the_user_option_without_root(folder: Path, python: Path) -> None:
    done = subprocess.run(
        [python, settings.BASE_DIR / "manage.py", "up", "--user", "root"],
        env={"CURATION_DATA": str(folder / "data"), "SECRET_KEY": "k" * 50, **library(python)},
        capture_output=True, text=True, check=False,
        user=NUMBER, group=NUMBER, extra_groups=(),
    )  # fmt: skip

    assert done.returncode == 1
    assert done.stderr == "Only root can run as another user: leave out --user root.\n"
