"""What every test may ask for: a real Redis, and small repositories to read."""

import fcntl
import gc
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis
from django.apps import apps
from django.conf import settings
from django.core.management.commands import flush
from django.db import connections, transaction
from django.db.models import Model
from hypothesis import HealthCheck
from hypothesis import settings as properties
from pytest_django.plugin import DjangoDbBlocker

from curation.operations.data_folder import DATABASE
from curation.operations.redis_server import answers, choose
from tests.scheduling import LONGEST, WITHOUT_ROWS
from tests.waiting import DEADLINE, wait_for
from validation.harness.options import Options
from validation.harness.pool.worker_pool import WorkerPool
from validation.harness.sandbox import command
from validation.harness.schedule import open_pool

KERNEL = '''\
import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """Add two vectors."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


def add(x, y):
    out = torch.empty_like(x)
    add_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, out, x.numel(), BLOCK=1024)
    return out
'''


# The rows of the migrations and of their signals, by model.
MIGRATED: list[tuple[type[Model], list[Model]]] = []


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> None:
    from curation.web.lists import facets

    # On a busy machine too, some rows are counted quickly: slow counts are kept, by another query.
    facets.QUICK = 60.0
    if connections["default"].vendor == "postgresql":
        type(connections["default"].ops).sql_flush = delete_rows  # type: ignore[assignment, method-assign]
    with django_db_blocker.unblock():
        for model in apps.get_models(include_auto_created=True):
            rows = list(model._base_manager.all()) if _has_table(model) else []
            if rows:
                MIGRATED.append((model, rows))


def _has_table(model: type[Model]) -> bool:
    return model._meta.managed and not model._meta.proxy


def restore_migrated_rows(*_: object, **__: object) -> None:
    """A test that commits ends with a flush, which deletes the rows of the migrations.

    Django's signal would look for each permission: 0.3 s a test.
    """
    with transaction.atomic():
        for model, rows in MIGRATED:
            model._base_manager.bulk_create(rows)


flush.emit_post_migrate_signal = restore_migrated_rows  # type: ignore[attr-defined]


def delete_rows(operations: Any, style: Any, tables: list[str], **_: Any) -> list[str]:
    """Empty the tables after a test that commits.

    PostgreSQL's TRUNCATE makes 300 files anew for some rows, which takes half a second.
    """
    return [f"DELETE FROM {operations.quote_name(table)};" for table in tables]  # noqa: S608


# A busy machine makes no property false: speed is what the benchmarks look at.
properties.register_profile(
    "no-clock", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
properties.load_profile("no-clock")

PARTS = ("database", "rest")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--all",
        action="store_true",
        help="also run the tests marked slow; those of files named on the command line always run",
    )
    parser.addoption(
        "--part",
        choices=PARTS,
        help="only the tests that another database may change, or only the rest",
    )
    parser.addoption(
        "--every-variant",
        action="store_true",
        help="run all entries of the zoo and all hostile pairs instead of representatives, and "
        "interrupt an ingest at more moments",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "any_database: needs rows, but proves on every database the same; counts to the rest",
    )
    config.addinivalue_line(
        "markers", "sandboxed: an ingest reads foreign files in the sandbox, not in a thread"
    )
    config.addinivalue_line("markers", "slow: runs only with --all, or if its file is named")
    if worker := os.environ.get("PYTEST_XDIST_WORKER"):
        # A hostile program can take all processes of its user: each worker's programs have another.
        command.SANDBOX_UID -= int(worker.removeprefix("gw"))


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Return one worker more than processors: with one each, 54 % of two were used (2026-11-27).

    A test of the database waits less. Named files stay in this process.
    """
    if _names_files(config):
        return 0
    processors = len(os.sched_getaffinity(0))
    return processors if config.getoption("--part") == "database" else processors + 1


def _names_files(config: pytest.Config) -> bool:
    return config.args_source is not config.ArgsSource.TESTPATHS


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Escape half characters in captured output: a worker can't send them to the main process."""
    report = yield
    report.sections = [
        (name, text.encode(errors="backslashreplace").decode()) for name, text in report.sections
    ]
    return report


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """What can hold nothing of the part is not even imported: torch alone takes seconds."""
    folders = {collection_path, *collection_path.parents}
    return (config.getoption("--part") == "database" and bool(folders & {*WITHOUT_ROWS})) or None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    part = config.getoption("--part")
    for item in items:
        if _part(item) == "database" and {item.path, *item.path.parents} & {*WITHOUT_ROWS}:
            raise pytest.UsageError(f"WITHOUT_ROWS names {item.nodeid}, which touches rows.")
    slow = config.getoption("--all") or _names_files(config)
    left_out = [
        item
        for item in items
        if (part and _part(item) != part) or (not slow and item.get_closest_marker("slow"))
    ]
    config.hook.pytest_deselected(items=left_out)
    gone = set(map(id, left_out))
    items[:] = [item for item in items if id(item) not in gone]
    rank = {path: number for number, path in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(item.path, len(rank)))


def pytest_collection_finish() -> None:
    """Exclude what the imports made from garbage collection: 5 % of the time of a page's test."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 10)


def pytest_sessionfinish() -> None:
    """Collect it in the end: nanobind reports objects that outlive the interpreter."""
    gc.unfreeze()


def _part(item: pytest.Item) -> str:
    if _touches_the_database(item) and not item.get_closest_marker("any_database"):
        return "database"
    return "rest"


def _touches_the_database(item: pytest.Item) -> bool:
    asked_for = {"db", "transactional_db", "live_server"} & {*getattr(item, "fixturenames", ())}
    return bool(asked_for or item.get_closest_marker("django_db"))


@pytest.fixture(scope="session")
def redis_server() -> Iterator[Path]:
    """The Redis that `up` would start, on the socket that the settings name."""
    socket: Path = settings.REDIS_SOCKET
    binary = choose(print)
    server = subprocess.Popen(
        [binary, "--port", "0", "--unixsocket", socket, "--save", "", "--dir", socket.parent],
        stdout=subprocess.DEVNULL,
    )
    wait_for("Redis answers", lambda: answers(socket))
    yield socket
    server.terminate()
    server.wait()


@pytest.fixture(scope="session")
def pool() -> Iterator[WorkerPool]:
    """The harness's warm processes in the interpreter, for all tests that need none of their own.

    They import torch twice: 3 s of processor time.
    """
    with open_pool(Options(jobs=1, timeout=DEADLINE)) as made:
        yield made


@pytest.fixture(scope="session")
def migrated_folder(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A data folder with an up-to-date database, made by one of the workers for all of them."""
    own = tmp_path_factory.getbasetemp()
    shared = own if worker_id == "master" else own.parent
    folder = shared / "migrated"
    with (shared / "migrated.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            made = shared / "migrating"
            subprocess.run(
                [sys.executable, settings.BASE_DIR / "manage.py", "migrate", "--verbosity", "0"],
                env={"PATH": os.environ["PATH"], "CURATION_DATA": str(made)},
                check=True,
            )
            made.rename(folder)
    return folder


@pytest.fixture(scope="session")
def migrated(migrated_folder: Path) -> Callable[[Path], Path]:
    """Gives a folder of that name an up-to-date database, as the first command would."""

    def copy(target: Path) -> Path:
        shutil.copytree(migrated_folder, target)
        return target

    return copy


@pytest.fixture(scope="session")
def django_db_keepdb(request: pytest.FixtureRequest, django_db_modify_db_settings: None) -> bool:
    """On SQLite, begin with a copy of the migrated database: each worker would migrate its own."""
    if connections["default"].vendor != "sqlite":
        return bool(request.config.getoption("reuse_db"))
    folder: Path = request.getfixturevalue("migrated_folder")
    shutil.copy(folder / DATABASE, settings.DATABASES["default"]["TEST"]["NAME"])
    return True


@pytest.fixture
def queue_redis(redis_server: Path) -> redis.Redis:
    """An empty Redis."""
    client: redis.Redis = redis.Redis(unix_socket_path=str(redis_server))
    client.flushall()
    return client


@pytest.fixture
def kernel_folder(tmp_path: Path) -> Path:
    """A git repository with one plainly decorated kernel."""
    folder = tmp_path / "kernels"
    folder.mkdir()
    (folder / "add.py").write_text(KERNEL)
    commit(folder)
    return folder


def commit(folder: Path) -> str:
    """Commit all that stands in `folder`, whoever runs the tests, and name the commit."""
    git = shutil.which("git")
    assert git
    identity = ["-c", "user.name=tests", "-c", "user.email=tests@example.org"]
    for arguments in (["init", "-q"], ["add", "-A"], [*identity, "commit", "-qm", "kernels"]):
        subprocess.run([git, *arguments], cwd=folder, check=True)
    return subprocess.check_output([git, "rev-parse", "HEAD"], cwd=folder, text=True).strip()
