"""Git's configuration format, read and written by GitPython, without a git process or includes."""

import os
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

# GitPython looks for git when it is imported, and would fail there without a clear message.
os.environ.setdefault("GIT_PYTHON_REFRESH", "quiet")

from git.config import GitConfigParser


def write_settings(path: Path, settings: Mapping[tuple[str, str], str]) -> None:
    """Set each (section, name) to its value in the file at `path`."""
    with GitConfigParser(path, read_only=False, merge_includes=False) as parser:
        for (section, name), value in settings.items():
            parser.set_value(section, name, value)


def read_sections(data: bytes) -> list[dict[str, str]]:
    """Return the settings of each section; empty if the text is no configuration."""
    parser = GitConfigParser(_Text(data), read_only=True, merge_includes=False)
    try:
        return [
            {name: str(value) for name, value in parser.items(section)}
            for section in parser.sections()
        ]
    except Exception:  # noqa: BLE001 - a hostile text may make the parser fail in any way
        return []


class _Text(BytesIO):
    name = "configuration"  # the parser quotes it in its messages
