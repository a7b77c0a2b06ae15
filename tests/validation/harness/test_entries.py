"""Files of entries are read, or refused with a place and a reason."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from validation.harness.__main__ import main
from validation.harness.entry import Entry, EntryUnreadable, parse, read_entries, unsupported

METADATA = {
    "entry_point": "add",
    "origin": "real-world",
}
RECORD = {
    "id": "add-1",
    "python_code": "def add(): ...",
    "triton_code": "def add(): ...",
    "test_code": "CASES = []",
    "metadata": METADATA,
}
keys = st.sampled_from([*RECORD, "entry_point", "origin"]) | st.text(max_size=3)
junk = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=6),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("bounds", "installed", "said"),
    [
        ({}, "3.9.0", ""),
        ({"min_triton": "3.2", "max_triton": None}, "3.9.0", ""),
        ({"max_triton": "3.9"}, "3.9.1", ""),
        ({"max_triton": "3.9"}, "3.10.0", "needs Triton 3.9 or older, and 3.10.0 is installed"),
        ({"min_triton": "3.9.0"}, "3.9.0+git1234", ""),
        ({"min_triton": "3.10"}, "3.9.0", "needs Triton 3.10 or newer, and 3.9.0 is installed"),
        ({"min_triton": "3.10"}, "", ""),
    ],
)
def test_an_entry_for_other_releases_of_triton_is_unsupported(
    bounds: dict[str, Any], installed: str, said: str
) -> None:
    entry = parse({**RECORD, "metadata": {**METADATA, **bounds}}, "here")

    assert unsupported(entry, installed).endswith(said)
    assert bool(unsupported(entry, installed)) == bool(said)


def test_a_triton_bound_that_is_not_a_version_is_refused() -> None:
    with pytest.raises(EntryUnreadable, match="metadata.max_triton is no version"):
        parse({**RECORD, "metadata": {**METADATA, "max_triton": "new"}}, "here")


def written(folder: Path, text: str | bytes) -> Path:
    path = folder / "entries"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(RECORD) + "\n" + json.dumps(RECORD) + "\n",
        "\n" + json.dumps(RECORD) + "\r\n\r\n" + json.dumps(RECORD),
        json.dumps([RECORD, RECORD]),
        "\n  " + json.dumps([RECORD, RECORD], indent=1),
        "\ufeff" + json.dumps([RECORD, RECORD]),
    ],
    ids=["lines", "blank lines", "array", "spread out", "marked"],
)
def test_json_lines_and_a_json_array_give_the_same_entries(tmp_path: Path, text: str) -> None:
    entries = list(read_entries(written(tmp_path, text)))

    assert [entry.id for entry in entries] == ["add-1", "add-1"]
    assert entries[0].origin == "real-world"


def test_only_a_line_feed_ends_a_line_of_entries(tmp_path: Path) -> None:
    record = {**RECORD, "python_code": "a = '\u2028'"}

    (entry,) = read_entries(written(tmp_path, json.dumps(record, ensure_ascii=False)))

    assert entry.python_code == "a = '\u2028'"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{}\n", "line 1 has no python_code."),
        (json.dumps(RECORD) + "\nnot json\n", "line 2 is no JSON"),
        ("[{}", "is no JSON"),
        ("[" * 100_000, "is no JSON"),
        ("[7]", "entry 1 is no JSON object."),
        (json.dumps({**RECORD, "test_code": " \n"}), "has no test_code."),
        (json.dumps({**RECORD, "test_code": "\ud800"}), "half a character"),
        (json.dumps({**RECORD, "metadata": None}), "metadata.entry_point"),
        (json.dumps({**RECORD, "metadata": {"entry_point": "a b"}}), "metadata.entry_point"),
        (b"\xff\xfe{", "no UTF-8"),
    ],
)
def test_an_invalid_entry_is_refused_with_its_line(
    tmp_path: Path, text: str | bytes, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, text)

    with pytest.raises(EntryUnreadable, match=said):
        list(read_entries(path))

    assert main([str(path)]) == 2
    assert said in capsys.readouterr().out


def test_a_file_without_entries_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, "\n")

    assert main([str(path)]) == 2
    assert "holds no entry" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("path", "why"), [("nowhere", "No such file or directory."), (".", "Is a directory.")]
)
def test_a_file_that_cannot_be_read_is_named(
    tmp_path: Path, path: str, why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path / path)]) == 2
    assert capsys.readouterr().out == f"{tmp_path / path} can't be read: {why}\n"


def test_a_report_that_cannot_be_written_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, report = written(tmp_path, json.dumps(RECORD)), tmp_path / "nowhere" / "report"

    assert main([str(path), "--report", str(report)]) == 2
    assert capsys.readouterr().out == f"{report}: No such file or directory.\n"


@pytest.mark.slow
def test_a_closed_pipe_ends_the_command_silently(tmp_path: Path) -> None:
    path = written(tmp_path, json.dumps({**RECORD, "test_code": "CASES = 7"}))
    command = [sys.executable, "-m", "validation.harness", str(path), "--device", "interpreter"]

    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout and process.stderr
        process.stdout.close()

        assert process.stderr.read() == b""
    assert process.returncode == 2


@given(junk, st.dictionaries(keys, junk, max_size=5))
def test_any_json_is_an_entry_or_is_refused(record: Any, changes: dict[str, Any]) -> None:
    for one in (record, {**RECORD, **changes}, {**RECORD, "metadata": changes}):
        try:
            assert isinstance(parse(one, "somewhere"), Entry)
        except EntryUnreadable as error:
            assert str(error).startswith("somewhere")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(raw=st.binary(max_size=60))
def test_random_bytes_are_refused_as_entries(tmp_path: Path, raw: bytes) -> None:
    path = written(tmp_path, raw)
    try:
        assert list(read_entries(path)) == []
    except EntryUnreadable:
        return
