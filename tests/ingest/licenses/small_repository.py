"""Repositories of a few files, made in the test, and the verdict on one of them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ingest.licenses import Assessment, LicenseReader, Scancode, assess, read_tree

KERNEL = '''import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    """Adds two vectors within the limit of one commit of a primitive."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, at < n) + tl.load(y + at, at < n), at < n)
'''


@dataclass(frozen=True)
class MemoryTree:
    files: dict[str, bytes]

    def paths(self) -> Iterable[str]:
        return self.files

    def read(self, path: str) -> bytes | None:
        return self.files.get(path)


@lru_cache(maxsize=1)
def detector() -> Scancode:
    """One detector for all tests: the index is loaded once."""
    # No test of a verdict depends on how busy the machine is.
    return Scancode(seconds=120)


@lru_cache(maxsize=1)
def reader() -> LicenseReader:
    """A reader that remembers what other tests read."""
    return LicenseReader(detector())


def assessed(files: dict[str, str | bytes], path: str = "kernels/add.py") -> Assessment:
    """The verdict on `path` in a repository of these files."""
    tree = MemoryTree(
        {
            p: t.encode("utf-8", "surrogatepass") if isinstance(t, str) else t
            for p, t in files.items()
        }
    )
    licenses = read_tree(tree, reader())
    return assess(path, tree.files[path], licenses, reader())


@lru_cache(maxsize=64)
def text_of(key: str) -> str:
    """The text of a licence, or by `NAME.RULE` of a notice, from the detector's own data."""
    import licensedcode

    data = Path(licensedcode.__file__).parent / "data"
    path = data / "rules" / key if key.endswith(".RULE") else data / "licenses" / f"{key}.LICENSE"
    return re.split(r"(?m)^---[ \t]*$", path.read_text("utf-8"))[-1].strip() + "\n"


def commented(text: str) -> str:
    """A text as a block of Python comments."""
    return "".join(f"# {line}".rstrip() + "\n" for line in text.splitlines())


def kernel(header: str = "", docstring: str = "", end: str = "") -> str:
    """A kernel file with a header, a docstring and a last comment, each may be empty."""
    opening = f'"""{docstring}"""\n\n' if docstring else ""
    return f"{header}\n{opening}{KERNEL}{end}"
