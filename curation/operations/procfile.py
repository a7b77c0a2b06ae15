"""Procfile parser: one `name: VARIABLE=value program argument` a line, without a shell."""

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field

from curation.errors import CurationError

LINE = re.compile(r"(?P<name>[A-Za-z0-9_-]+)\s*:\s*(?P<command>\S.*)")
VARIABLE = re.compile(r"(?P<name>[A-Za-z_][A-Za-z0-9_]*)=(?P<value>.*)", re.DOTALL)


class ProcfileUnreadable(CurationError):
    """A line of the Procfile is malformed."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program of the Procfile: its name in the log, command and environment variables."""

    name: str
    arguments: tuple[str, ...]
    variables: Mapping[str, str] = field(default_factory=dict)


def parse(text: str) -> list[Program]:
    """Return the programs of a Procfile in order."""
    programs: dict[str, Program] = {}
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        program = _program(line, f"Line {number} of the Procfile")
        if program.name in programs:
            raise ProcfileUnreadable(
                f"Line {number} of the Procfile names {program.name} a second time: "
                "give each process its own name."
            )
        programs[program.name] = program
    if not programs:
        raise ProcfileUnreadable("The Procfile names no process: write lines like `web: gunicorn`.")
    return list(programs.values())


def _program(line: str, where: str) -> Program:
    match = LINE.fullmatch(line)
    if match is None:
        raise ProcfileUnreadable(f"{where} is {line!r}: write `name: command`.")
    try:
        words = shlex.split(match["command"])
    except ValueError as error:
        raise ProcfileUnreadable(f"{where} can't be split into words: {error}.") from error
    variables: dict[str, str] = {}
    while words and (setting := VARIABLE.fullmatch(words[0])):
        variables[setting["name"]] = setting["value"]
        del words[0]
    if not words:
        raise ProcfileUnreadable(f"{where} sets variables, but names no command.")
    return Program(match["name"], tuple(words), variables)
