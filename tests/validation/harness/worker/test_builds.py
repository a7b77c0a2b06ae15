"""The launchers of Triton up to 3.6 are built without optimization, and once a process."""

import ctypes
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from validation.harness.worker import builds

ANSWERS = '#include "answer.h"\nint answer(void) { return ANSWER; }\n'


@pytest.fixture
def headers(tmp_path: Path) -> Path:
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "answer.h").write_text("#define ANSWER 42\n")
    return tmp_path / "include"


def built(build: builds.Build, folder: Path, text: str, headers: Path) -> str:
    """Build as Triton does: in a new folder, which is removed once the file is read."""
    folder.mkdir()
    (folder / "launcher.c").write_text(text)
    source = str(folder / "launcher.c")
    return build("launcher", source, str(folder), [str(folder)], [str(headers)], ["c"])


def test_a_built_library_can_be_called(tmp_path: Path, headers: Path) -> None:
    path = built(builds.quick(), tmp_path / "one", ANSWERS, headers)
    assert path == str(tmp_path / "one" / f"launcher{builds.SUFFIX}")
    assert ctypes.CDLL(path).answer() == 42


def test_the_same_launcher_text_is_built_once(
    tmp_path: Path, headers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = builds.quick()
    first = built(build, tmp_path / "one", ANSWERS, headers)
    monkeypatch.setenv("CC", str(tmp_path / "none"))
    again = built(build, tmp_path / "two", ANSWERS, headers)
    assert Path(again).read_bytes() == Path(first).read_bytes()
    with pytest.raises(FileNotFoundError):
        built(build, tmp_path / "three", ANSWERS.replace("ANSWER;", "ANSWER + 1;"), headers)


def test_an_error_of_the_compiler_is_raised_each_time(
    tmp_path: Path, headers: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    build = builds.quick()
    for folder in ("one", "two"):
        with pytest.raises(subprocess.CalledProcessError):
            built(build, tmp_path / folder, "int answer(void) { return ", headers)
        assert "error" in capfd.readouterr().err


def test_a_missing_compiler_is_named(
    tmp_path: Path, headers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RuntimeError, match="no C compiler"):
        built(builds.quick(), tmp_path / "one", ANSWERS, headers)


@pytest.mark.parametrize(
    ("driver", "build", "taken"),
    [
        (SimpleNamespace(make_launcher=None), SimpleNamespace(impl=None), True),
        (SimpleNamespace(), SimpleNamespace(impl=None), False),
        (SimpleNamespace(make_launcher=None), SimpleNamespace(), False),
    ],
    ids=["builds launchers", "launches all by one", "accepts no other build"],
)
def test_the_build_hook_is_installed_only_for_triton_with_built_launchers(
    monkeypatch: pytest.MonkeyPatch, driver: SimpleNamespace, build: SimpleNamespace, taken: bool
) -> None:
    monkeypatch.setitem(sys.modules, "triton.knobs", SimpleNamespace(build=build))
    monkeypatch.setitem(sys.modules, "triton.backends.nvidia.driver", driver)
    builds.install()
    assert (getattr(build, "impl", None) is not None) is taken
