"""Load for a workbench under attack: people who decide by HTTP, ingests and validations asked for.

Everything that was acknowledged is remembered, so that it can be looked for afterwards.
"""

import http.client
import json
import random
import threading
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.db import Error, close_old_connections, connection

from curation.errors import CurationError
from curation.models import Device, IngestRun, Pair, Repository, Run, ValidationRun
from ingest.requests import request_ingest
from validation.run_requests import request_validation


@dataclass(slots=True)
class Reviewer:
    """Takes the next item, decides on it, and sends the same wish again until it is answered."""

    port: int
    secret: str
    random: random.Random
    sent: dict[uuid.UUID, tuple[int, str]] = field(default_factory=dict)
    acknowledged: set[uuid.UUID] = field(default_factory=set)
    refused: set[uuid.UUID] = field(default_factory=set)
    answers: Counter[str] = field(default_factory=Counter)

    def work(self, stopped: threading.Event) -> None:
        while not stopped.wait(0.1):
            code, found = self._post("/api/v1/next?origin=template", {})
            if code == 200 and found["item"]:
                self._decide(found["item"], stopped)

    def _decide(self, item: dict[str, Any], stopped: threading.Event) -> None:
        wish = uuid.uuid4()
        status = self.random.choice(("approved", "rejected"))
        self.sent[wish] = (item["id"], status)
        said = {"status": status, "version": item["version"], "request": str(wish)}
        while True:
            code, _ = self._post(f"/api/v1/pairs/{item['id']}/decision", said)
            if code == 200:
                self.acknowledged.add(wish)
                return
            if 400 <= code < 500:
                self.refused.add(wish)
                return
            if stopped.wait(0.2):
                return

    def _post(self, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        """0 where nobody answered."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        headers = {"Authorization": f"Bearer {self.secret}", "Content-Type": "application/json"}
        try:
            connection.request("POST", path, json.dumps(body), headers)
            answer = connection.getresponse()
            code, found = answer.status, answer.read()
        except (OSError, http.client.HTTPException) as error:
            self.answers[type(error).__name__] += 1
            return 0, None
        finally:
            connection.close()
        self.answers[str(code)] += 1
        return code, json.loads(found) if code < 500 else None


@dataclass(slots=True)
class Asker:
    """Asks for ingests and validations for as long as few are under way."""

    sources: Sequence[int]
    pairs: Sequence[int]
    random: random.Random
    asked: Counter[tuple[type[Run], int]] = field(default_factory=Counter)

    def work(self, stopped: threading.Event) -> None:
        while not stopped.wait(0.5):
            close_old_connections()
            try:
                self._ask()
            except CurationError:
                continue  # The source is being read already.
            except Error:
                connection.close()
        connection.close()

    def _ask(self) -> None:
        if IngestRun.objects.live().count() < 4:
            source = Repository.objects.get(pk=self.random.choice(self.sources))
            self.asked[IngestRun, request_ingest(source, again=True).pk] += 1
        if ValidationRun.objects.live().count() < 3:
            pairs = Pair.objects.filter(pk__in=self.random.sample(list(self.pairs), 3))
            for run in request_validation(pairs, device=Device.INTERPRETER):
                self.asked[ValidationRun, run.pk] += 1


@contextmanager
def working(workers: Sequence[Reviewer | Asker]) -> Iterator[None]:
    stopped = threading.Event()
    threads = [threading.Thread(target=worker.work, args=(stopped,)) for worker in workers]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stopped.set()
        for thread in threads:
            thread.join()
