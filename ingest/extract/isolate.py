"""Isolation of one kernel as a standalone module, or the reasons why it is impossible."""

from __future__ import annotations

from ingest.extract.closure import Gatherer
from ingest.extract.module import FoundKernel
from ingest.extract.records import StandaloneUnit
from ingest.extract.render import render
from ingest.extract.repository import Repository
from ingest.extract.resolve import Resolver

LONGEST_NAME = 100
"""Maximum letters of a name that a reason quotes. A name may have 800,000 letters."""


def isolate(
    kernel: FoundKernel,
    repository: Repository,
    resolver: Resolver,
    launcher_source: str | None = None,
    *,
    keep_tuning: bool = False,
) -> StandaloneUnit:
    """Isolate a kernel with its decorators. If that fails, try without the tuning decorators.

    keep_tuning: keep tuning decorators, because the launcher does not pass their arguments.
    """
    resolver = resolver.for_language(kernel.language)
    closure = Gatherer(repository, resolver, kernel, drop_tuning=False).gather()
    if not closure.complete and closure.tuned and not keep_tuning:
        without = Gatherer(repository, resolver, kernel, drop_tuning=True).gather()
        if without.complete:
            closure = without
    source, renamed = render(closure)
    missing = (f"Nothing defines {name[:LONGEST_NAME]}." for name in closure.missing)
    return StandaloneUnit(
        source=source,
        standalone=closure.complete,
        reasons=(*closure.reasons, *missing),
        drawn_from=tuple(sorted({piece.module.path for piece in closure.pieces.values()})),
        notes=(*closure.notes, *renamed),
        launcher_source=launcher_source,
    )
