"""What stands on the screen."""

import io

import pytest

from curation.supervisor.console import Console


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_every_line_stands_behind_its_process_in_one_column() -> None:
    stream = io.StringIO()
    console = Console(stream, ["web", "validation"])

    console.lines("web", ["one", "two"])
    console.lines("validation", ["three"])
    console.say("Ready.")

    assert stream.getvalue().splitlines() == [
        "web        | one",
        "web        | two",
        "validation | three",
        "up         | Ready.",
    ]


def test_a_terminal_gets_colours() -> None:
    stream = Terminal()

    Console(stream, ["web"]).lines("web", ["one"])

    assert stream.getvalue() == "\x1b[36mweb | \x1b[0mone\n"


def test_a_file_gets_none() -> None:
    stream = io.StringIO()

    Console(stream, ["web"]).lines("web", ["one"])

    assert "\x1b" not in stream.getvalue()


def test_no_color_is_honoured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    stream = Terminal()

    Console(stream, ["web"]).lines("web", ["one"])

    assert stream.getvalue() == "web | one\n"


def test_a_terminal_that_knows_only_ascii_gets_escapes() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, "ascii")

    Console(stream, ["web"]).lines("web", ["né"])

    assert raw.getvalue() == rb"web | n\xe9" + b"\n"


def test_a_reader_that_went_away_is_noticed_and_hurts_nobody() -> None:
    class Closed(io.StringIO):
        def flush(self) -> None:
            raise BrokenPipeError

    console = Console(Closed(), ["web"])

    console.say("anybody?")
    console.say("nobody.")

    assert console.lost
