"""Conversion of a kernel to the record that extraction returns."""

from __future__ import annotations

import hashlib

from ingest.extract.kernels import read_parameters
from ingest.extract.module import FoundKernel
from ingest.extract.records import ExtractedKernel, Kind, Launcher


def describe(kernel: FoundKernel, kind: Kind, launchers: tuple[Launcher, ...]) -> ExtractedKernel:
    source = kernel.module.source.lines(kernel.first_line, kernel.last_line)
    return ExtractedKernel(
        path=kernel.module.path,
        qualname=kernel.qualname,
        name=kernel.name,
        start_line=kernel.first_line,
        end_line=kernel.last_line,
        kind=kind,
        language=kernel.language,
        container=kernel.container,
        source=source,
        sha256=sha256_of(source),
        parameters=read_parameters(kernel),
        launchers=launchers,
    )


def sha256_of(source: str) -> str:
    return hashlib.sha256(source.encode("utf-8")).hexdigest()
