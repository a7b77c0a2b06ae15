"""Label Studio and doccano, as users install them, behind the same operations over HTTP."""

import io
import json
import os
import signal
import subprocess
import time
import uuid
import zipfile
from collections.abc import Iterator, Sequence
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from urllib.parse import quote, urlencode

from benchmarks.measure_export import told
from benchmarks.process_usage import descends, processes

ROOT = Path(__file__).resolve().parents[1]
PERSON, PASSWORD = "curator@example.org", "correct horse battery staple"
FORM = "application/x-www-form-urlencoded"
PAGE = 30


class Tool(Protocol):
    """Operations that are measured. A total is a text, because a tool may bound its counts."""

    name: str
    imported_by: str
    client: "Client"
    servers: list["Server"]

    def start(self) -> None: ...
    def version(self) -> str: ...
    def fill(self, batches: Iterator[list[str]], end: float) -> int: ...
    def next(self) -> Any: ...
    def undecided(self, count: int) -> Iterator[Any]: ...
    def decide(self, item: Any) -> None: ...
    def page(self, start: int) -> None: ...
    def list_by_status(self, done: bool) -> str: ...
    def search(self, word: str) -> str: ...
    def export(self) -> int: ...


# --- Parts ----------------------------------------------------------------------------------------
class Answer(NamedTuple):
    location: str
    body: bytes

    def text(self) -> str:
        return self.body.decode()

    def json(self) -> Any:
        return json.loads(self.body)


class Client:
    """A browser with its cookies. `seconds` is the time that all its requests took together."""

    def __init__(self, port: int) -> None:
        self.port, self.seconds = port, 0.0
        self.cookies: dict[str, str] = {}

    def get(self, path: str) -> Answer:
        return self._ask("GET", path, None, {})

    def post(self, path: str, value: Any) -> Answer:
        return self._ask("POST", path, json.dumps(value).encode(), _typed("application/json"))

    def send(self, path: str, form: dict[str, Any], **headers: str) -> Answer:
        return self._ask("POST", path, urlencode(form).encode(), _typed(FORM) | headers)

    def upload(self, path: str, field: str, content: bytes) -> Answer:
        """Send a file as django-drf-filepond takes it: first its metadata, then its content."""
        boundary = uuid.uuid4().hex
        part = f'--{boundary}\r\nContent-Disposition: form-data; name="{field}"'
        start = f'{part}\r\n\r\n{{}}\r\n{part}; filename="items.jsonl"\r\n\r\n'
        body = b"%s%s\r\n--%s--\r\n" % (start.encode(), content, boundary.encode())
        return self._ask("POST", path, body, _typed(f"multipart/form-data; boundary={boundary}"))

    def _ask(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> Answer:
        headers["Cookie"] = "; ".join(f"{key}={value}" for key, value in self.cookies.items())
        headers["X-CSRFToken"] = self.cookies.get("csrftoken", "")
        began = time.perf_counter()
        connection = HTTPConnection("127.0.0.1", self.port, timeout=1200)
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        received = answer.read()
        self.seconds += time.perf_counter() - began
        connection.close()
        assert answer.status < 400, (method, path, answer.status, received[:500])
        for cookie in answer.headers.get_all("Set-Cookie") or []:
            key, _, value = cookie.split(";")[0].partition("=")
            self.cookies[key] = value
        location = answer.headers.get("X-Address") or answer.headers.get("Location") or ""
        return Answer(location, received)


def _typed(name: str) -> dict[str, str]:
    return {"Content-Type": name}


class Server:
    """A server program with all the processes that it starts."""

    def __init__(
        self, command: Sequence[str | Path], environment: dict[str, str], log: Path
    ) -> None:
        self.log = log
        self._process = subprocess.Popen(
            command, env=environment, cwd=ROOT, start_new_session=True,
            stdout=log.open("ab"), stderr=subprocess.STDOUT,
        )  # fmt: skip

    def wait_for(self, port: int, path: str) -> None:
        while True:
            assert self._process.poll() is None, f"The server ended, see {self.log}."
            try:
                Client(port).get(path)
                return
            except OSError:
                time.sleep(0.5)

    def megabytes(self) -> float:
        """Return the resident memory; a page that several processes share counts once."""
        tree, root = processes(), self._process.pid
        pids = [root, *(pid for pid in tree if descends(pid, root, tree))]
        return sum(told(pid, "smaps_rollup", "Pss") for pid in pids) / 1024

    def stop(self) -> None:
        os.killpg(self._process.pid, signal.SIGTERM)
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


def _environment(home: Path) -> dict[str, str]:
    """Return variables without those of this project, whose Django settings others can't import."""
    return {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}


def installed_version(environment: Path, package: str) -> str:
    program = f"import importlib.metadata, sys; print(importlib.metadata.version('{package}'), "
    program += "'with Python', sys.version.split()[0])"
    command = [str(environment / "bin/python"), "-c", program]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


# --- Label Studio ---------------------------------------------------------------------------------
class LabelStudio:
    """Requests as its data manager and its labeling page send them."""

    name = "Label Studio"
    imported_by = "POST /api/projects/ID/import"
    LABELS = (
        '<View><Text name="text" value="$text"/><Choices name="status" toName="text">'
        '<Choice value="approved"/><Choice value="rejected"/></Choices></View>'
    )
    APPROVAL = {  # noqa: RUF012
        "from_name": "status", "to_name": "text", "type": "choices",
        "value": {"choices": ["approved"]},
    }  # fmt: skip

    def __init__(self, environment: Path, folder: Path, port: int) -> None:
        self._environment, self._folder, self.client = environment, folder, Client(port)
        self.servers: list[Server] = []
        self._project = 0

    def start(self) -> None:
        command = [str(self._environment / "bin/label-studio"), "start", "--no-browser"]
        command += ["--internal-host", "127.0.0.1", "--port", str(self.client.port)]
        command += ["--username", PERSON, "--password", PASSWORD]
        command += ["--data-dir", str(self._folder)]
        # Without its telemetry and its check for a newer version.
        environment = _environment(self._folder)
        environment |= dict.fromkeys(("COLLECT_ANALYTICS", "LATEST_VERSION_CHECK"), "0")
        environment |= dict.fromkeys(("SENTRY_DSN", "FRONTEND_SENTRY_DSN"), "")
        self.servers = [Server(command, environment, self._folder / "server.log")]
        self.servers[0].wait_for(self.client.port, "/user/login/")
        self.client.get("/user/login/")
        form = {"email": PERSON, "password": PASSWORD}
        form["csrfmiddlewaretoken"] = self.client.cookies["csrftoken"]
        assert self.client.send("/user/login/", form).location
        projects = self.client.get("/api/projects/").json()["results"]
        if not projects:
            wish = {"title": "Kernels", "label_config": self.LABELS}
            projects = [self.client.post("/api/projects/", wish).json()]
        self._project = projects[0]["id"]

    def version(self) -> str:
        return installed_version(self._environment, "label-studio")

    def fill(self, batches: Iterator[list[str]], end: float) -> int:
        count = 0
        for batch in batches:
            items = [{"text": text} for text in batch]
            self.client.post(f"/api/projects/{self._project}/import", items)
            count += len(batch)
            if time.monotonic() > end:
                break
        return count

    def next(self) -> int:
        item = self.client.get(f"/api/projects/{self._project}/next").json()
        assert item["data"]["text"]
        return int(item["id"])

    def undecided(self, count: int) -> Iterator[int]:
        waiting = self._tasks("completed_at", "empty", True, "Datetime", count)
        return (task["id"] for task in waiting["tasks"])

    def decide(self, item: int) -> None:
        annotation = {"result": [self.APPROVAL], "lead_time": 1.0}
        self.client.post(f"/api/tasks/{item}/annotations/", annotation)

    def page(self, start: int) -> None:
        page = f"page={start // PAGE + 1}&page_size={PAGE}"
        tasks = self.client.get(f"/api/tasks?project={self._project}&{page}").json()["tasks"]
        assert len(tasks) == PAGE

    def list_by_status(self, done: bool) -> str:
        return f"{self._tasks('completed_at', 'empty', not done, 'Datetime')['total']:,}"

    def search(self, word: str) -> str:
        return f"{self._tasks('data.text', 'contains', word, 'String')['total']:,}"

    def _tasks(self, column: str, operator: str, value: Any, type: str, size: int = PAGE) -> Any:
        condition = {"filter": f"filter:tasks:{column}", "operator": operator}
        condition |= {"value": value, "type": type}
        query = quote(json.dumps({"filters": {"conjunction": "and", "items": [condition]}}))
        page = f"page=1&page_size={size}&query={query}"
        return self.client.get(f"/api/tasks?project={self._project}&{page}").json()

    def export(self) -> int:
        return len(self.client.get(f"/api/projects/{self._project}/export?exportType=JSON").json())


# --- doccano --------------------------------------------------------------------------------------
class Doccano:
    """Requests as its client sends them. Its task queue imports and exports."""

    name = "doccano"
    imported_by = "upload of JSONL files and POST /v1/projects/ID/upload"

    def __init__(self, environment: Path, folder: Path, port: int) -> None:
        self._environment, self._folder, self.client = environment, folder, Client(port)
        self.servers: list[Server] = []
        self._project = self._label = ""

    def start(self) -> None:
        program = self._environment / "bin/doccano"
        environment = {"DOCCANO_HOME": str(self._folder), **_environment(self._folder)}
        log = self._folder / "server.log"
        if not (self._folder / "db.sqlite3").exists():
            user = ["createuser", "--username", "curator", "--password", PASSWORD]
            for command in (["init"], user):
                subprocess.run(
                    [program, *command], env=environment, check=True,
                    stdout=log.open("ab"), stderr=subprocess.STDOUT,
                )  # fmt: skip
        port = self.client.port
        self.servers = [
            Server([program, "webserver", "--port", str(port)], environment, log),
            Server([program, "task"], environment, self._folder / "task.log"),
        ]
        self.servers[0].wait_for(port, "/v1/health/?format=json")
        self.client.post("/v1/auth/login/", {"username": "curator", "password": PASSWORD})
        projects = self.client.get("/v1/projects?limit=1").json()["results"]
        if not projects:
            wish: dict[str, Any] = {"name": "Kernels", "description": "Kernels", "tags": []}
            wish |= {"project_type": "DocumentClassification"}
            wish |= {"resourcetype": "TextClassificationProject"}
            projects = [self.client.post("/v1/projects", wish).json()]
            label = {"text": "approved", "suffix_key": "a", "background_color": "#209cee"}
            self.client.post(f"/v1/projects/{projects[0]['id']}/category-types", label)
        self._project = f"/v1/projects/{projects[0]['id']}"
        self._label = self.client.get(f"{self._project}/category-types").json()[0]["id"]

    def version(self) -> str:
        return installed_version(self._environment, "doccano")

    def fill(self, batches: Iterator[list[str]], end: float) -> int:
        count = 0
        for batch in batches:
            lines = (json.dumps({"text": text, "label": []}) for text in batch)
            file = self.client.upload("/v1/fp/process/", "filepond", "\n".join(lines).encode())
            wish: dict[str, Any] = {
                "format": "JSONL",
                "task": "DocumentClassification",
                "encoding": "utf_8",
            }
            wish |= {"column_data": "text", "column_label": "label", "uploadIds": [file.text()]}
            task = self.client.post(f"{self._project}/upload", wish).json()["task_id"]
            while not (status := self.client.get(f"/v1/tasks/status/{task}").json())["ready"]:
                time.sleep(0.2)
            assert status["result"] == {"error": []}, status
            count += len(batch)
            if time.monotonic() > end:
                break
        return count

    def next(self) -> int:
        found = self._examples("limit=1&offset=0&confirmed=false&q=")["results"][0]
        assert found["text"]
        return int(found["id"])

    def undecided(self, count: int) -> Iterator[int]:
        waiting = self._examples(f"limit={count}&offset=0&confirmed=false")["results"]
        return (example["id"] for example in waiting)

    def decide(self, item: int) -> None:
        """Choose the label, then mark the item as finished: two requests, as its page sends."""
        self.client.post(f"{self._project}/examples/{item}/categories", {"label": self._label})
        self.client.post(f"{self._project}/examples/{item}/states", {})

    def page(self, start: int) -> None:
        assert len(self._examples(f"limit={PAGE}&offset={start}&q=")["results"]) == PAGE

    def list_by_status(self, done: bool) -> str:
        count = self._examples(f"limit={PAGE}&offset=0&confirmed={str(done).lower()}")["count"]
        return f"{count:,}"

    def search(self, word: str) -> str:
        return f"{self._examples(f'limit={PAGE}&offset=0&q={quote(word)}')['count']:,}"

    def _examples(self, query: str) -> Any:
        return self.client.get(f"{self._project}/examples?{query}").json()

    def export(self) -> int:
        wish = {"format": "JSONL", "exportApproved": True}
        task = self.client.post(f"{self._project}/download", wish).json()["task_id"]
        while (answer := self.client.get(f"{self._project}/download?taskId={task}")).body[
            :1
        ] == b"{":
            time.sleep(0.2)
        with zipfile.ZipFile(io.BytesIO(answer.body)) as archive:
            return sum(len(archive.read(name).splitlines()) for name in archive.namelist())
