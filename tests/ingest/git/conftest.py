from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ingest.git.http_server import GitServer, serving


@pytest.fixture
def mirrors(tmp_path: Path) -> Path:
    return tmp_path / "mirrors"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[GitServer]:
    root = tmp_path / "served"
    root.mkdir()
    with serving(root) as state:
        yield state
