"""Servers that git may connect to: public ones on port 443, and those that the operator allows.

Attack: the address of a repository, submodule or redirect names a host in the private network.
Defense: only public addresses are allowed, and git must use the checked addresses.
"""

import re
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.parse import SplitResult, urljoin, urlsplit
from urllib.request import getproxies, proxy_bypass

from ingest.git.errors import SourceRefused, SourceUnavailable
from ingest.git.source import Source, shown

HTTPS_PORT = 443
SERVICE = "/info/refs"
# The last 32 bits of an address in this network are an IPv4 address that a gateway connects to.
NAT64 = IPv6Network("64:ff9b::/96")
_LOCATION = re.compile(r"<= Recv header: location: (\S+)", re.IGNORECASE)
_PATH = re.compile(r"(?:/(?!\.{1,2}(?:/|$))[A-Za-z0-9_.~+-]+)+")


@dataclass(frozen=True, slots=True)
class Network:
    """Protocols that git may use, and hosts that need not be public.

    allowed_hosts: hosts that may have any address and any port.
    """

    protocols: tuple[str, ...] = ("https",)
    allowed_hosts: tuple[str, ...] = ()


def pinned_addresses(source: Source, network: Network) -> str:
    """Return the checked addresses of the source's host, in the format of http.curloptResolve.

    Without this pin, a name could resolve to a public address for the check and to a private one
    for git. Raises SourceRefused if the host is not public, SourceUnavailable if it has no address.
    """
    url = urlsplit(source.location)
    # Git itself refuses other protocols, even after a redirect.
    if url.scheme not in network.protocols or not url.hostname:
        return ""
    host, port = url.hostname, _port(url)
    is_allowed = host in network.allowed_hosts
    if port != HTTPS_PORT and not is_allowed:
        raise SourceRefused(f"{source} names port {port}; only {HTTPS_PORT} is allowed here.")
    try:
        addresses = _resolve(host, port)
    except OSError:
        # The operator chose the proxy, and often only the proxy can resolve names.
        if url.scheme in getproxies() and not proxy_bypass(host):
            return ""
        raise SourceUnavailable(
            f"The name of the host of {source} can't be resolved; try again later."
        ) from None
    for address in addresses:
        if not is_allowed and not _is_public(address):
            raise SourceRefused(f"{host} resolves to {address}, which is not a public address.")
    return f"{host}:{port}:{','.join(map(_bracketed, addresses))}"


def redirect_target(trace: str, source: Source) -> str:
    """Return the address to which a server redirects `source`, on the same host and port.

    trace: the headers of the server's answer, as git prints them with GIT_TRACE_CURL.
    """
    location = _LOCATION.search(trace)
    old = urlsplit(source.location)
    new = urlsplit(urljoin(f"{source.location}{SERVICE}", location[1] if location else ""))
    path = new.path.removesuffix(SERVICE)
    try:
        same = (new.scheme, new.hostname, _port(new)) == (old.scheme, old.hostname, _port(old))
    except ValueError:
        same = False
    if not same or "@" in new.netloc:
        raise SourceRefused(
            f"{source} redirects to another host, which is not followed: {shown(new.netloc)}."
        )
    if not new.path.endswith(SERVICE) or not _PATH.fullmatch(path):
        raise SourceRefused(f"{source} redirects to something that is no repository.")
    return f"{old.scheme}://{old.netloc}{path}"


def _resolve(host: str, port: int) -> list[IPv4Address | IPv6Address]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [ip_address(text) for text in dict.fromkeys(str(each[4][0]) for each in found)]


def _is_public(address: IPv4Address | IPv6Address) -> bool:
    inner: Iterable[IPv4Address | None] = ()
    if isinstance(address, IPv6Address):
        translated = IPv4Address(int(address) & 0xFFFF_FFFF) if address in NAT64 else None
        inner = (address.ipv4_mapped, address.sixtofour, translated)
    return all(each.is_global and not each.is_multicast for each in (address, *filter(None, inner)))


def _port(url: SplitResult) -> int:
    return url.port or (HTTPS_PORT if url.scheme == "https" else 80)


def _bracketed(address: IPv4Address | IPv6Address) -> str:
    return f"[{address}]" if address.version == 6 else str(address)
