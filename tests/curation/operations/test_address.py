"""The port that was asked for, and whether the site behind it is well."""

import json
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import ClassVar

import pytest

from curation.operations.address import AddressUnusable, SiteAddress, read


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        yield taken


@pytest.mark.parametrize("port", ["0", "65536", "-1", "eighty", "", "\u0668\u0660"])
def test_an_invalid_port_is_refused(port: str) -> None:
    with pytest.raises(AddressUnusable, match="is not a port"):
        read("127.0.0.1", port)


def test_a_port_in_use_is_refused_with_another_to_try(listener: socket.socket) -> None:
    port = listener.getsockname()[1]

    with pytest.raises(AddressUnusable, match=f"Port {port} on 127.0.0.1 can't be used"):
        SiteAddress("127.0.0.1", port).check_free()


def test_a_port_without_a_listener_is_free(listener: socket.socket) -> None:
    port = listener.getsockname()[1]
    listener.close()

    SiteAddress("127.0.0.1", port).check_free()


def test_a_bind_address_of_another_machine_is_refused() -> None:
    with pytest.raises(AddressUnusable, match=r"192\.0\.2\.1"):
        SiteAddress("192.0.2.1", 8000).check_free()


def test_a_site_on_all_interfaces_is_checked_on_loopback() -> None:
    assert SiteAddress("0.0.0.0", 8000).url == "http://127.0.0.1:8000"  # noqa: S104


class Site(BaseHTTPRequestHandler):
    report: ClassVar = {"status": "ok", "database": "ok", "redis": "ok"}
    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        well = self.report["status"] == "ok"
        self.asked.append(self.headers["Host"])
        self.send_response(200 if well else 503)
        self.end_headers()
        self.wfile.write(json.dumps(self.report).encode())

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[SiteAddress]:
    monkeypatch.setattr(Site, "asked", [])
    with HTTPServer(("127.0.0.1", 0), Site) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,)).start()
        yield SiteAddress("127.0.0.1", server.server_port)
        server.shutdown()


def test_a_healthy_site_reports_no_problem(site: SiteAddress) -> None:
    assert site.lacks("curation.example.org") is None
    assert Site.asked == ["curation.example.org"]


def test_an_unhealthy_site_reports_its_complaints(
    site: SiteAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = {"status": "down", "complaints": ["Redis can't be reached.", "The disk is full."]}
    monkeypatch.setattr(Site, "report", report)

    assert site.lacks("localhost") == (
        f"{site.url}/healthz answers 503: Redis can't be reached. The disk is full."
    )


def test_an_unreachable_site_is_reported(listener: socket.socket) -> None:
    port = listener.getsockname()[1]
    listener.close()

    assert SiteAddress("127.0.0.1", port).lacks("localhost") == (
        f"http://127.0.0.1:{port} does not answer (ConnectionRefusedError)."
    )
