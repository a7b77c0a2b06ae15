"""Entries that the benchmarks of the harness check: distinct honest ones, and a few faulty ones."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tests.hostile.zoo.catalog import Needs, Verdict
from tests.hostile.zoo.load import honest_entries, zoo
from validation.harness.entry import TEXTS, Entry, parse

# Faulty entries, in equal parts.
TROUBLE = (
    "never-returns.loop", "never-returns.kernel", "crashes.segmentation-fault", "crashes.abort",
    "writes-far-away.terabytes", "exits-successfully.launcher", "forges-the-report.all-files",
    "ignores-its-inputs.zeros", "returns-unwritten-memory.empty", "last-block-unwritten.shown",
)  # fmt: skip


def distinct(count: int, *, first: int = 0) -> list[Entry]:
    """Honest entries whose kernels have other names than any other's, and so are compiled anew."""
    honest = [entry for entry in honest_entries() if entry.needs is Needs.NOTHING]
    made = []
    for number in range(first, first + count):
        source, copy = honest[number % len(honest)], number // len(honest)
        entry = parse(source.record(), source.name)
        renamed = re.sub(r"\b(\w+_kernel)\b", rf"\1_{copy}", entry.triton_code)
        made.append(replace(entry, id=f"{source.name}-{copy}", triton_code=renamed))
    return made


def spread(entries: Sequence[Entry], count: int) -> list[Entry]:
    count = max(1, min(count, len(entries)))
    return [entries[number * len(entries) // count] for number in range(count)]


def mixture(count: int) -> tuple[list[Entry], dict[str, frozenset[Verdict]]]:
    """One of twenty is trouble."""
    bad = {entry.name: entry for entry in zoo()}
    entries = []
    expected = {}
    for number, entry in enumerate(distinct(count)):
        verdicts = frozenset({Verdict.PASSED})
        if number % 20 == 10:
            source = bad[TROUBLE[number // 20 % len(TROUBLE)]]
            entry = replace(parse(source.record(), source.name), id=f"{source.name}-{number}")
            verdicts = source.expected
        entries.append(entry)
        expected[entry.id] = verdicts
    return entries, expected


def pytest_once(entry: Entry, device: str) -> int:
    folder = Path(tempfile.mkdtemp(prefix="measured-"))
    try:
        for name in TEXTS:
            (folder / f"{name}.py").write_text(getattr(entry, name))
        environment = {**os.environ, "TRITON_CACHE_DIR": str(folder / "cache")}
        environment |= {"TRITON_INTERPRET": "1"} if device == "interpreter" else {}
        command = [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "test_code.py"]
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, timeout=120
        )
        return int(done.returncode != 0)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
