"""Interface to the library scancode-toolkit, which returns the license rules that a text matches.

The index is loaded on first use, once per process. Loading takes seconds and most of a gigabyte.
"""

import gc
import os
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

from ingest.licenses.expressions import normalize

SECONDS_A_TEXT = 20.0
_MOST_REMEMBERED, _LONGEST_REMEMBERED = 1_000, 4_000
_PACKAGE = "scancode-toolkit-mini"


@dataclass(frozen=True, slots=True)
class Match:
    """A license rule that a passage matches. `score` and `coverage` are from 0 to 100."""

    expression: str | None
    start_line: int
    end_line: int
    score: float
    coverage: float
    words: int
    rule: str
    rule_key: str
    kind: str
    exact: bool


class LicenseDetector(Protocol):
    """Interface of a license detector, for `LicenseReader`."""

    @property
    def name(self) -> str: ...

    def match(self, text: str, *, approximate: bool = True) -> list[Match]: ...


class DetectionTookTooLong(Exception):
    """The detector stopped before the end of a text, so its matches are incomplete."""


class Scancode:
    """Detector with scancode's complete index. `folder` is for the files that scancode writes.

    If the index lacked a license, a text of this license could match a more permissive one.
    """

    def __init__(self, folder: Path | None = None, seconds: float = SECONDS_A_TEXT) -> None:
        self._folder = folder
        self._seconds = seconds
        self._index: Any = None
        # Most files of a repository have the same header, so matches are cached by text.
        self._remembered = lru_cache(_MOST_REMEMBERED)(self._match_anew)
        self._spdx: Callable[[str], str | None] | None = None

    @cached_property
    def name(self) -> str:
        return f"{_PACKAGE} {version(_PACKAGE)}"

    def load(self) -> None:
        if self._index is None:
            self._index, self._spdx = _load(self._folder)

    def match(self, text: str, *, approximate: bool = True) -> list[Match]:
        """Return every rule that `text` matches, in the order of the text."""
        short = len(text) <= _LONGEST_REMEMBERED
        return (self._remembered if short else self._match_anew)(text, approximate)

    def _match_anew(self, text: str, approximate: bool) -> list[Match]:
        self.load()
        if not text.strip():
            return []
        deadline = time.time() + self._seconds
        found = self._index.match(query_string=text, approximate=approximate, deadline=deadline)
        if time.time() > deadline:
            raise DetectionTookTooLong(f"The detector did not finish in {self._seconds:g} seconds.")
        return sorted(map(self._match, found), key=lambda match: (match.start_line, match.end_line))

    def _match(self, match: Any) -> Match:
        rule = match.rule
        return Match(
            expression=self._spdx(rule.license_expression) if self._spdx else None,
            start_line=match.start_line,
            end_line=match.end_line,
            score=float(match.score()),
            coverage=float(match.coverage()),
            words=int(match.len()),
            rule=rule.identifier,
            rule_key=str(rule.license_expression),
            kind=next((kind for kind in _KINDS if getattr(rule, f"is_license_{kind}")), "other"),
            exact=match.matcher.startswith(("1-hash", "2-aho")),
        )


_KINDS = ("text", "notice", "reference", "tag", "intro", "clue")


def _load(folder: Path | None) -> tuple[Any, Callable[[str], str | None]]:
    _prepare_import(folder)
    from licensedcode.cache import build_spdx_license_expression, get_cache

    # The garbage collector took half of the loading time, to visit millions of lasting objects.
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        license_cache = get_cache()
    finally:
        if was_enabled:
            gc.enable()

    @cache
    def spdx(expression: str) -> str | None:
        licensing = license_cache.licensing
        return normalize(build_spdx_license_expression(expression, licensing=licensing))

    return license_cache.index, spdx


def _prepare_import(folder: Path | None) -> None:
    """Set scancode's cache folder, and remove the folder that its import creates in /tmp."""
    if "scancode_config" in sys.modules:
        return
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        os.environ.setdefault("SCANCODE_CACHE", str(folder))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the import warns about libmagic, which is never used
        import scancode_config
    with suppress(OSError):
        Path(scancode_config.scancode_temp_dir).rmdir()
