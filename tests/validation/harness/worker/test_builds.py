"""The launchers of Triton 3.5 and 3.6 are built without optimization, and once a process."""

import ctypes
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from triton.runtime import build

from validation.harness.worker import builds

ANSWERS = '#include "answer.h"\nint answer(void) { return ANSWER; }\n'
DRIVER = "triton.backends.nvidia.driver"
Build = Callable[[Path, str], str]


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Build:
    """Build as Triton does: in a new folder, which is removed once the file is read."""
    (tmp_path / "answer.h").write_text("#define ANSWER 42\n")
    monkeypatch.setattr(build, "_build", build._build)
    monkeypatch.setitem(sys.modules, DRIVER, SimpleNamespace(make_launcher=None))
    builds.install()

    def made(folder: Path, text: str) -> str:
        folder.mkdir()
        (folder / "launcher.c").write_text(text)
        source, paths = str(folder / "launcher.c"), ([str(folder)], [str(tmp_path)], ["c"])
        return str(build._build("launcher", source, str(folder), *paths, []))

    return made


def test_a_built_library_can_be_called(tmp_path: Path, built: Build) -> None:
    path = built(tmp_path / "one", ANSWERS)
    assert path == str(tmp_path / "one" / f"launcher{builds.SUFFIX}")
    assert ctypes.CDLL(path).answer() == 42


def test_a_library_is_built_without_optimization(
    tmp_path: Path, built: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[list[str]] = []
    compiles: Any = subprocess.check_call

    def noted(words: list[str], **_: Any) -> None:
        commands.append(words)
        compiles(words)

    monkeypatch.setattr(subprocess, "check_call", noted)
    built(tmp_path / "one", ANSWERS)
    assert [word for word in commands[0] if word.startswith("-O")][-1] == "-O0"


def test_the_same_launcher_text_is_built_once(
    tmp_path: Path, built: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = built(tmp_path / "one", ANSWERS)
    monkeypatch.setattr(subprocess, "check_call", _without_compiler)
    again = built(tmp_path / "two", ANSWERS)
    assert Path(again).read_bytes() == Path(first).read_bytes()
    with pytest.raises(FileNotFoundError):
        built(tmp_path / "three", ANSWERS.replace("ANSWER;", "ANSWER + 1;"))


def test_an_error_of_the_compiler_is_raised_each_time(
    tmp_path: Path, built: Build, capfd: pytest.CaptureFixture[str]
) -> None:
    for folder in ("one", "two"):
        with pytest.raises(subprocess.CalledProcessError):
            built(tmp_path / folder, "int answer(void) { return ")
        assert "error" in capfd.readouterr().err


def _without_compiler(*_: Any, **__: Any) -> None:
    raise FileNotFoundError


def _with_options(name: str, src: str, ccflags: list[str]) -> str:
    return name


def _without_options(name: str, src: str) -> str:
    return name


@pytest.mark.parametrize(
    ("driver", "function", "taken"),
    [
        (SimpleNamespace(make_launcher=None), _with_options, True),
        (SimpleNamespace(), _with_options, False),
        (SimpleNamespace(make_launcher=None), _without_options, False),
    ],
    ids=["builds launchers", "launches all by one", "accepts no options"],
)
def test_only_a_triton_that_builds_launchers_is_changed(
    monkeypatch: pytest.MonkeyPatch, driver: SimpleNamespace, function: Any, taken: bool
) -> None:
    monkeypatch.setattr(build, "_build", function)
    monkeypatch.setitem(sys.modules, DRIVER, driver)
    builds.install()
    assert (build._build is not function) is taken
