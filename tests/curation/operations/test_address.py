"""The port that was asked for, and whether the site behind it is well."""

import json
import os
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import ClassVar

import pytest
from django.test import override_settings

from curation.operations.address import AddressUnusable, SiteAddress, read
from curation.operations.startup import environment, host_header
from tests.curation.operations.house import free_port


@pytest.mark.parametrize("port", ["0", "65536", "-1", "eighty", "", "\u0668\u0660"])
def test_an_invalid_port_is_refused(port: str) -> None:
    with pytest.raises(AddressUnusable, match="is not a port"):
        read("127.0.0.1", port)


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


def test_an_unreachable_site_is_reported() -> None:
    port = free_port()

    assert SiteAddress("127.0.0.1", port).lacks("localhost") == (
        f"http://127.0.0.1:{port} does not answer (ConnectionRefusedError)."
    )


HERE = SiteAddress("127.0.0.1", 8123)


@pytest.mark.parametrize(
    ("given", "name", "value"),
    [
        ({}, "HTTPS", "0"),
        ({"HTTPS": "1"}, "HTTPS", "1"),
        ({}, "PORT", "8123"),
        ({"PATH": "/bin"}, "PATH", f"{os.path.dirname(sys.executable)}{os.pathsep}/bin"),
        ({"CURATION_DATA": "data"}, "CURATION_DATA", "/somewhere/data"),
    ],
)
def test_up_sets_the_environment_of_its_programs(
    given: dict[str, str], name: str, value: str
) -> None:
    assert environment(given, Path("/somewhere/data"), HERE)[name] == value


@pytest.mark.parametrize(
    ("allowed", "name"),
    [
        (["localhost", "127.0.0.1"], "127.0.0.1:8123"),
        (["*"], "127.0.0.1:8123"),
        (["curation.example.org"], "curation.example.org"),
        ([".example.org"], "example.org"),
    ],
)
def test_the_health_check_uses_an_allowed_host_name(allowed: list[str], name: str) -> None:
    with override_settings(ALLOWED_HOSTS=allowed):
        assert host_header(HERE) == name
