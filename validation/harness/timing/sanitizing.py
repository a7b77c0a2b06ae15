"""compute-sanitizer check of an entry that passed: runs its cases to find reads out of bounds.

The process is started, not forked, because the tool must be loaded before CUDA. Only the tool's
lines and the exit status count, since the entry can print anything.
"""

import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO

from validation.harness.entry import Entry
from validation.harness.plan.trial_plan import Trial
from validation.harness.plan.trials import load_constants
from validation.harness.pool.channel import write_parcel
from validation.harness.pool.children import ServerEnded
from validation.harness.pool.fork_server import PACKAGE
from validation.harness.pool.worker_pool import WorkerPool
from validation.harness.report import Check, Report, Verdict, with_check
from validation.harness.sandbox import kill, start
from validation.harness.session.entry_session import Session, Stopped
from validation.harness.session.recordings import Recordings, play_order
from validation.harness.timing import sanitizer

# Factor for time limits, because the tool checks each memory access.
SLOWER = 5
OUTPUT_MOST = 1 << 20
PROGRAM = """\
import sys, types
sys.modules["validation"] = types.ModuleType("validation")
sys.modules["validation"].__path__ = [{package!r}]
from validation.harness.worker.sanitized_cases import main
main({request!r})
"""


def sanitized(entry: Entry, report: Report, pool: WorkerPool) -> Report:
    """Return the report of an entry that passed, with the compute-sanitizer check added."""
    started = time.monotonic()
    try:
        session = Session(entry, pool, alone=True)
        with pool.lock.held(exclusive=False), session.reading():
            check = _check(session)
    except Stopped as stopped:
        check = Check("sanitizer", None, f"not run: {stopped.check.words}")
    except ServerEnded:
        check = Check("sanitizer", None, "not run: the process that starts all others died")
    return with_check(report, check, {"sanitizer": time.monotonic() - started})


def _check(session: Session) -> Check:
    tool = sanitizer.found()
    if tool is None:
        raise Stopped(Check("sanitizer", None, "compute-sanitizer is gone"))
    with tempfile.TemporaryDirectory(prefix="sanitizer-") as name:
        folder = Path(name)
        # The sandboxed process runs as another user.
        folder.chmod(0o755)
        count, token = _write_request(session, folder / "request")
        status, output = _run(session, tool, folder)
    return judged(status, output, f"{count} cases ran {token}", count)


def _write_request(session: Session, path: Path) -> tuple[int, str]:
    """Write the recorded programs of the shown cases to a file. Return their number, and a secret
    token that the process prints after the last one."""
    with session.pool.reference() as author:
        cases = load_constants(session, author).cases
        shown = [Trial(n, f"case {n}", "shown", case) for n, case in enumerate(cases)]
        inputs, _ = session.make(author, shown, session.limits.altogether)
    order = session.order("triton_code")
    with session.candidate("launcher") as child:
        recordings = Recordings(session, child, inputs, order)
    calls = [(trial, call) for trial, call in recordings.first_calls() if call.raised is None]
    played, blobs = play_order(calls, inputs)
    token = secrets.token_hex(8)
    with path.open("w+b") as file:
        write_parcel(file.fileno(), {**order, **played, "token": token}, blobs)
    path.chmod(0o644)
    return len(calls), token


def _run(session: Session, tool: Path, folder: Path) -> tuple[int | None, str]:
    """Return the exit status and the output. The status is None after a timeout."""
    candidates = session.pool.candidates
    plain = candidates.confinement()
    confinement = replace(
        plain,
        readable=(*plain.readable, folder, *sanitizer.readable(tool)),
        # Give each tensor its own allocation, so that the tool knows its end.
        env={**plain.env, "PYTORCH_NO_CUDA_MEMORY_CACHING": "1"},
    )
    text = PROGRAM.format(package=str(PACKAGE), request=str(folder / "request"))
    command = sanitizer.command(tool, [sys.executable, "-I", "-c", text])
    limit = SLOWER * session.options.timeout + session.compile_budget
    with tempfile.TemporaryFile() as output:
        process = start(command, confinement, level=candidates.level, stdout=output, stderr=output)
        try:
            status = process.wait(limit)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            kill(process)
        return status, _ends(output)


def judged(status: int | None, output: str, last: str, cases: int) -> Check:
    """Return the check. `last`: the line that is printed when all cases have run."""
    if status is None:
        return Check("sanitizer", None, "not run to the end: it took too long")
    errors = sanitizer.errors(output, status)
    numbers = {"errors": errors, "cases": cases, "reads": "shown"}
    if errors:
        words = sanitizer.complaint(output) or "without a word"
        return Check("sanitizer", Verdict.FAILED, f"compute-sanitizer: {words}", numbers)
    if errors is None or status or last not in output:
        words = _last_of(output.splitlines()) or f"status {status}"
        return Check("sanitizer", None, f"not run to the end: {words}", numbers)
    words = f"compute-sanitizer finds nothing in {cases} cases"
    return Check("sanitizer", Verdict.PASSED, words, numbers)


def _ends(file: IO[bytes]) -> str:
    """Return the beginning and the end of a possibly endless output."""
    size = file.seek(0, 2)
    file.seek(0)
    output = file.read(OUTPUT_MOST)
    if size > 2 * OUTPUT_MOST:
        file.seek(-OUTPUT_MOST, 2)
    return (output + file.read(OUTPUT_MOST)).decode(errors="replace")


def _last_of(lines: Sequence[str]) -> str:
    return next((line.strip()[:300] for line in reversed(lines) if line.strip("= \n")), "")
