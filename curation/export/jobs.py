"""rq's entry point: an export that ends as one archive in the data folder."""

import hashlib
import os
import shutil
import tarfile
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from django.conf import settings
from django.db import connection

from curation.export.dataset import export as export_dataset
from curation.export.options import Options
from curation.export.release import rebuild
from curation.models import ExportRun, Release
from curation.queue.attempt import Attempt, LeaseLost, carry_out


def export(run_pk: int) -> None:
    """Write what somebody asked for, once."""
    carry_out(ExportRun, run_pk, _export)


def _export(run: ExportRun, attempt: Attempt[ExportRun]) -> None:
    archives = settings.DATA_DIR / "exports"
    archives.mkdir(exist_ok=True)
    with _working_folder(archives) as folder, Pulse(attempt) as pulse:
        written = folder / (run.name or f"dataset-{run.pk}").replace("/", "-")
        release = Release.objects.filter(name=run.name).first() if run.name else None
        funnel = {}
        if release is not None:
            rebuild(release, written, progress=pulse.beat)
        else:
            outcome = export_dataset(
                Options.from_json(run.options), written,
                name=run.name, user=run.requested_by, progress=pulse.beat,
            )  # fmt: skip
            release, funnel = outcome.release, outcome.funnel
        pulse.beat("packed", 0)
        packed = pack(written, folder / "archive.tar.gz")
        with packed.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        archive = archives / f"export-{run.pk}.tar.gz"
        packed.rename(archive)
    attempt.succeed(
        stage="done", archive=archive.name, sha256=digest, funnel=funnel, release=release
    )


@contextmanager
def _working_folder(archives: Path) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix=".working-", dir=archives))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def pack(folder: Path, archive: Path) -> Path:
    """One file, with neither the times nor the names of this machine in it."""
    with tarfile.open(archive, "w:gz", compresslevel=6) as tar:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                entry = tar.gettarinfo(path, f"{folder.name}/{path.relative_to(folder)}")
                entry.uid = entry.gid = 0
                entry.uname = entry.gname = ""
                entry.mtime = 0
                entry.mode = 0o644
                with path.open("rb") as file:
                    tar.addfile(entry, file)
    return archive


# An export begins processes, which must inherit neither a connection nor half a beat.
_forking = threading.Lock()
os.register_at_fork(
    before=_forking.acquire,
    after_in_parent=_forking.release,
    after_in_child=_forking.release,
)


class Pulse(ExitStack):
    """A context: renews the lease from a thread of its own, with a connection of its own, for an
    export reads one moment of the database and writes nothing meanwhile."""

    def __init__(self, attempt: Attempt[ExportRun]) -> None:
        super().__init__()
        self._attempt = attempt
        self._told = ("", 0)
        self._stopped = threading.Event()
        self._lost = False
        thread = threading.Thread(target=self._run, daemon=True)
        # The last comes first.
        self.callback(thread.join)
        self.callback(self._stopped.set)
        thread.start()

    def beat(self, stage: str, done: int) -> None:
        """What the export calls as it goes; raises where the run was given to another."""
        self._told = (stage, done)
        if self._lost:
            raise LeaseLost("this export belongs to another attempt")

    def _run(self) -> None:
        try:
            while not self._stopped.wait(min(2.0, settings.LEASE_SECONDS / 4)):
                stage, done = self._told
                with _forking:
                    try:
                        self._attempt.renew(stage=stage, done=done)
                    finally:
                        connection.close()
        except LeaseLost:
            self._lost = True
