"""Reward servers for tests: on a UNIX socket, with the harness or with a stand-in for it."""

import tempfile
import threading
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from validation.rewards.answer import RewardAnswer
from validation.rewards.answer_cache import AnswerCache
from validation.rewards.client import Client
from validation.rewards.metrics import Metrics
from validation.rewards.question import JudgeQuestion, JudgeReference
from validation.rewards.server import Service, UnixServer
from validation.rewards.work import WorkQueue

LIBRARY = Path(__file__).resolve().parents[3] / "validation/pairs/library"
TOKEN = "correct horse battery staple"
WORDS = JudgeReference("python", "test", "launch")


@dataclass
class Health:
    sick: str = ""


@dataclass
class Served:
    """A server under test."""

    address: str
    work: WorkQueue
    health: Health
    service: Service

    def client(self, *, patience: float = 0.0, batch: int = 32) -> Client:
        return Client(self.address, TOKEN, timeout=120, patience=patience, batch=batch)


@contextmanager
def serving(
    answer: Callable[[JudgeQuestion], RewardAnswer], *, threads: int = 1, places: int = 8,
    known: Mapping[str, JudgeReference] | None = None,
) -> Iterator[Served]:  # fmt: skip
    work, metrics, health = WorkQueue(answer, threads, places), Metrics(), Health()
    metrics.watch(work, AnswerCache(None, 0))  # type: ignore[arg-type]
    service = Service(work, known or {"words": WORDS}, metrics, health, TOKEN)
    # A path of pytest's is too long for a socket.
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rewards"
        server = UnixServer(path, service)
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield Served(f"unix:{path}", work, health, service)
        finally:
            server.shutdown()
            server.server_close()
            work.close()
            work.join(30)


def library_pair(name: str) -> tuple[JudgeReference, str]:
    """Return the reference of a pair of the library, and its kernel."""
    folder = LIBRARY / name
    about = tomllib.loads((folder / "pair.toml").read_text())
    texts = {
        text: (folder / f"{text}.py").read_text()
        for text in ("python_code", "test_code", "triton_code")
    }
    reference = JudgeReference(texts["python_code"], texts["test_code"], about["entry_point"])
    return reference, texts["triton_code"]
