"""`python -m validation.harness serve`: options, and a service from its start to its end."""

import json
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests.validation.rewards.serving import TOKEN, library_pair
from tests.waiting import DEADLINE
from validation.harness.__main__ import main
from validation.harness.entry import EntryUnreadable
from validation.rewards.client import Client
from validation.rewards.command import load_references, parser, read_token

ADD, KERNEL = library_pair("add")


def a_record(name: str, python_code: str = ADD.python_code) -> str:
    texts = {"python_code": python_code, "test_code": ADD.test_code, "triton_code": KERNEL}
    return json.dumps({"id": name, **texts, "metadata": {"entry_point": ADD.entry_point}}) + "\n"


@pytest.mark.parametrize(
    ("token", "words"),
    [(None, "it needs --token-file"), ("short", "holds no token"), ("é" * 40, "holds no token")],
)
def test_a_port_needs_a_token(
    token: str | None, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["serve", "--port", "0", "--device", "interpreter"]
    if token is not None:
        (tmp_path / "token").write_text(token)
        options += ["--token-file", str(tmp_path / "token")]

    assert main(options) == 2
    assert words in capsys.readouterr().out


def test_a_token_is_read_without_its_line_end(tmp_path: Path) -> None:
    (tmp_path / "token").write_text(f"{TOKEN}\n")

    assert read_token(tmp_path / "token") == TOKEN


def test_two_entries_of_one_id_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "entries.jsonl"
    path.write_text(a_record("a") * 2 + a_record("b"))
    assert load_references(path) == {"a": ADD, "b": ADD}

    path.write_text(a_record("a") + a_record("a", "def add(x, y): ..."))
    with pytest.raises(EntryUnreadable, match="two entries with the id a"):
        load_references(path)


def test_each_service_has_its_own_hidden_inputs() -> None:
    seeds = {parser().parse_args(["--socket", "s"]).seed for _ in range(3)}

    assert len(seeds) == 3


@pytest.mark.slow
def test_a_service_answers_until_it_is_stopped(tmp_path: Path) -> None:
    (tmp_path / "entries.jsonl").write_text(a_record("add"))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rewards"
        command = [sys.executable, "-m", "validation.harness", "serve", "--device", "interpreter"]
        command += ["--entries", str(tmp_path / "entries.jsonl"), "--socket", str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            ready = process.stdout.readline()
            client = Client(f"unix:{path}")
            answer = client.ask("add", KERNEL, "fast")
            process.send_signal(signal.SIGTERM)
            code = process.wait(DEADLINE)
        left = path.exists()

    assert ready.startswith(f"Serving rewards on unix:{path}")
    assert (answer.reward, code, left) == (0.5, 0, False)
