"""The cases of an entry that passed once more, under compute-sanitizer: reads out of bounds too.

What runs under it starts anew, from no warm parent: the tool has to be there before CUDA is. Its
words count, and whether it found something; what the entry prints beside them is not believed.
"""

import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from validation.harness import sanitizer
from validation.harness.arguments import gathered
from validation.harness.channel import write_parcel
from validation.harness.children import ChildEnded
from validation.harness.entry import Entry
from validation.harness.examine import Examination
from validation.harness.fork_server import PACKAGE
from validation.harness.plan import Trial
from validation.harness.recordings import Recordings, with_constants
from validation.harness.report import Check, Report, Verdict, presentable
from validation.harness.step_runner import Stopped, reading
from validation.harness.verdicts import verdict_of
from validation.harness.worker_pool import WorkerPool
from validation.sandbox import kill, start

# Each access to memory is looked at.
SLOWER = 5
SAID_MOST = 1 << 20
PROGRAM = """\
import sys, types
sys.modules["validation"] = types.ModuleType("validation")
sys.modules["validation"].__path__ = [{package!r}]
from validation.harness.inside.cases import main
main({request!r})
"""


def sanitized(entry: Entry, report: Report, pool: WorkerPool) -> Report:
    """Return the report of an entry that passed, with compute-sanitizer's check added."""
    started = time.monotonic()
    try:
        with pool.lock.held(exclusive=False):
            check = UnderSanitizer(entry, pool, alone=True).check()
    except Stopped as stopped:
        check = Check("sanitizer", None, f"not run: {stopped.check.words}")
    except ChildEnded:
        check = Check("sanitizer", None, "not run: the fork server died")
    checks = (*report.checks, presentable(check))
    verdict, message = verdict_of(checks)
    seconds = {**report.seconds, "sanitizer": round(time.monotonic() - started, 4)}
    return replace(report, verdict=verdict, message=message, checks=checks, seconds=seconds)


class UnderSanitizer(Examination):
    def check(self) -> Check:
        tool = sanitizer.found()
        if tool is None:
            raise Stopped(Check("sanitizer", None, "compute-sanitizer is gone"))
        with tempfile.TemporaryDirectory(prefix="sanitizer-") as name:
            folder = Path(name)
            # Inside the sandbox it is another user.
            folder.chmod(0o755)
            count, token = self._request(folder / "request")
            status, said = self._run(tool, folder)
        return judged(status, said, f"{count} cases ran {token}", count)

    def _request(self, path: Path) -> tuple[int, str]:
        with self.pool.reference() as author:
            texts = {"python_code": self.entry.python_code, "test_code": self.entry.test_code}
            order = {**texts, "entry_point": self.entry.entry_point}
            said = self._ask(author, "author", "cases", order).header
            with reading("sanitizer"):
                cases = [dict(case) for case in said["cases"]]
                shown = [Trial(n, f"case {n}", "shown", case) for n, case in enumerate(cases)]
                asked = self._make(author, shown, self.limits.altogether)
                trials, arguments, blobs = gathered([asked])
        order = self._order("triton_code", self._device(), [], arguments)
        recordings = Recordings(self, trials, arguments, blobs, order)
        every = [one for one in recordings.every if one.raised is None]
        places = {id(one): place for place, one in enumerate(every)}
        programs, held = with_constants(every, blobs, set(range(len(blobs))))
        token = secrets.token_hex(8)
        request: dict[str, Any] = {
            "triton_code": self.entry.triton_code,
            "programs": programs,
            "device": self._device(),
            "seed": self.options.seed,
            "cases": [
                {"arguments": arguments[trial.number], "program": places[id(recorded)]}
                for trial in trials
                if id(recorded := recordings.of[trial.number]["first"]) in places
            ],
            "token": token,
        }
        with path.open("w+b") as file:
            write_parcel(file.fileno(), request, held)
        path.chmod(0o644)
        return len(request["cases"]), token

    def _run(self, tool: Path, folder: Path) -> tuple[int | None, str]:
        """Return the exit status, None if it was not done in time, and the output."""
        plain = self.pool.candidates.confinement()
        confinement = replace(
            plain,
            readable=(*plain.readable, folder, *sanitizer.readable(tool)),
            # Each tensor in an allocation of its own, whose end the tool knows.
            env={**plain.env, "PYTORCH_NO_CUDA_MEMORY_CACHING": "1"},
        )
        text = PROGRAM.format(package=str(PACKAGE), request=str(folder / "request"))
        program = [sys.executable, "-I", "-c", text]
        with tempfile.TemporaryFile() as said:
            process = start(
                sanitizer.command(tool, program),
                confinement,
                level=self.pool.candidates.level,
                stdout=said,
                stderr=said,
            )
            try:
                status = process.wait(SLOWER * self.options.timeout)
            except subprocess.TimeoutExpired:
                status = None
            finally:
                kill(process)
            return status, _ends(said)


def judged(status: int | None, said: str, last: str, cases: int) -> Check:
    """`last` is what our own side says when all was done."""
    if status is None:
        return Check("sanitizer", None, "not run to the end: it took too long")
    found = sanitizer.errors(said, status)
    numbers = {"errors": found, "cases": cases}
    if found:
        words = sanitizer.complaint(said) or "without a word"
        return Check("sanitizer", Verdict.FAILED, f"compute-sanitizer: {words}", numbers)
    if found is None or status or last not in said:
        words = _last_of(said.splitlines()) or f"status {status}"
        return Check("sanitizer", None, f"not run to the end: {words}", numbers)
    words = f"compute-sanitizer finds nothing in {cases} cases"
    return Check("sanitizer", Verdict.PASSED, words, numbers)


def _ends(file: IO[bytes]) -> str:
    """The beginning and the end of what may be endless."""
    size = file.seek(0, 2)
    file.seek(0)
    said = file.read(SAID_MOST)
    if size > 2 * SAID_MOST:
        file.seek(-SAID_MOST, 2)
    return (said + file.read(SAID_MOST)).decode(errors="replace")


def _last_of(lines: Sequence[str]) -> str:
    return next((line.strip()[:300] for line in reversed(lines) if line.strip("= \n")), "")
