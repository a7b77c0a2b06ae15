"""How the tests here say what goes in and look at what comes out."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import textwrap
from pathlib import Path

import pytest

from ingest.extract import Extraction, MemoryTree, Problem, extract
from tests.ingest.extract.undefined import undefined_names

PRELUDE = "import triton\nimport triton.language as tl\n"


def read(files: dict[str, str | bytes]) -> tuple[list[Extraction], list[Problem]]:
    """Extract a repository given as path → text (dedented) or bytes (as they are)."""
    tree = MemoryTree(
        {
            path: text if isinstance(text, bytes) else textwrap.dedent(text).encode()
            for path, text in files.items()
        }
    )
    found: list[Extraction] = []
    problems: list[Problem] = []
    for item in extract(tree):
        if isinstance(item, Problem):
            problems.append(item)
        else:
            found.append(item)
    for extraction in found:
        if extraction.unit.standalone:
            # Newer grammar than the running Python's can't be checked by it.
            with contextlib.suppress(SyntaxError):
                assert undefined_names(extraction.unit.source) == ()
    return found, problems


def kernels(text: str | bytes, path: str = "ops/kernels.py") -> list[Extraction]:
    return read({path: text})[0]


def only(text: str | bytes, path: str = "ops/kernels.py") -> Extraction:
    (found,) = kernels(text, path)
    return found


def named(found: list[Extraction], name: str) -> Extraction:
    (match,) = [e for e in found if e.kernel.qualname == name]
    return match


def files_of(package: str) -> dict[str, bytes]:
    """The files of an installed package, by path: real code that isn't carried here."""
    top, *inner = package.split(".")
    spec = importlib.util.find_spec(top)
    if spec is None or spec.origin is None:
        if os.environ.get("CI"):
            pytest.fail(f"CI must have {package}")
        pytest.skip(f"{package} is not installed")
    folder = Path(spec.origin).parent
    return {
        path.relative_to(folder.parent).as_posix(): path.read_bytes()
        for path in folder.joinpath(*inner).rglob("*.py")
    }


def notebook(*cells: str, **over: object) -> bytes:
    """A notebook of these code cells; one that begins with `#md ` is Markdown."""
    document: dict[str, object] = {
        "cells": [
            {"cell_type": "markdown", "metadata": {}, "source": text.removeprefix("#md ")}
            if text.startswith("#md ")
            else {
                "cell_type": "code",
                "execution_count": None,
                "metadata": {},
                "outputs": [],
                "source": text.splitlines(keepends=True),
            }
            for text in cells
        ],
        "metadata": {"kernelspec": {"language": "python", "name": "python3"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps({**document, **over}).encode()
