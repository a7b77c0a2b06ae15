"""The servers and mirrors of the tests of git."""

from tests.ingest.git.conftest import mirrors as mirrors
from tests.ingest.git.conftest import server as server
