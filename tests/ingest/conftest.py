import pytest

from ingest.confined import reader
from tests.ingest.reading_thread import ReadingThread


@pytest.fixture(autouse=True)
def read_in_a_thread(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read foreign files in a thread, unless the test is marked `sandboxed`."""
    if request.node.get_closest_marker("sandboxed") is None:
        monkeypatch.setattr(reader, "Process", ReadingThread)
