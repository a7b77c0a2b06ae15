"""Git's configuration format, read and written by GitPython: no git process, no includes."""

import os
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any


def write_settings(path: Path, settings: Mapping[tuple[str, str], str]) -> None:
    """Set each (section, name) to its value in the file at `path`."""
    with _parser(path, read_only=False) as parser:
        for (section, name), value in settings.items():
            parser.set_value(section, name, value)


def read_sections(data: bytes) -> list[dict[str, str]]:
    """Return the settings of each section, or an empty list if the text is no configuration."""
    parser = _parser(_Text(data), read_only=True)
    try:
        return [
            {name: str(value) for name, value in parser.items(section)}
            for section in parser.sections()
        ]
    except Exception:  # noqa: BLE001 - a hostile text may make the parser fail in any way
        return []


def _parser(file: Path | BytesIO, *, read_only: bool) -> Any:
    # At import, GitPython searches for git. If git is missing, it fails with an unclear message.
    os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")
    # Imported late, because each start of Django imports this module and needs no GitPython.
    from git.config import GitConfigParser

    return GitConfigParser(file, read_only=read_only, merge_includes=False)


class _Text(BytesIO):
    name = "configuration"  # GitPython's parser quotes it in its messages
