"""Extraction from a fragment: a string constant, a template or a Markdown block.

A fragment is treated as a repository of one file. Its line numbers are those of its file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ingest.extract.embedded import Fragment
from ingest.extract.isolate import isolate
from ingest.extract.kernels import describe, kernels_of, sha256_of
from ingest.extract.module import FoundKernel, Module
from ingest.extract.records import Extraction, StandaloneUnit
from ingest.extract.references import References
from ingest.extract.repository import Repository
from ingest.extract.resolve import Resolver
from ingest.extract.source_tree import MemoryTree
from ingest.extract.syntax import ParseTimeout

DEFINED_NAME = re.compile(r"^[ \t]*(?:async[ \t]+)?def[ \t]+([^(\n]+?)[ \t]*\(", re.M)
HOLED = "It is a template: its holes are filled by code when it is used."


def kernels_in(path: str, fragment: Fragment) -> Iterator[Extraction]:
    """Yield every kernel of the fragment. A kernel with template holes is never standalone."""
    name = path if path.endswith(".py") else f"{path}.py"
    code = fragment.code.encode("utf-8")
    repository = Repository(MemoryTree({name: code}))
    resolver = Resolver(repository)
    try:
        module = repository.module(name)
    except ParseTimeout:
        return
    if module is None:
        return
    module.fragment = True
    references = References(resolver)
    kernels = kernels_of(module, resolver)
    for kernel in kernels:
        references.add_kernel(kernel)
    references.read(module)
    for kernel in kernels:
        yield _extraction(path, fragment, module, kernel, references, repository, resolver)


def _extraction(
    path: str,
    fragment: Fragment,
    module: Module,
    kernel: FoundKernel,
    references: References,
    repository: Repository,
    resolver: Resolver,
) -> Extraction:
    record = describe(kernel, references.kind(kernel), references.launchers(kernel))
    source = "\n".join(fragment.original[record.start_line - 1 : record.end_line])
    record = replace(
        record,
        path=path,
        container=fragment.container,
        source=source,
        sha256=sha256_of(source),
        launchers=tuple(replace(launcher, path=path) for launcher in record.launchers),
    )
    if fragment.container == "template":
        # A template hole may stand in place of the kernel's name.
        written = DEFINED_NAME.search(source)
        name = written.group(1) if written else record.name
        qualname = record.qualname.removesuffix(record.name) + name
        unit = StandaloneUnit(source + "\n", False, (HOLED,), drawn_from=(path,))
        return Extraction(replace(record, name=name, qualname=qualname), unit)
    unit = isolate(kernel, repository, resolver)
    return Extraction(record, replace(unit, drawn_from=(path,)))
