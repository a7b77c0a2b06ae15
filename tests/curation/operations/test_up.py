"""`manage.py up` on real processes: what is killed comes back, and what is stopped is gone."""

import os
import re
import shutil
import signal
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, build_opener

import pytest

from curation.operations.privileges import AS_ROOT
from tests.curation.operations.house import House, get, house, manage
from tests.waiting import wait_for
from validation.pairs.handwritten import handwritten

pytestmark = pytest.mark.slow

# Runs are given up and handed over again after seconds, not minutes.
HASTY = {"SWEEP_SECONDS": "1", "LOST_JOB_SECONDS": "2", "LEASE_SECONDS": "3"}


@pytest.fixture(scope="module")
def running(
    tmp_path_factory: pytest.TempPathFactory, copy_of_prepared: Callable[[Path], Path]
) -> Iterator[House]:
    """One `up` for the tests that kill its processes; too deep for a socket in its folder."""
    deep = tmp_path_factory.mktemp("deep") / "/".join(["a-folder-with-a-long-name"] * 5)
    deep.mkdir(parents=True)
    with house(copy_of_prepared(deep / "data")) as one:
        yield one


@pytest.fixture(scope="module")
def hasty(
    tmp_path_factory: pytest.TempPathFactory, copy_of_prepared: Callable[[Path], Path]
) -> Iterator[House]:
    """One `up` for the tests that lose runs. Its scheduler lives: a successor would wait for the
    dead one's lease."""
    with house(copy_of_prepared(tmp_path_factory.mktemp("hasty") / "data"), **HASTY) as one:
        yield one


def test_the_first_start_prints_the_address_and_a_password(tmp_path: Path) -> None:
    with house(tmp_path / "data") as first:
        assert f"The workbench runs at http://127.0.0.1:{first.port}" in first.output()
        assert f"Begin at    http://127.0.0.1:{first.port}/welcome" in first.output()
        assert re.search(r"Log in as   curator\n  Password    \S{16}\n", first.output())
        assert first.rows("SELECT count(*) > 5 FROM curation_repository") == [(1,)]
        # There is something to look at.
        count = len(list(handwritten()))
        assert f"{count} items in 1 run: queued." in first.output()
        assert first.rows("SELECT count(*) > 30 FROM curation_pair") == [(1,)]
        # Plain HTTP, as announced: no page sends the browser to https.
        assert get(first.port, "/login/")[0] == 200


def test_the_start_message_names_the_redis_server(running: House) -> None:
    assert re.search(r"The queue runs on (Redis|Valkey) [0-9.]+ \(/.+\)\.", running.output())


@pytest.mark.skipif(os.geteuid() != 0, reason="only root is warned")
def test_up_warns_root_that_all_processes_run_as_root(running: House) -> None:
    assert AS_ROOT in running.output()


def test_library_log_lines_are_only_in_the_log_file(running: House) -> None:
    log = running.data / "up.log"

    wait_for("the workers listen", lambda: "*** Listening on validation" in log.read_text())

    for line in ("gunicorn.error: Listening at", "rq.worker"):
        assert line in log.read_text()
        assert line not in running.output()
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


def test_a_forbidden_request_logs_no_traceback(running: House) -> None:
    account = (
        "from django.contrib.auth.models import User as U; U.objects.create_user('eve', '', 'pw')"
    )
    manage(running.data, "shell", "--verbosity", "0", "--command", account)
    site, browser = f"http://127.0.0.1:{running.port}", build_opener(HTTPCookieProcessor())
    token = re.search(
        r'name="csrfmiddlewaretoken" value="(\w+)"', browser.open(f"{site}/login/").read().decode()
    )
    assert token
    form = {"csrfmiddlewaretoken": token[1], "username": "eve", "password": "pw"}

    # An account without a group may see no page.
    with pytest.raises(HTTPError, match="403"):
        browser.open(f"{site}/login/", urlencode(form).encode())

    log = running.data / "up.log"
    wait_for("it is logged", lambda: "WARNING django.request: Forbidden" in log.read_text())
    assert "Traceback" not in log.read_text()
    assert "Forbidden" not in running.output()


def test_healthz_reports_scheduler_and_workers_of_up(running: House) -> None:
    def everybody_is_there() -> bool:
        report = running.health() or {}
        workers = report.get("workers", {})
        return bool(report.get("scheduler") and workers["ingest"] and workers["validation"])

    wait_for("workers and scheduler", everybody_is_there)


@pytest.mark.parametrize("name", ["web", "ingest", "validation", "scheduler", "redis"])
def test_up_restarts_a_killed_process(running: House, name: str) -> None:
    killed = running.kill(name)

    running.wait_for_successor(name, killed)

    wait_for("the site is well", running.health)
    assert f"{name} was killed by SIGKILL; starting it again" in running.output()


def test_a_killed_up_can_be_started_again_and_is_stopped_by_ctrl_c(
    tmp_path: Path, copy_of_prepared: Callable[[Path], Path]
) -> None:
    data = copy_of_prepared(tmp_path / "data")

    with house(data) as one:
        os.kill(one.popen.pid, signal.SIGKILL)
        one.popen.wait()
        wait_for("everything has ended", lambda: not one.processes())

    with house(data) as another:
        # The password was not used yet, and there is no second one.
        password = (another.data / "first_password").read_text()
        assert f"  Password    {password}\n" in another.output()
        assert another.rows("SELECT count(*) FROM auth_user") == [(1,)]

        assert another.stop() == 0
        assert another.processes() == []
        assert not (another.data / "redis.sock").exists()
        assert another.output().endswith("up         | Everything is stopped.\n")


def folder_with_kernels(folder: Path, count: int) -> Path:
    """A folder that takes a while to read."""
    folder.mkdir()
    for number in range(count):
        (folder / f"kernel_{number:04}.py").write_text(
            "import triton\nimport triton.language as tl\n\n\n"
            f"@triton.jit\ndef kernel_{number}(x_ptr, n, BLOCK: tl.constexpr):\n"
            "    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
            f"    tl.store(x_ptr + offsets, {number}, mask=offsets < n)\n"
        )
    return folder


def queue_ingest(hasty: House, folder: Path) -> Callable[[str], bool]:
    """Queue it, and return a question: is the run in this state?"""
    queued = manage(hasty.data, "ingest", str(folder), **HASTY)
    assert queued.returncode == 0, queued.stderr
    [(number,)] = hasty.rows("SELECT max(id) FROM curation_ingestrun")

    def is_in(state: str) -> bool:
        [(found, message)] = hasty.rows(
            f"SELECT state, message FROM curation_ingestrun WHERE id = {number}"  # noqa: S608
        )
        assert found != "failed", message
        return bool(found == state)

    return is_in


def test_a_run_is_repeated_after_its_worker_was_killed(hasty: House, tmp_path: Path) -> None:
    is_in = queue_ingest(hasty, folder_with_kernels(tmp_path / "kernels", 200))
    wait_for("the run begins", lambda: is_in("running"))

    hasty.kill("ingest")

    assert not is_in("succeeded")
    wait_for("the run succeeds", lambda: is_in("succeeded"))
    assert hasty.rows("SELECT attempts > 1 FROM curation_ingestrun ORDER BY id DESC LIMIT 1") == [
        (1,)
    ]


def test_a_run_that_redis_lost_is_still_carried_out(hasty: House, tmp_path: Path) -> None:
    worker = hasty.main_process("ingest")
    # Asleep, it can't take the job before Redis has lost it.
    os.kill(worker, signal.SIGSTOP)
    is_in = queue_ingest(hasty, folder_with_kernels(tmp_path / "kernels", 3))

    shutil.rmtree(hasty.data / "redis" / "appendonlydir")
    killed = hasty.kill("redis")
    hasty.wait_for_successor("redis", killed)
    os.kill(worker, signal.SIGCONT)

    wait_for("the run succeeds", lambda: is_in("succeeded"))
