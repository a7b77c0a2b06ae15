"""Stages for a folder of torch.compile: read, extract, hash the content.

The same kernel is emitted repeatedly under other names; its identity ignores them.
"""

from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

from curation.identity import content_hash
from curation.tokens import count_tokens
from ingest.candidate import Candidate, Dropped, GraphRead, Item, Progress, file_read
from ingest.extract import Extraction, extract_file
from ingest.git.snapshot import Blob
from ingest.inductor import InductorKernel, Trace, identity_source, read_debug_folder
from ingest.stages import read_text


def read_compiled(folder: Path, progress: Progress) -> Iterator[Item]:
    """Yield every trace below `folder`: its file, its graph, its kernels."""
    for number, trace in enumerate(read_debug_folder(folder)):
        progress("read", number, 0)
        for problem in trace.problems:
            yield Dropped("read", problem.path, "unread", f"Not read: {problem.reason}.")
        if trace.kernels:
            yield from _trace(folder, trace)


def _trace(folder: Path, trace: Trace) -> Iterator[Item]:
    for path in dict.fromkeys(kernel.path for kernel in trace.kernels):
        data = (folder / path).read_bytes()
        blob = Blob(path, content_hash(data.decode("utf-8", "replace"))[:40], data)
        yield file_read(blob, read_text(path, data))
    if trace.graph is not None:
        yield GraphRead(
            model=trace.model,
            trace=trace.name,
            path=trace.graph.path,
            text=trace.graph.text,
            module=trace.graph.module,
            missing=tuple(trace.graph.missing),
        )
    for kernel in trace.kernels:
        yield _kernel(trace, kernel)


def _kernel(trace: Trace, kernel: InductorKernel) -> Item:
    """Extract a kernel from its string, which is a module of its own."""
    entries = [
        item
        for item in extract_file(kernel.path, kernel.source.encode())
        if isinstance(item, Extraction) and item.kernel.kind == "entry"
    ]
    if len(entries) != 1:
        return Dropped(
            "extract",
            kernel.path,
            "no-kernel" if not entries else "many-kernels",
            f"The text of {kernel.name} holds {len(entries)} kernels that could be launched, "
            "not 1.",
            kernel.name,
            kernel.line,
        )
    inner = entries[0].kernel
    lines = kernel.source.count("\n", 0, len(kernel.source.rstrip("\n")))
    return Candidate(
        kernel=replace(
            inner,
            name=kernel.name,
            container="string",
            start_line=kernel.line,
            end_line=kernel.line + lines,
        ),
        unit=entries[0].unit,
        content_hash=content_hash(identity_source(kernel.source)),
        tokens=count_tokens(kernel.source),
        graph=(trace.model, trace.name) if trace.graph is not None else None,
        origins=asdict(kernel.origins),
    )
