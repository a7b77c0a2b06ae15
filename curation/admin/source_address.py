"""Which addresses a web form takes for a source: https, without secrets, in one spelling.

What is refused is never repeated in the sentence, for it may hold a password or a token.
"""

import re
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from curation.errors import CurationError

_OWNER_AND_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9_][A-Za-z0-9._-]{0,99}")
# The last label has a letter first: no addresses in numbers, no names of this very machine.
_HOST = re.compile(r"(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]")
_STEP = re.compile(r"[A-Za-z0-9_~][A-Za-z0-9._~-]*")
_EXAMPLE = "Write https://github.com/owner/name, or owner/name."


class AddressRefused(CurationError):
    """Not an address that a web form takes."""


@dataclass(frozen=True, slots=True)
class SourceAddress:
    name: str
    url: str


def source_address(text: str) -> SourceAddress:
    """The one spelling of what a person typed, or `AddressRefused`."""
    text = text.strip()
    if _OWNER_AND_NAME.fullmatch(text):
        text = f"https://github.com/{text}"
    if not text.isascii() or not text.isprintable() or " " in text or "\\" in text:
        raise AddressRefused(f"This holds characters that no address has. {_EXAMPLE}")
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise AddressRefused(f"This is not an address. {_EXAMPLE}") from None
    _refuse_all_but_https(parts)
    host = (parts.hostname or "").removeprefix("www.")
    if not _HOST.fullmatch(host):
        raise AddressRefused("The address must name a host on the web, such as github.com.")
    steps = parts.path.strip("/").split("/")
    if not all(_STEP.fullmatch(step) for step in steps):
        raise AddressRefused(f"The address must name a repository. {_EXAMPLE}")
    if host == "github.com":
        return _on_github(steps)
    place = f"{host}:{port}" if port not in (None, 443) else host
    path = "/".join(steps)
    return SourceAddress(f"{place}/{path.removesuffix('.git')}", f"https://{place}/{path}")


def _refuse_all_but_https(parts: SplitResult) -> None:
    if parts.scheme == "http":
        raise AddressRefused("Only https is taken: what comes over http can be changed on its way.")
    if parts.scheme != "https":
        raise AddressRefused(
            f"Only https addresses are taken here. {_EXAMPLE} Folders on this machine are "
            "ingested from the command line."
        )
    if "@" in parts.netloc:
        raise AddressRefused(
            "The address holds a user name, password or token. Write it without: it would stand "
            "in the database for everyone to read."
        )
    if parts.query or parts.fragment:
        raise AddressRefused("Write the address without what follows “?” or “#”.")


def _on_github(steps: list[str]) -> SourceAddress:
    name = "/".join(steps).removesuffix(".git")
    if not _OWNER_AND_NAME.fullmatch(name):
        raise AddressRefused(
            f"On GitHub a repository is owner/name. {_EXAMPLE} Folders go into the sparse paths."
        )
    return SourceAddress(name, f"https://github.com/{name}")
