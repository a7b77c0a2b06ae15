"""Lines of a process's output, and the delays before it is started again."""

from hypothesis import given
from hypothesis import strategies as st

from curation.operations.process import LONGEST, LineSplitter, RestartPolicy


def test_only_complete_lines_are_returned() -> None:
    lines = LineSplitter()

    assert lines.feed(b"one\ntw") == ["one"]
    assert lines.feed(b"o\n") == ["two"]


def test_an_incomplete_line_appears_when_the_process_ends() -> None:
    lines = LineSplitter()

    assert lines.feed(b"last words") == []
    assert lines.rest() == ["last words"]
    assert lines.rest() == []


def test_a_character_split_across_chunks_is_decoded() -> None:
    first, second = "é\n".encode()[:1], "é\n".encode()[1:]
    lines = LineSplitter()

    assert lines.feed(first) + lines.feed(second) == ["é"]


def test_invalid_utf8_bytes_are_replaced() -> None:
    assert LineSplitter().feed(b"a\xff\xfeb\n") == ["a��b"]


def test_an_endless_line_is_split_into_pieces() -> None:
    pieces = LineSplitter().feed(b"x" * (3 * LONGEST))

    assert pieces == ["x" * LONGEST] * 3


def test_terminal_control_characters_of_a_process_are_escaped() -> None:
    assert LineSplitter().feed(b"\x1b[2Jgone\x07\tkept\r\n") == [r"\x1b[2Jgone\x07" + "\tkept"]


@given(st.lists(st.binary(max_size=40)))
def test_the_chunk_boundaries_do_not_change_the_lines(chunks: list[bytes]) -> None:
    piecewise, whole = LineSplitter(), LineSplitter()

    got = [line for chunk in chunks for line in piecewise.feed(chunk)] + piecewise.rest()

    assert got == whole.feed(b"".join(chunks)) + whole.rest()


# --- Restarts ---------------------------------------------------------------------------------
def test_restart_delays_double_up_to_the_maximum() -> None:
    restart_policy = RestartPolicy(most=9, first=0.5, longest=3)

    delays = [restart_policy.delay(started=second, ended=second + 1) for second in range(5)]

    assert delays == [0.5, 1, 2, 3, 3]


def test_too_many_restarts_within_the_window_end_the_process() -> None:
    restart_policy = RestartPolicy(most=5, window=60)

    delays = [restart_policy.delay(started=second, ended=second + 1) for second in range(6)]

    assert None not in delays[:5]
    assert delays[5] is None


def test_a_long_healthy_period_resets_the_restart_delay() -> None:
    restart_policy = RestartPolicy(most=5, window=60, first=0.5)
    for second in range(5):
        restart_policy.delay(started=second, ended=second + 1)

    assert restart_policy.delay(started=10, ended=100) == 0.5


def test_restarts_far_apart_are_never_too_many() -> None:
    restart_policy = RestartPolicy(most=2, window=60)

    assert None not in [restart_policy.delay(started=50 * n, ended=50 * n + 45) for n in range(20)]
