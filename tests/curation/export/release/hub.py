"""A server that speaks the part of the Hugging Face hub's API that an upload uses, in memory."""

import base64
import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TOKEN = "hf_of_the_test"


class Hub(ThreadingHTTPServer):
    """`repositories`: the files of each by path. `commits`: the messages. `large`: the uploaded
    contents by their hash."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.repositories: dict[str, dict[str, bytes]] = {}
        self.commits: list[str] = []
        self.large: dict[str, bytes] = {}
        self.forbidden = False

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Hub
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: Any) -> None: ...

    def answer(self, document: Any, status: int = 200) -> None:
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = b""
        while size := int(self.rfile.readline().strip() or b"0", 16):
            parts += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return parts

    def is_refused(self) -> bool:
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            self.answer({"error": "Invalid credentials"}, 401)
            return True
        if self.server.forbidden:
            self.answer({"error": "Read-only token"}, 403)
            return True
        return False

    def do_GET(self) -> None:
        if self.is_refused():
            return
        if tree := re.match(r"/api/datasets/([^/]+/[^/]+)/tree/", self.path):
            files = self.server.repositories[tree[1]]
            self.answer([
                {"type": "file", "path": path, "size": len(content), "oid": git_hash(content)}
                for path, content in files.items()
            ])  # fmt: skip
            return
        if file := re.match(r"/datasets/([^/]+/[^/]+)/resolve/[^/]+/(.+)", self.path):
            self.send_file(self.server.repositories[file[1]][file[2]])
            return
        info = re.match(r"/api/datasets/([^/]+/[^/?]+)", self.path)
        if info and info[1] in self.server.repositories:
            self.answer({
                "id": info[1], "sha": self.sha(), "private": False, "tags": [],
                "siblings": [{"rfilename": path} for path in self.server.repositories[info[1]]],
            })  # fmt: skip
            return
        self.answer({"error": f"not found: {self.path}"}, 404)

    do_HEAD = do_GET  # noqa: N815 - the name is the standard library's

    def send_file(self, content: bytes) -> None:
        self.send_response(200)
        self.send_header("ETag", f'"{git_hash(content)}"')
        self.send_header("X-Repo-Commit", self.sha())
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def sha(self) -> str:
        return f"{len(self.server.commits):040x}"

    def do_POST(self) -> None:
        body = self.body()
        if self.is_refused():
            return
        if self.path == "/api/repos/create":
            name = "{organization}/{name}".format(**json.loads(body))
            known = name in self.server.repositories
            self.server.repositories.setdefault(name, {})
            self.answer({"url": f"{self.server.address}/datasets/{name}"}, 409 if known else 200)
        elif self.path.endswith("validate-yaml"):
            self.answer({"errors": [], "warnings": []})
        elif "/preupload/" in self.path:
            files = self.server.repositories["/".join(self.path.split("/")[3:5])]
            self.answer({"files": [
                {"path": file["path"], "shouldIgnore": False, **self.known(files, file["path"])}
                for file in json.loads(body)["files"]
            ]})  # fmt: skip
        elif self.path.endswith("/info/lfs/objects/batch"):
            objects = json.loads(body)["objects"]
            href = f"{self.server.address}/large/"
            self.answer({"transfer": "basic", "objects": [
                {"oid": one["oid"], "size": one["size"],
                 "actions": {"upload": {"href": href + one["oid"], "header": {}}}}
                for one in objects
            ]})  # fmt: skip
        elif commit := re.match(r"/api/datasets/([^/]+/[^/]+)/commit/", self.path):
            self.commit(commit[1], [json.loads(line) for line in body.splitlines()])
        else:
            self.answer({"error": f"not found: {self.path}"}, 404)

    def known(self, files: dict[str, bytes], path: str) -> dict[str, Any]:
        """Tell how a file is uploaded, and the hash of the present one."""
        mode = "lfs" if path.endswith(".parquet") else "regular"
        if path not in files:
            return {"uploadMode": mode}
        content = files[path]
        oid = hashlib.sha256(content).hexdigest() if mode == "lfs" else git_hash(content)
        return {"uploadMode": mode, "oid": oid}

    def commit(self, name: str, lines: list[dict[str, Any]]) -> None:
        files = self.server.repositories[name]
        for line in lines:
            value = line["value"]
            match line["key"]:
                case "header":
                    self.server.commits.append(value["summary"])
                case "file":
                    files[value["path"]] = base64.b64decode(value["content"])
                case "lfsFile":
                    files[value["path"]] = self.server.large[value["oid"]]
                case "deletedFile":
                    files.pop(value["path"])
        url = f"{self.server.address}/datasets/{name}/commit/{self.sha()}"
        self.answer({"commitUrl": url, "commitOid": self.sha(), "hookOutput": ""})

    def do_PUT(self) -> None:
        content = self.body()
        assert hashlib.sha256(content).hexdigest() == self.path.removeprefix("/large/")
        self.server.large[self.path.removeprefix("/large/")] = content
        self.answer({})


def git_hash(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()  # noqa: S324 - git's


@contextmanager
def serving() -> Iterator[Hub]:
    hub = Hub()
    thread = threading.Thread(target=hub.serve_forever, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        hub.shutdown()
        hub.server_close()
