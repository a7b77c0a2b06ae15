"""kill -9 each process in turn, under load, and look whether anything was lost or done twice.

python -m tests.chaos FOLDER [--minutes 6] [--every 5] [--seed 1]

PostgreSQL, Redis, gunicorn, two ingest workers, two validation workers and two schedulers on
loopback, everything below FOLDER, which must not exist yet. First the same work is done in peace
in another database; the rows of the two must be equal. Ends with 1 where something is not.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.chaos.cluster import Cluster, cluster
from tests.chaos.furniture import furnish, write_sources
from tests.chaos.init import MARK, Init, Service, wait_until
from tests.curation.operations.house import free_port

# As an operator has them, only sooner: what takes minutes there takes seconds here.
HASTY = {
    "SWEEP_SECONDS": "2", "LOST_JOB_SECONDS": "5", "LEASE_SECONDS": "20", "CLAIM_SECONDS": "20",
    # A run may be unlucky more often than an operator's three times.
    "MOST_ATTEMPTS": "30",
    # What nobody asked for would only take the processor away.
    "COMPILES_AT_ONCE": "0", "SECOND_REVIEW_PERCENT": "0",
    "HTTPS": "0", "LOG_FORMAT": "json", "OMP_NUM_THREADS": "1",
}  # fmt: skip
WORKER = ("--serializer", "rq.serializers.JSONSerializer", "--worker-ttl", "60")
REDIS_PASSWORD = "not-kept"
SETTLE_SECONDS = 240.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--minutes", type=float, default=6)
    parser.add_argument("--every", type=float, default=5, help="seconds between two kills")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    folder: Path = arguments.folder.absolute()
    sources = write_sources(folder / "sources")
    with cluster(folder / "postgres") as server:
        environment = _environment(folder, server.create("storm"))
        calm = _in_peace(environment, server.create("calm"), folder)
        os.environ |= environment
        import django

        django.setup()
        return storm(folder, server, sources, calm, environment, arguments)


def storm(
    folder: Path,
    server: Cluster,
    sources: list[Path],
    calm: dict[str, list[str]],
    environment: dict[str, str],
    arguments: argparse.Namespace,
) -> int:
    from django.core.management import call_command

    from tests.chaos.load import Asker, Reviewer, working

    found = furnish(sources, to_decide=2500)
    port = free_port()
    redis, programs = _services(folder, {**environment, "PORT": str(port)})
    init = Init([redis, *programs])
    call_command("collectstatic", verbosity=0, interactive=False)
    init.start()
    chance = random.Random(arguments.seed)
    reviewers = [
        Reviewer(port, secret, random.Random(n)) for n, secret in enumerate(found["secrets"])
    ]
    asker = Asker(found["sources"], found["pairs"], chance)
    try:
        with working([*reviewers, asker]):
            kills = _kill_in_turn(server, redis, programs, arguments)
        print("The killing has ended; what is under way may end too.", flush=True)
        began = time.monotonic()
        quiet = wait_until(_nothing_is_live, SETTLE_SECONDS)
        print(f"quiet: {quiet}, after {time.monotonic() - began:.0f} s")
    finally:
        init.stop(str(folder))
    print("kills:", dict(kills))
    print("starts:", {service.name: service.starts for service in init.services})
    return _judge(reviewers, asker, calm, quiet)


def _environment(folder: Path, database: str) -> dict[str, str]:
    (folder / "data" / "static").mkdir(parents=True)
    kept = {name: os.environ[name] for name in ("HOME", "LANG") if name in os.environ}
    here = os.path.dirname(sys.executable)
    return {
        **kept,
        **HASTY,
        MARK: str(folder),
        "PATH": os.pathsep.join([here, os.environ.get("PATH", os.defpath)]),
        "DJANGO_SETTINGS_MODULE": "curation.settings",
        "CURATION_DATA": str(folder / "data"),
        "DATABASE_URL": database,
        "REDIS_URL": f"redis://:{REDIS_PASSWORD}@127.0.0.1:{free_port()}/0",
    }


def _in_peace(environment: dict[str, str], database: str, folder: Path) -> dict[str, list[str]]:
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "tests.chaos.furniture", str(folder / "sources")],
        env={**environment, "DATABASE_URL": database, "CURATION_DATA": str(folder / "calm")},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    found: dict[str, list[str]] = json.loads(done.stdout.splitlines()[-1])
    counts = {name: len(told) for name, told in found.items()}
    print(f"In peace, after {time.monotonic() - began:.0f} s: {counts}", flush=True)
    return found


def _services(folder: Path, environment: dict[str, str]) -> tuple[Service, list[Service]]:
    port = environment["REDIS_URL"].rpartition(":")[2].partition("/")[0]
    # Nothing on disk: each start finds it empty.
    options = f"--port {port} --bind 127.0.0.1 --requirepass {REDIS_PASSWORD} --appendonly no"
    redis = ("redis-server", *options.split(), "--save", "")
    manage = (sys.executable, "manage.py")
    commands: dict[str, tuple[str, ...]] = {
        "redis": redis,
        "web": ("gunicorn", "curation.wsgi", "--config", "curation/operations/gunicorn.py"),
    }
    for n in (1, 2):
        commands[f"ingest-{n}"] = (*manage, "rqworker", "ingest", "default", *WORKER)
        commands[f"validation-{n}"] = (*manage, "rqworker", "validation", *WORKER)
        commands[f"scheduler-{n}"] = (*manage, "scheduler")
    made = [
        Service(name, command, environment, folder / f"{name}.log")
        for name, command in commands.items()
    ]
    return made[0], made[1:]


def _kill_in_turn(
    server: Cluster, redis: Service, programs: list[Service], arguments: argparse.Namespace
) -> Counter[str]:
    """Each process, and what each has forked, one after the other until the time is up."""
    victims: list[tuple[str, Callable[[], Any]]] = [(each.name, each.kill) for each in programs]
    forking = [each for each in programs if not each.name.startswith("scheduler")]
    victims += [(f"{each.name}'s child", each.kill_a_child) for each in forking]
    victims += [("redis", redis.kill), ("postgres", lambda: _kill_database(server))]
    random.Random(arguments.seed).shuffle(victims)
    kills: Counter[str] = Counter()
    until = time.monotonic() + 60 * arguments.minutes
    while True:
        for name, kill in victims:
            time.sleep(arguments.every)
            if time.monotonic() > until:
                return kills
            if kill():
                kills[name] += 1


def _kill_database(server: Cluster) -> bool:
    server.kill()
    server.start_again()
    return True


def _nothing_is_live() -> bool:
    from django.db import close_old_connections

    from curation.models import IngestRun, ValidationRun

    close_old_connections()
    return not (IngestRun.objects.live().exists() or ValidationRun.objects.live().exists())


def _judge(reviewers: list[Any], asker: Any, calm: dict[str, list[str]], quiet: bool) -> int:
    from tests.chaos.rows import rows
    from tests.chaos.verdict import about_decisions, about_runs

    wrong = [] if quiet else ["Runs were still live when the time to settle was over."]
    wrong += about_runs(asker.asked)
    wrong += about_decisions(reviewers)
    stormy = rows()
    for name, told in calm.items():
        lost, more = Counter(told) - Counter(stormy[name]), Counter(stormy[name]) - Counter(told)
        print(f"rows of {name}: {len(told)} in peace, {len(stormy[name])} in the storm")
        wrong += [f"{name}: lost {row}" for row in lost] + [f"{name}: new {row}" for row in more]
    print("\n".join(wrong) or "Nothing was lost, and nothing was done twice.")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
