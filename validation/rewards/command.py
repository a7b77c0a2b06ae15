"""Command `python -m validation.harness serve`: runs the reward server until it is stopped."""

import argparse
import resource
import secrets
import signal
import sys
import threading
from pathlib import Path

from validation.harness.entry import EntryUnreadable, read_entries
from validation.harness.options import Options, Unsuited, add_arguments, from_arguments
from validation.harness.schedule import open_pool
from validation.rewards.judge import RewardJudge
from validation.rewards.metrics import Metrics
from validation.rewards.question import JudgeReference, of_entry
from validation.rewards.server import RewardServer, Service, UnixServer
from validation.rewards.work import WorkQueue

DESCRIPTION = "Answer requests for rewards until the process is stopped."
TOKEN_LEAST = 16
# Seconds to wait for the queue's threads when the service stops.
STOP_SECONDS = 10.0


def serve(arguments: argparse.Namespace) -> int:
    """Serve until SIGTERM or SIGINT, and return 0."""
    known = load_references(arguments.entries) if arguments.entries else {}
    token = read_token(arguments.token_file) if arguments.token_file else ""
    if arguments.port is not None and not token:
        raise Unsuited("A port is open to all users of this machine: it needs --token-file.")
    if arguments.socket is not None and not arguments.socket.absolute().parent.is_dir():
        raise Unsuited(f"There is no folder {arguments.socket.parent} for the socket.")
    options = from_arguments(arguments, share=arguments.share)
    raise_file_limit()
    with open_pool(options) as pool:
        judge = RewardJudge(pool)
        work = WorkQueue(judge.answer, pool.options.workers(), arguments.queue)
        metrics = Metrics()
        metrics.watch(work, judge.references)
        service = Service(work, known, metrics, judge, token)
        server: RewardServer | UnixServer
        if arguments.port is not None:
            server = RewardServer(arguments.port, service)
            place = f"http://127.0.0.1:{server.server_address[1]}"
        else:
            server = UnixServer(arguments.socket, service)
            place = f"unix:{arguments.socket}"
        stop = threading.Thread(target=server.shutdown, daemon=True)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.start() if not stop.ident else None)
        say(f"Serving rewards on {place}, {work.threads} at once, {len(known)} references.")
        try:
            server.serve_forever(poll_interval=0.2)
        finally:
            server.server_close()
            work.close()
            pool.close()
            work.join(STOP_SECONDS)
    return 0


def load_references(path: Path) -> dict[str, JudgeReference]:
    known: dict[str, JudgeReference] = {}
    for entry in read_entries(path):
        reference = of_entry(entry)
        if known.setdefault(entry.id, reference) != reference:
            raise EntryUnreadable(f"{path} has two entries with the id {entry.id}.")
    return known


def read_token(path: Path) -> str:
    token = path.read_text(encoding="utf-8").strip()
    if len(token) < TOKEN_LEAST or not token.isascii():
        raise Unsuited(f"{path} holds no token of {TOKEN_LEAST} ASCII characters or more.")
    return token


def raise_file_limit() -> None:
    """Raise the limit on open files to the hard limit: connections and cached answers need many."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def say(words: str) -> None:
    sys.stdout.write(words + "\n")
    sys.stdout.flush()


def parser() -> argparse.ArgumentParser:
    usual = Options(timeout=30.0, seed=secrets.randbelow(1 << 31))
    made = argparse.ArgumentParser("python -m validation.harness serve", description=DESCRIPTION)
    add = made.add_argument
    add("--entries", type=Path, help="dataset records whose ids requests may name")
    place = made.add_mutually_exclusive_group(required=True)
    place.add_argument("--socket", type=Path, help="UNIX socket to listen on")
    place.add_argument("--port", type=int, help="port of 127.0.0.1; 0 for any free one")
    add("--token-file", type=Path, help="file with the token that clients send")
    add("--queue", type=int, default=64, help="requests that may wait (default: 64)")
    add_arguments(made, usual, "add a bonus for speed to the reward; needs a GPU")
    add("--share", type=int, default=usual.share,
        help="candidates that a replayer on a GPU serves (default: %(default)s)",
    )  # fmt: skip
    return made
