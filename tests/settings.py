"""The settings, with a data folder of their own that goes when the tests have ended."""

import atexit
import os
import shutil
import sys
import tempfile
from pathlib import Path

# Hundreds of processes import the same modules: each is compiled once, whatever the shell says.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

_data = Path(tempfile.mkdtemp(prefix="curation-tests-"))
(_data / "static").mkdir()
atexit.register(shutil.rmtree, _data, ignore_errors=True)
os.environ |= {"CURATION_DATA": str(_data), "HTTPS": "0", "LOG_LEVEL": "WARNING"}
# What is drawn for a second look is other than what a test expects, one time in twenty.
os.environ["SECOND_REVIEW_PERCENT"] = "0"
os.environ.pop("REDIS_URL", None)
# Playwright keeps an event loop in the thread of the test, which talks to no database meanwhile.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"

from curation.settings import *  # noqa: E402, F403
from curation.settings import DATABASES, EMBEDDED_DATABASE, STORAGES  # noqa: E402

if EMBEDDED_DATABASE:
    # A real file: SQLite in memory locks differently.
    DATABASES["default"]["TEST"] = {"NAME": _data / "test.sqlite3"}
    # No test cuts the power, and a disk takes milliseconds for each commit.
    DATABASES["default"]["OPTIONS"]["init_command"] += "; PRAGMA synchronous=OFF"
STORAGES["staticfiles"] = {
    "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage",
}
WHITENOISE_USE_FINDERS = True
# Look a static file up when it is asked for. Each client of a test would list 150 files: a sixth of
# the time of the tests of pages.
WHITENOISE_AUTOREFRESH = True
# A test compares with the benchmarks that it makes itself.
BENCHMARK_FINGERPRINTS = _data / "benchmark_fingerprints"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# Few tests are about the texts of drafts, and the sandbox takes seconds to start.
DRAFT_SIMPLIFIER = "tests.ingest.simplifiers.keep"
