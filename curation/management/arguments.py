"""Arguments that several commands share."""

from argparse import ArgumentTypeError
from pathlib import Path

from curation.models import Device

# Other names that people type for a device.
ALIASES = {"gpu": Device.CUDA.value}


def device(text: str) -> str:
    """Return the device that `text` names; `argparse` compares it with the choices."""
    return ALIASES.get(text, text)


def at_least_one(text: str) -> int:
    """Return the number that `text` writes. `argparse` shows the sentence of a refusal."""
    if not (text.isascii() and text.isdigit()) or int(text) < 1:
        raise ArgumentTypeError(f"{text!r} is not a whole number of at least 1")
    return int(text)


def output_file(text: str) -> Path:
    """Return the path of a file to write, refused before any work if that can't succeed."""
    path = Path(text).expanduser()
    if not path.parent.is_dir():
        raise ArgumentTypeError(f"there is no folder {path.parent} to write the file into")
    if path.is_dir():
        raise ArgumentTypeError(f"{path} is a folder: name a file in it")
    return path
