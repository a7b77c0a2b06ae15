"""Walks a debug folder of any of the three known layouts and reads its traces, one at a time.

    torch_compile_debug/run_…/torchinductor/MODEL__0_inference_0.0/output_code.py, fx_graph_…
    torchinductor_USER/ab/cab….py                      (modules and single kernels mixed)
    MODEL/TRACE/{output_code.py, fx_graph_readable.py, kernels/…}

Links are not followed. A file that can't be read is a problem of its trace, never the end.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from curation.errors import CurationError
from ingest.inductor.graph import Graph, read_graph
from ingest.inductor.kernel import InductorKernel, Trace, Unread
from ingest.inductor.output_code import CALL, OutputCode, read_output_code

OUTPUT_CODE = "output_code.py"
GRAPHS = ("fx_graph_readable.py", "fx_graph_transformed.py")
_GRAPH_FILES = frozenset({*GRAPHS, "fx_graph_runnable.py"})
_KERNEL_MARKS = (b"triton_heuristics", b"@triton.jit")
_DEFINITION = re.compile(r"^@triton\.jit\ndef (\w+)\(", re.MULTILINE)


class FolderUnreadable(CurationError):
    """The path is no folder; the message is for a person."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one reading."""

    files: int = 500_000
    file_bytes: int = 64_000_000


def read_debug_folder(folder: Path, limits: Limits | None = None) -> Iterator[Trace]:
    """Yield every trace below `folder`, ordered by path; kernels without a trace come last.

    A folder without a kernel gives no trace.
    """
    limits = limits or Limits()
    if not folder.is_dir():
        raise FolderUnreadable(f"There is no folder at {folder}; give a folder of torch.compile's.")
    in_a_module: set[str] = set()
    single: list[str] = []
    for count, path in enumerate(_python_files(folder, ""), start=1):
        if count > limits.files:
            yield _problem_only(path, f"more than {limits.files} Python files; the rest was left")
            break
        if Path(path).name in _GRAPH_FILES:
            continue
        data = _bytes(folder, path, limits)
        if isinstance(data, Unread):
            yield _problem_only(path, data.reason)
        elif CALL in data:
            module = _decoded(path, data)
            if isinstance(module, Unread):
                yield _problem_only(path, module.reason)
                continue
            code = read_output_code(module)
            in_a_module |= code.kernel_files
            yield _trace(folder, path, code, limits)
        elif all(mark in data for mark in _KERNEL_MARKS):
            single.append(path)
    yield from _single_kernels(folder, single, in_a_module, limits)


def _trace(folder: Path, path: str, code: OutputCode, limits: Limits) -> Trace:
    model, name = _names(path)
    problems: list[Unread] = []
    if code.unreadable:
        reason = f"{code.unreadable} of its kernels could not be read: the statement is broken"
        problems.append(Unread(path, reason))
    graph: Graph | None = None
    if Path(path).name == OUTPUT_CODE:
        graph, problem = _graph(folder, str(Path(path).parent), limits)
        problems += [problem] if problem is not None else []
    kernels = tuple(
        InductorKernel(model, name, path, found.line, found.name, found.source, found.origins)
        for found in code.kernels
    )
    return Trace(model, name, path, kernels, graph, tuple(problems))


def _graph(folder: Path, subfolder: str, limits: Limits) -> tuple[Graph | None, Unread | None]:
    problem: Unread | None = None
    for name in GRAPHS:
        path = str(Path(subfolder) / name)
        if not (folder / path).is_file():
            continue
        data = _bytes(folder, path, limits)
        result = data if isinstance(data, Unread) else _decoded(path, data)
        if isinstance(result, str):
            return read_graph(path, result), None
        problem = problem or result
    return None, problem or Unread(subfolder, "the graph it was compiled from is not beside it")


def _names(path: str) -> tuple[str, str]:
    """Return model and trace by the path: folders are named `MODEL__AOTID.n`; a cache has
    neither."""
    place = Path(path)
    if place.name != OUTPUT_CODE:
        return "", place.stem
    trace = place.parent.name
    model, separator, _ = trace.rpartition("__")
    return (model if separator else place.parent.parent.name), trace


def _single_kernels(
    folder: Path, paths: list[str], in_a_module: set[str], limits: Limits
) -> Iterator[Trace]:
    """Yield kernel files without a module: they have a source, and no origin or graph."""
    for path in paths:
        if Path(path).name in in_a_module:
            continue
        data = _bytes(folder, path, limits)
        code = data if isinstance(data, Unread) else _decoded(path, data)
        if isinstance(code, Unread):
            yield _problem_only(path, code.reason)
            continue
        body = code.lstrip("\n")
        line = 1 + len(code) - len(body)
        stem = Path(path).stem
        definition = _DEFINITION.search(body)
        name = definition[1] if definition else stem
        yield Trace(
            "", stem, path, (InductorKernel("", stem, path, line, name, body.rstrip() + "\n"),)
        )


def _problem_only(path: str, reason: str) -> Trace:
    model, name = _names(path)
    return Trace(model, name, path, (), problems=(Unread(path, reason),))


def _python_files(folder: Path, root: str) -> Iterator[str]:
    pending = [root]
    while pending:
        subfolder = pending.pop()
        try:
            with os.scandir(folder / subfolder) as listing:
                items = sorted(listing, key=lambda item: item.name)
        except OSError:
            continue
        folders: list[str] = []
        for item in items:
            path = f"{subfolder}/{item.name}" if subfolder else item.name
            if item.is_dir(follow_symlinks=False):
                folders.append(path)
            elif item.name.endswith(".py") and item.is_file(follow_symlinks=False):
                yield path
        pending.extend(reversed(folders))


def _bytes(folder: Path, path: str, limits: Limits) -> bytes | Unread:
    try:
        handle = os.open(folder / path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        with os.fdopen(handle, "rb") as file:
            data = file.read(limits.file_bytes + 1)
    except OSError as error:
        return Unread(path, f"it can't be opened: {error.strerror or 'unknown reason'}")
    if len(data) > limits.file_bytes:
        return Unread(path, f"it is larger than {limits.file_bytes} bytes")
    return data


def _decoded(path: str, data: bytes) -> str | Unread:
    try:
        return data.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError:
        return Unread(path, "it is not UTF-8 text")
