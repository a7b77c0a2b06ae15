"""Startup of `up`: checks, preparation, supervision and the welcome message."""

import os
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from io import StringIO
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import connections
from django.http.request import validate_host
from django.urls import reverse

from curation.operations import (
    address,
    data_folder,
    database,
    first_curator,
    leftovers,
    privileges,
    redis_server,
)
from curation.operations.address import SiteAddress
from curation.operations.console import Console, log_file
from curation.operations.process import Process, Program, read_procfile
from curation.operations.supervisor import StartupStage, Supervisor
from curation.sources.load import load_sources

# Seconds until leftover processes are killed. They got SIGTERM, but a job could take hours.
LEFTOVER_SECONDS = 5.0


def up(port: str, *, verbose: bool = False) -> None:
    """Check, prepare and run everything until a person stops it.

    `verbose` shows every line of every process on the terminal.
    """
    place = address.read(os.environ.get("HOST", "127.0.0.1"), port)
    folder: Path = settings.DATA_DIR
    programs = read_procfile((settings.BASE_DIR / "Procfile").read_text())
    names = [program.name for program in programs]
    if settings.EMBEDDED_REDIS:
        names.insert(0, redis_server.NAME)
    data_folder.create(folder)
    data_folder.close(folder)
    with address.hold_lock(folder, place.url):
        # A log collector needs all lines.
        verbose = verbose or settings.LOG_FORMAT == "json"
        console = Console(sys.stdout, names, log_file(folder), verbose=verbose)
        if os.geteuid() == 0:
            console.say(privileges.AS_ROOT)
        _end_leftovers(folder, console)
        place.check_free()
        stages = _stages(folder, place, programs, console)
        console.say(f"Preparing {folder}.")
        prepare()
        console.say(f"Starting {', '.join(names)} on {folder}.")
        Supervisor(stages, console, partial(_welcome, console, place, folder)).run()
        console.say("Everything is stopped.")


def prepare() -> None:
    """Migrate the database, load the known sources and collect the static files."""
    database.migrate()
    load_sources()
    call_command("collectstatic", interactive=False, verbosity=0)
    # Supervision may run for hours and needs no connection.
    connections.close_all()


def _end_leftovers(folder: Path, console: Console) -> None:
    if left := leftovers.find(folder):
        console.say(f"Ending {len(left)} processes left by a killed `up`.")
        leftovers.wait_and_kill(folder, LEFTOVER_SECONDS)


def _stages(
    folder: Path, place: SiteAddress, programs: Sequence[Program], console: Console
) -> list[StartupStage]:
    """Return the stages: Redis first, if embedded, then the Procfile."""
    supervised = partial(
        Process,
        environment=environment(os.environ, folder, place),
        folder=settings.BASE_DIR,
        data_folder=folder,
    )
    stages = []
    if settings.EMBEDDED_REDIS:
        listening_on: Path = settings.REDIS_SOCKET
        chosen = redis_server.choose(console.say)
        server = supervised(redis_server.program(folder, listening_on, chosen))
        stages.append(StartupStage([server], partial(_redis_lacks, listening_on)))
    else:
        console.say(f"The queue runs on {redis_server.check_named(settings.REDIS_URL)}.")
    lacks = partial(place.lacks, host_header(place))
    stages.append(StartupStage([supervised(program) for program in programs], lacks))
    return stages


def environment(ours: Mapping[str, str], folder: Path, place: SiteAddress) -> dict[str, str]:
    """Return the environment of every process."""
    bin_folder = os.path.dirname(sys.executable)
    return {
        **ours,
        # Plain HTTP is served; a proxy that ends TLS sets HTTPS=1.
        "HTTPS": ours.get("HTTPS") or "0",
        "PORT": str(place.port),
        "PYTHONUNBUFFERED": "1",
        # A relative folder would be resolved in the processes' working directory.
        "CURATION_DATA": str(folder),
        # `python` and `gunicorn` come from this environment, even if the venv is not activated.
        "PATH": os.pathsep.join(filter(None, [bin_folder, ours.get("PATH", os.defpath)])),
    }


def _redis_lacks(listening_on: Path) -> str | None:
    if redis_server.answers(listening_on):
        return None
    return f"Redis does not answer on {listening_on}."


def host_header(place: SiteAddress) -> str:
    """Return a host name that the site accepts."""
    if validate_host("127.0.0.1", settings.ALLOWED_HOSTS):
        return f"127.0.0.1:{place.port}"
    return settings.ALLOWED_HOSTS[0].lstrip(".") if settings.ALLOWED_HOSTS else "localhost"


def _welcome(console: Console, place: SiteAddress, folder: Path) -> None:
    """Print how to log in, the URL and the next step."""
    # Create the account only now: if a failed start created it, its password would be lost.
    if first_curator.create_first_curator():
        _bring_along(console)
    password = first_curator.unused_password()
    connections.close_all()
    lines = [f"Log file    {log_file(folder)}", "Ctrl-C stops everything.", ""]
    if password:
        lines += [
            f"Log in as   {first_curator.NAME}",
            f"Password    {password}",
            f"            (also in {first_curator.password_file()} until it is used)",
            "",
        ]
    lines.append(f"The workbench runs at {place.url}")
    if password:
        lines.append(f"Begin at    {place.url}{reverse('welcome')}")
    else:
        lines.append("Next        review there, or ingest a repository: manage.py ingest PATH")
    console.block(lines)


def _bring_along(console: Console) -> None:
    """Store the hand-written pairs of the project, and queue their validation."""
    commands = [["load_library"]]
    if find_spec("triton"):
        commands.append(["validate", "--pending", "--device", settings.VALIDATION_DEVICE])
    for command in commands:
        written = StringIO()
        call_command(*command, stdout=written)
        console.say(written.getvalue().strip())
