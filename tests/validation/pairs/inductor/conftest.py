from collections.abc import Iterator
from contextlib import nullcontext

import pytest

from validation.harness.pool.questions import Workers
from validation.management.commands import generate_inductor_pairs
from validation.pairs.inductor.generation import inductor
from validation.pairs.inductor.whole.splitting import SECONDS


@pytest.fixture(scope="session")
def workers() -> Iterator[Workers]:
    """Inductor's warm workers, which split models too. They cost 2 s of processor time."""
    with inductor(2, SECONDS) as open_workers:
        yield open_workers


@pytest.fixture
def command_with_warm_workers(workers: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lend the workers to `manage.py generate_inductor_pairs`, which starts its own."""
    monkeypatch.setattr(generate_inductor_pairs, "inductor", lambda **_: nullcontext(workers))
