"""Progress on a terminal and in a log."""

import io

import pytest

from curation import progress_bar
from curation.progress_bar import Bar


class Clock:
    now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(progress_bar, "time", clock)
    return clock


def test_without_a_terminal_a_line_is_written_every_ten_seconds(clock: Clock) -> None:
    out = io.StringIO()
    bar = Bar(out)

    for second in range(26):
        clock.now = float(second)
        bar.show("extract", second * 10, 326)
    bar.end()

    assert out.getvalue() == "extract 100 of 326\nextract 200 of 326\n"


def test_a_worker_writes_no_progress(clock: Clock) -> None:
    out = io.StringIO()
    bar = Bar(out, lines=False)

    clock.now = 60.0
    bar.show("extract", 1, 2)

    assert out.getvalue() == ""
