"""Addresses and redirects that would make git connect to another host than the one it may."""

import socket
from collections.abc import Callable, Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest

from ingest.git import Blob, Network, Source, SourceKind, fetch, parse_source
from ingest.git.errors import SourceRefused, SourceUnavailable
from ingest.git.hosts import pinned_addresses
from ingest.git.submodules import Submodule
from tests.ingest.git.http_server import LOCAL_WEB, GitServer, serving
from tests.ingest.git.repositories import commit, make_repository, plain

Resolve = Callable[..., None]


@pytest.fixture
def resolve(monkeypatch: pytest.MonkeyPatch) -> Resolve:
    """Stand in for the name server, which a test has not got: every name has these addresses."""
    real = socket.getaddrinfo

    def resolve(*addresses: str) -> None:
        def answer(host: str, port: int, **options: Any) -> list[Any]:
            if not addresses:
                raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
            return [entry for each in addresses for entry in real(each, port, **options)]

        monkeypatch.setattr("ingest.git.hosts.socket.getaddrinfo", answer)

    for name in ("http_proxy", "https_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    return resolve


@pytest.fixture
def other_server(tmp_path: Path) -> Iterator[GitServer]:
    root = tmp_path / "others"
    root.mkdir()
    with serving(root) as state:
        yield state


def served(server: GitServer, name: str = "repo", text: str = "a") -> Source:
    commit(make_repository(server.root / name), plain({"a.py": text}))
    return Source(SourceKind.REMOTE, server.url(name))


def texts(source: Source, mirrors: Path, network: Network = LOCAL_WEB) -> list[str]:
    snapshot = fetch(source, mirrors=mirrors, network=network)
    return [found.data.decode() for found in snapshot.read() if isinstance(found, Blob)]


# --- Addresses ------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
        "0.0.0.0", "224.0.0.1", "::1", "fe80::1", "fd00::1", "::ffff:127.0.0.1",  # noqa: S104
        "64:ff9b::7f00:1", "2002:7f00:1::",
    ],
)  # fmt: skip
def test_a_name_that_resolves_to_a_private_address_is_not_fetched(
    address: str, resolve: Resolve, mirrors: Path
) -> None:
    resolve("140.82.112.3", address)

    with pytest.raises(SourceRefused) as refused:
        fetch(parse_source("https://127.0.0.1.nip.io/a/b"), mirrors=mirrors)

    assert str(refused.value) == (
        f"127.0.0.1.nip.io resolves to {ip_address(address)}, which is not a public address."
    )
    assert not mirrors.exists()


@pytest.mark.parametrize("url", ["https://db.corp:6379/a/b", "https://github.com:22/a/b"])
def test_git_connects_only_to_the_https_port(url: str, resolve: Resolve, mirrors: Path) -> None:
    resolve("140.82.112.3")

    with pytest.raises(SourceRefused, match="only 443 is allowed here"):
        fetch(parse_source(url), mirrors=mirrors)


def test_an_unresolvable_host_name_can_be_retried(resolve: Resolve, mirrors: Path) -> None:
    resolve()

    with pytest.raises(SourceUnavailable, match="can't be resolved") as failed:
        fetch(parse_source("https://git.example.org/a/b"), mirrors=mirrors)

    assert failed.value.retry


def test_a_host_name_known_only_to_the_proxy_is_left_to_the_proxy(
    resolve: Resolve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("https_proxy", "http://proxy.example.org:3128")
    resolve()
    assert pinned_addresses(parse_source("https://git.example.org/a/b"), Network()) == ""

    resolve("10.0.0.1")
    with pytest.raises(SourceRefused):
        pinned_addresses(parse_source("https://git.example.org/a/b"), Network())


def test_an_allowed_host_may_have_a_private_address(resolve: Resolve) -> None:
    resolve("10.0.0.1", "fd00::1")
    network = Network(allowed_hosts=("git.corp.example",))

    pinned = pinned_addresses(parse_source("https://git.corp.example:8443/a/b"), network)

    assert pinned == "git.corp.example:8443:10.0.0.1,[fd00::1]"


def test_git_connects_to_the_address_that_was_checked(
    server: GitServer, resolve: Resolve, mirrors: Path
) -> None:
    """The name is one that only the check resolves, so git gets there by the pin alone."""
    served(server)
    resolve("127.0.0.1")
    named = Source(SourceKind.REMOTE, server.url("repo").replace("127.0.0.1", "git.example.org"))

    assert texts(named, mirrors, Network(("http",), ("git.example.org",))) == ["a"]


def test_a_submodule_on_a_private_address_is_refused(resolve: Resolve, mirrors: Path) -> None:
    resolve("169.254.169.254")
    nested = Submodule("lib", parse_source("https://metadata.example.org/a/b"), "1" * 40)

    with pytest.raises(SourceRefused, match="is not a public address"):
        fetch(nested.source, mirrors=mirrors, ref=nested.commit)


# --- Redirects ------------------------------------------------------------------------------
@pytest.mark.parametrize("absolute", [True, False])
def test_a_redirect_on_the_same_host_is_followed(
    server: GitServer, mirrors: Path, absolute: bool
) -> None:
    """GitHub answers so for a repository that was renamed."""
    served(server)
    server.moved["/old/name/"] = f"{server.url('repo')}/" if absolute else "/repo/"
    old = Source(SourceKind.REMOTE, server.url("old/name"))

    for _ in range(2):
        assert texts(old, mirrors) == ["a"]


def test_a_redirect_to_another_host_is_not_followed(
    server: GitServer, other_server: GitServer, mirrors: Path
) -> None:
    served(other_server, text="secret")
    server.moved["/repo/"] = f"{other_server.url('repo')}/"

    with pytest.raises(SourceRefused, match="redirects to another host, which is not followed"):
        texts(Source(SourceKind.REMOTE, server.url("repo")), mirrors)

    assert server.requests
    assert not other_server.requests


def test_a_redirect_in_the_middle_of_a_fetch_is_not_followed_to_another_host(
    server: GitServer, other_server: GitServer, mirrors: Path
) -> None:
    source = served(server)
    served(other_server, text="secret")
    server.moved["/repo/git-upload-pack"] = f"{other_server.url('repo')}/git-upload-pack"

    with pytest.raises(SourceRefused):
        texts(source, mirrors)

    assert not other_server.requests


@pytest.mark.parametrize(
    "place",
    [
        "https://127.0.0.1:1/repo/info/refs", "http://127.0.0.1:99999/repo/info/refs",
        "http://me@127.0.0.1/repo/info/refs", "file:///etc/info/refs", "//evil.example/info/refs",
        "/repo/../../etc/info/refs", "/a b/info/refs", "/somewhere", "/info/refs",
        "ext::touch /tmp/trap", "ssh://h/a/b",
    ],
)  # fmt: skip
def test_a_redirect_to_an_invalid_place_is_refused(
    server: GitServer, mirrors: Path, place: str
) -> None:
    server.redirect = place

    with pytest.raises(SourceRefused):
        texts(Source(SourceKind.REMOTE, server.url("repo")), mirrors)


def test_a_redirect_loop_ends(server: GitServer, mirrors: Path) -> None:
    server.moved["/a/"], server.moved["/b/"] = "/b/", "/a/"

    with pytest.raises(SourceRefused, match="redirects more than once"):
        texts(Source(SourceKind.REMOTE, server.url("a")), mirrors)
