"""Client of the sandboxed worker: sends it the files of a repository, and receives the kernels.

If a worker ends, the file that it was reading is left out, and a new worker continues. A file may
have taken control of a worker, so the client accepts only answers about files that it sent. The
client computes all hashes, and caches license readings only of content that it sent to the worker.
"""

import hashlib
import logging
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

from curation.errors import CurationError
from curation.identity import content_hash
from ingest.candidate import Candidate, Dropped, FileRead, Progress, TextRead, file_read
from ingest.confined.process import DEFAULT_TERMS, Process, Terms, WorkerEnded
from ingest.confined.values import UnreadableAnswer, from_json, read_json, to_json
from ingest.evidence import Evidence
from ingest.extract import SourceTree, TookTooLong
from ingest.git import Blob
from ingest.licenses import LicenseReader
from ingest.licenses.detector import DetectionTookTooLong
from ingest.licenses.reader import git_blob_hash
from ingest.licenses.records import Findings
from validation.harness.sandbox import Level

log = logging.getLogger(__name__)

# Maximum number of files of a repository that may end a worker. Then the reading stops.
MOST_ENDED = 10
# Maximum number of items of a repository. PyTorch has 3,000 kernels.
MOST_ITEMS = 200_000
LONGEST_SECONDS = 6 * 3600.0
BATCH = 250
ENDED = "worker-ended"
TOO_SLOW = "too-slow"
UNCONFINED = (
    "This host can't confine programs: foreign files were read in a process without the ingest's "
    "environment, with limits and nothing more."
)
_KEY = re.compile(r"([0-9a-f]{40}):[!-~]{1,100} ?[!-~]{0,100}")
_REASON = re.compile(r"[a-z-]{1,60}")


class Reader:
    """Context manager that owns the worker process and starts it with the first request."""

    def __init__(
        self,
        licenses: LicenseReader,
        progress: Progress,
        tree: SourceTree | None = None,
        terms: Terms = DEFAULT_TERMS,
    ) -> None:
        self._readings = licenses.kept
        self._detector = licenses.detector
        self._progress = progress
        self._tree = tree
        self._terms = terms
        self._paths = frozenset(tree.paths()) if tree is not None else frozenset()
        self._process: Process | None = None
        self._until = time.monotonic() + LONGEST_SECONDS
        self._at = ""
        self._left_out: dict[str, str] = {}
        self._served: set[str] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    @property
    def pid(self) -> int | None:
        """Id of the running process, or None."""
        return self._process.pid if self._process is not None else None

    def file(self, blob: Blob) -> FileRead | Dropped:
        """Return the facts of one file."""
        self._at = blob.path
        order = {"order": "text", "path": blob.path, "bytes": len(blob.data)}
        try:
            text = from_json(TextRead, self._ask(order, blob.data, []))
        except (WorkerEnded, UnreadableAnswer) as error:
            return self._lost(error, "read")
        except TookTooLong as error:
            return Dropped("read", blob.path, TOO_SLOW, str(error))
        return file_read(blob, text)

    def kernels(self, paths: Sequence[str]) -> Iterator[Candidate | Dropped]:
        """Yield every kernel in the named files, or the reason why a kernel was left out."""
        yielded: set[tuple[object, ...]] = set()
        # Items that an ended worker has already sent. The new worker sends them a second time.
        repeated: frozenset[tuple[object, ...]] = frozenset()
        current_process: Process | None = None
        while True:
            items: list[Any] = []
            try:
                if current_process is None or current_process is not self._process:
                    self._at, repeated = "", frozenset(yielded)
                    self._ask(self._beginning(paths), b"", [])
                    current_process = self._process
                item_count = self._ask({"order": "next"}, b"", items)
                received = [self._item(item) for item in items]
            except (WorkerEnded, UnreadableAnswer) as error:
                current_process = None
                yield self._lost(error, "extract")
                continue
            for item in received:
                place = _place(item)
                if place not in repeated and not self._is_left_out(item):
                    yielded.add(place)
                    yield item
            if item_count != BATCH:
                return
            if len(yielded) > MOST_ITEMS:
                raise CurationError(
                    f"More than {MOST_ITEMS:,} kernels were found: that is no code."
                )

    def evidence(self, item: Candidate) -> Evidence | Dropped:
        """Return the evidence in the kernel's text, or the reason why the kernel is left out."""
        kernel = item.kernel
        if kernel.path in self._left_out:
            lost = Dropped("evidence", kernel.path, ENDED, self._left_out[kernel.path])
        else:
            self._at = kernel.path
            order = {"order": "evidence", "of": replace(item, licenses=(), license_texts=())}
            try:
                return from_json(Evidence, self._ask(order, b"", []))
            except (WorkerEnded, UnreadableAnswer) as error:
                lost = self._lost(error, "evidence")
            except TookTooLong as error:
                lost = Dropped("evidence", kernel.path, TOO_SLOW, str(error))
        return replace(lost, qualname=kernel.qualname, line=kernel.start_line)

    def _ask(self, order: dict[str, Any], payload: bytes, items: list[Any]) -> Any:
        process = self._running()
        process.send(order, payload)
        while True:
            message = process.hear()
            if time.monotonic() > self._until:
                raise CurationError(
                    f"Its files were not read within {LONGEST_SECONDS / 3600:g} hours."
                )
            match message:
                case {"answer": answer}:
                    return answer
                case {"late": str(sentence)} if order["order"] in {"text", "evidence"}:
                    raise TookTooLong(from_json(str, sentence))
                case {"at": str(path)}:
                    self._at = path
                case {"read": str(path)}:
                    self._serve(process, path)
                case {"match": [str(text), bool(approximate)]}:
                    process.send(self._match(text, approximate))
                case {"kept": str(key)}:
                    process.send({"kept": self._kept(key)})
                case {"keep": [str(key), str(value)]}:
                    self._keep(key, value)
                case {"progress": [str(stage), int(done), int(total)]}:
                    self._progress(stage[:40], _count(done), _count(total))
                case {"item": item} if len(items) < BATCH:
                    items.append(item)
                case _:
                    raise UnreadableAnswer("it is no message of a worker")

    def _beginning(self, paths: Sequence[str]) -> dict[str, Any]:
        return {
            "order": "begin",
            "paths": sorted(self._paths),
            "named": paths,
            "detector": self._detector.name,
        }

    def _match(self, text: str, approximate: bool) -> dict[str, Any]:
        try:
            return {"matches": self._detector.match(text, approximate=approximate)}
        except DetectionTookTooLong as error:
            return {"late": str(error)}

    def _serve(self, process: Process, path: str) -> None:
        known = self._tree is not None and path in self._paths and path not in self._left_out
        data = self._tree.read(path) if known and self._tree is not None else None
        if data is not None:
            self._served.add(git_blob_hash(data))
        process.send({"bytes": None if data is None else len(data)}, data or b"")

    def _kept(self, key: str) -> str | None:
        return self._readings.get(key) if _KEY.fullmatch(key) else None

    def _keep(self, key: str, value: str) -> None:
        """Cache a license reading, if its content was sent to the worker.

        Attack: a false reading of other content would apply to every repository with that content.
        """
        name = _KEY.fullmatch(key)
        if name is not None and name[1] in self._served:
            self._readings[key] = to_json(from_json(Findings, read_json(value.encode()))).decode()

    def _item(self, item: Any) -> Candidate | Dropped:
        match item:
            case {"candidate": data}:
                candidate = from_json(Candidate, data)
                self._check_path(candidate.kernel.path)
                return _hashed(candidate)
            case {"dropped": data}:
                problem = from_json(Dropped, data)
                self._check_path(problem.path)
                if not _REASON.fullmatch(problem.reason):
                    raise UnreadableAnswer("a reason was expected")
                return problem
            case _:
                raise UnreadableAnswer("a kernel was expected")

    def _check_path(self, path: str) -> None:
        if path not in self._paths:
            raise UnreadableAnswer("a path of the repository was expected")

    def _is_left_out(self, item: Candidate | Dropped) -> bool:
        return isinstance(item, Dropped) and item.path in self._left_out

    def _running(self) -> Process:
        if self._process is None:
            if self._terms.chosen is Level.NONE:
                log.warning(UNCONFINED)
            self._process = Process("ingest.confined.worker", terms=self._terms)
        return self._process

    def _lost(self, error: WorkerEnded | UnreadableAnswer, stage: str) -> Dropped:
        """Record as left out the file that the worker was reading.

        Raises CurationError if no file explains the end, or if too many files ended a worker.
        """
        self._end()
        ending = str(error) if isinstance(error, WorkerEnded) else f"gave a wrong answer: {error}"
        path = self._at
        if not path or path in self._left_out or len(self._left_out) == MOST_ENDED:
            files = ", ".join(dict.fromkeys((*self._left_out, path)))
            raise CurationError(
                f"The process that reads files {ending} again and again: "
                f"{files or 'before the first file'}."
            )
        sentence = f"The process that reads files {ending} at this one, which was left out."
        log.warning("%s: %s", path, sentence)
        self._left_out[path] = sentence
        return Dropped(stage, path, ENDED, sentence)

    def _end(self) -> None:
        if self._process is not None:
            self._process.end()
            self._process = None


def _hashed(candidate: Candidate) -> Candidate:
    """Return the candidate with hashes of its texts."""
    kernel = replace(candidate.kernel, sha256=_sha256(candidate.kernel.source))
    texts = tuple(replace(text, sha256=_sha256(text.text)) for text in candidate.license_texts)
    content = content_hash(candidate.unit.source)
    return replace(candidate, kernel=kernel, content_hash=content, license_texts=texts)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _place(item: Candidate | Dropped) -> tuple[object, ...]:
    if isinstance(item, Dropped):
        return (item.path, item.reason, item.line, item.message)
    kernel = item.kernel
    return (kernel.path, kernel.cell, kernel.start_line, kernel.end_line, kernel.qualname)


def _count(number: int) -> int:
    return max(0, min(number, 2**31 - 1))
