"""Gates as data: a TOML file with a version, and a threshold and an action for each gate."""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast, get_args

from ingest.quality.measures import MEASURES

Action = Literal["block", "warn", "note"]
DEFAULT = Path(__file__).with_name("default.toml")


class InvalidProfile(ValueError):
    """A profile is invalid; the message names the file, the gate and the reason."""


@dataclass(frozen=True, slots=True)
class Gate:
    """A gate that values from `least` to `most` pass, both included."""

    name: str
    action: Action
    least: float | None = None
    most: float | None = None
    entries_only: bool = False
    """Whether the gate skips helpers, which kernels call and no host code launches."""


@dataclass(frozen=True, slots=True)
class Profile:
    version: str
    gates: tuple[Gate, ...]


@functools.cache
def default_profile() -> Profile:
    return load_profile(DEFAULT)


def load_profile(path: Path) -> Profile:
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidProfile(f"{path} is no valid TOML: {error}.") from error
    version, gates = data.get("version"), data.get("gates")
    if not isinstance(version, str) or not isinstance(gates, dict):
        raise InvalidProfile(f"{path} needs a `version` and a table for each gate: [gates.<name>].")
    return Profile(version, tuple(_gate(path, name, table) for name, table in gates.items()))


def _gate(path: Path, name: str, table: object) -> Gate:
    location = f"{path}, gate {name}"
    if name not in MEASURES:
        raise InvalidProfile(f"{location}: there is no such gate; there are {', '.join(MEASURES)}.")
    if not isinstance(table, dict) or table.get("action") not in get_args(Action):
        raise InvalidProfile(f"{location}: `action` must be one of {', '.join(get_args(Action))}.")
    unknown = table.keys() - {"action", "least", "most", "entries_only"}
    if unknown:
        raise InvalidProfile(f"{location}: unknown key {', '.join(sorted(unknown))}.")
    for bound in ("least", "most"):
        if not isinstance(table.get(bound, 0), (int, float)):
            raise InvalidProfile(f"{location}: `{bound}` must be a number.")
    return Gate(
        name,
        cast(Action, table["action"]),
        table.get("least"),
        table.get("most"),
        bool(table.get("entries_only", False)),
    )
