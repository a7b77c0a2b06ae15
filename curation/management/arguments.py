"""Arguments that several commands share."""

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from curation.models import Device
from curation.pairs.draft import Source

# Other names that people type for a device.
ALIASES = {"gpu": Device.CUDA.value}


def device(text: str) -> str:
    """Return the device that `text` names. `argparse` then checks that it is a choice."""
    return ALIASES.get(text, text)


def at_least_one(text: str) -> int:
    """Parse an integer of at least 1. If this fails, `argparse` shows the error's message."""
    if not (text.isascii() and text.isdigit()) or int(text) < 1:
        raise ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


def output_file(text: str) -> Path:
    """Return the path of a file to write. Refuse it before any work if it can't be written."""
    path = Path(text).expanduser()
    if not path.parent.is_dir():
        raise ArgumentTypeError(f"there is no folder {path.parent} to write the file into")
    if path.is_dir():
        raise ArgumentTypeError(f"{path} is a folder: name a file in it")
    return path


# Options of a command that reads code whose source a person states.
STATED = {
    "repository": "the repository of the model, such as owner/name",
    "commit": "its commit",
    "license": "its license, as an SPDX expression; without one no record leaves",
    "copyright": "its copyright line",
}


def add_stated_source(parser: ArgumentParser) -> None:
    for name, words in STATED.items():
        parser.add_argument(f"--{name}", default="", help=f"{words} (default: not stated)")


def stated_source(options: Mapping[str, Any]) -> Source:
    return Source(**{name: options[name] for name in STATED})
