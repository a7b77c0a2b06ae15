"""Foreign files are parsed in a process that holds nothing, and that may end at any of them."""

import logging
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from django.conf import settings

from curation.errors import CurationError
from curation.models import Drop, Kernel
from ingest.candidate import Candidate, Dropped, FileRead
from ingest.confined.detector import ConfinedScancode
from ingest.confined.process import LIMITS, Terms
from ingest.confined.reader import UNCONFINED, Reader
from ingest.evidence import Evidence
from ingest.git import Blob
from ingest.jobs import ingest_now
from ingest.licenses import LicenseReader
from ingest.licenses.reader import RULES_VERSION, git_blob_hash
from ingest.sources import take_up
from tests.conftest import KERNEL, commit
from tests.hostile.test_validation_killed import descendants
from validation.harness.sandbox import Level, probe

pytestmark = pytest.mark.slow

LEVELS = (None, Level.NONE)
"""The best that this host has, and what is left where it has none."""
WITHOUT_PARSERS = """
import sys, django
django.setup()
from django.core.management import call_command
import ingest.jobs
from ingest.extract import syntax
syntax.Parser = syntax.QueryCursor = None
call_command("ingest", sys.argv[1], now=True)
print("licensedcode" in sys.modules)
"""


@dataclass
class Tree:
    """Files in memory; `before` is called with the path of each that is about to be read."""

    files: dict[str, bytes]
    before: Callable[[str], None] = lambda path: None

    def paths(self) -> list[str]:
        return list(self.files)

    def read(self, path: str) -> bytes | None:
        self.before(path)
        return self.files.get(path)


def some_kernels(count: int) -> Tree:
    return Tree(
        {f"k{n}.py": KERNEL.replace("add_kernel", f"add_{n}").encode() for n in range(count)}
    )


def a_reader(tree: Tree, **terms: object) -> Reader:
    licenses = LicenseReader(ConfinedScancode())
    return Reader(licenses, lambda *_: None, tree, replace(Terms(), **terms))  # type: ignore[arg-type]


def kill(reader: Reader) -> None:
    for pid in worker_of(reader):
        os.kill(pid, signal.SIGKILL)


def worker_of(reader: Reader) -> list[int]:
    """The process that parses, below those that confine it."""
    assert reader.pid is not None
    found = []
    for pid in (reader.pid, *descendants(reader.pid)):
        words = Path(f"/proc/{pid}/cmdline").read_text()
        confines = any(script in words for script in ("guard.py", "user_namespace", "confined.py"))
        of_python = Path(f"/proc/{pid}/exe").resolve().name.startswith("python")
        if of_python and not confines and "run_module('ingest.confined.worker'" in words:
            found.append(pid)
    return found


@pytest.mark.parametrize("level", LEVELS)
def test_a_parser_killed_at_a_file_drops_only_that_file(level: Level | None) -> None:
    tree = some_kernels(3)
    with a_reader(tree, level=level) as reader:
        tree.before = lambda path: kill(reader) if path == "k1.py" else None

        found = list(reader.kernels(tree.paths()))

    assert [item.kernel.path for item in found if isinstance(item, Candidate)] == [
        "k0.py",
        "k2.py",
    ]
    [dropped] = [item for item in found if isinstance(item, Dropped)]
    assert (dropped.path, dropped.reason) == ("k1.py", "worker-ended")
    assert "at this one, which was left out" in dropped.message


def test_too_many_files_that_kill_the_parser_fail_the_ingest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ingest.confined.reader.MOST_ENDED", 3)
    tree = some_kernels(6)
    with a_reader(tree) as reader:
        tree.before = lambda path: kill(reader)

        with pytest.raises(CurationError, match=r"again and again: k0\.py, k1\.py"):
            list(reader.kernels(tree.paths()))


def test_a_file_above_the_memory_limit_drops_only_itself() -> None:
    limits = replace(LIMITS, memory=250 << 20)
    with a_reader(Tree({}), limits=limits) as reader:
        huge = reader.file(Blob("huge.py", "1" * 40, b"x = 1\n" * 2_500_000))
        small = reader.file(Blob("small.py", "2" * 40, b"x = 1\n"))

    assert isinstance(huge, Dropped)
    assert (huge.path, huge.reason) == ("huge.py", "worker-ended")
    assert isinstance(small, FileRead)
    assert small.lines == 1


@pytest.mark.parametrize("level", LEVELS)
def test_the_parser_process_has_no_secrets_and_no_network(
    level: Level | None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://secret-of-the-ingest")
    tree = some_kernels(1)
    seen: list[str] = []
    with a_reader(tree, level=level) as reader, caplog.at_level(logging.WARNING):

        def look(path: str) -> None:
            for pid in (reader.pid, *descendants(reader.pid or 0)):
                assert b"secret-of-the-ingest" not in Path(f"/proc/{pid}/environ").read_bytes()
            seen.extend(os.readlink(f"/proc/{pid}/ns/net") for pid in worker_of(reader))

        tree.before = look
        assert [type(item) for item in reader.kernels(tree.paths())] == [Candidate]

    assert seen
    # Landlock leaves the namespace and closes its sockets.
    if (level or probe().level) is Level.BUBBLEWRAP:
        assert os.readlink("/proc/self/ns/net") not in seen
    assert (UNCONFINED in caplog.messages) == (level is Level.NONE)


def test_a_license_reading_of_unrequested_content_is_not_cached() -> None:
    kept: dict[str, str] = {}
    nothing = '{"statements":[],"copyrights":[],"remarks":[]}'
    tree = Tree({"LICENSE": b"MIT", "k.py": KERNEL.encode()})
    with Reader(LicenseReader(ConfinedScancode(), kept), lambda *_: None, tree) as reader:
        list(reader.kernels(["k.py"]))
        given = dict(kept)
        reader._keep(f"{git_blob_hash('of another')}:text:{RULES_VERSION}:detector", nothing)

    assert kept == given
    assert {key.partition(":")[0] for key in kept} <= {
        git_blob_hash(data) for data in tree.files.values()
    }
    assert kept


@pytest.mark.django_db
def test_an_ingest_records_the_file_that_killed_the_parser(
    kernel_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (kernel_folder / "other.py").write_text(KERNEL.replace("add_kernel", "other_kernel"))
    evidence = Reader.evidence

    def kill_at_add(reader: Reader, item: Candidate) -> Evidence | Dropped:
        if item.kernel.path == "add.py":
            kill(reader)
        return evidence(reader, item)

    monkeypatch.setattr(Reader, "evidence", kill_at_add)
    commit(kernel_folder)

    ingest_now(take_up(str(kernel_folder)))

    assert list(Drop.objects.values_list("stage", "path", "reason", "qualname")) == [
        ("evidence", "add.py", "worker-ended", "add_kernel")
    ]
    assert list(Kernel.objects.values_list("name", flat=True)) == ["other_kernel"]


def test_the_ingest_process_loads_no_parser_or_license_detector(
    kernel_folder: Path, tmp_path: Path, migrated: Callable[[Path], Path]
) -> None:
    """Near-duplicates are found from stored kernels, by a parser of their own."""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_PARSERS, str(kernel_folder)],
        cwd=settings.BASE_DIR,
        env={
            "PATH": os.environ["PATH"],
            "CURATION_DATA": str(migrated(tmp_path / "data")),
            "DJANGO_SETTINGS_MODULE": "curation.settings",
        },
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stderr
    assert "1 kernel" in done.stdout
    assert done.stdout.splitlines()[-1] == "False"
