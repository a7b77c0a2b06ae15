"""One pytest session in this process, over an entry's folder and nothing else."""

import os
from pathlib import Path
from typing import Any

import pytest


def run_pytest(folder: Path, plugin: Any) -> int:
    arguments = [
        str(folder / "test_code.py"), "--rootdir", str(folder), "--confcutdir", str(folder),
        "-c", os.devnull, "-q",
        "-p", "no:cacheprovider", "-p", "no:doctest", "-p", "no:junitxml", "-p", "no:pastebin",
        "-p", "no:faulthandler", "-p", "no:threadexception", "-p", "no:unraisableexception",
        "--tb=short", "--capture=sys",
    ]  # fmt: skip
    before = Path.cwd()
    os.chdir(folder)
    try:
        return int(pytest.main(arguments, plugins=[plugin]))
    finally:
        os.chdir(before)
