"""Kernels in folders that torch.compile (Inductor) wrote.

The compiler emits the same kernel repeatedly under different names. So a kernel's identity is the
hash of its unit without the generated name, the compiler's hash and the device's properties.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from curation.identity import content_hash
from ingest.candidate import Candidate, Item
from ingest.git import Selection
from ingest.licenses.unit import or_stated

FILES = Selection(include=("**/*.py",), exclude=("fx_graph_*.py",))

_GENERATED = re.compile(r"triton_\w*")
_HINT = r"'(?:kernel_name|backend_hash)': (?:'[^'\n]*'|\w+)"
_HINTS = re.compile(rf"{_HINT}, *|,? *{_HINT}")
_DEVICE = re.compile(r"\bDeviceProperties\([^()]*\)")


def compiled_kernels(items: Iterable[Item], stated: Mapping[str, str]) -> Iterator[Item]:
    """Replace the content hash of compiled kernels, and add the license that a person stated.

    Helpers are dropped, because the units of the kernels contain them.
    """
    for item in items:
        if not isinstance(item, Candidate):
            yield item
        elif item.kernel.kind == "entry":
            identity = identity_source(item.kernel.name, item.unit.source)
            licenses = tuple(or_stated(found, stated) for found in item.licenses)
            yield replace(item, content_hash=content_hash(identity), licenses=licenses)


def identity_source(name: str, source: str) -> str:
    """Return a kernel's text without its generated name, hints and device properties."""
    source = _DEVICE.sub("DeviceProperties()", _HINTS.sub("", source))
    return re.sub(rf"\b{name}\b", "kernel", source) if _GENERATED.fullmatch(name) else source
