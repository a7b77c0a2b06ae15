"""An export is pushed to a dataset repository, as one commit, or refused with a sentence."""

from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from curation.export.push import CannotPush, push
from tests.curation.export.hub import TOKEN, Hub, serving
from tests.factories import an_approved_pair

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with serving() as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.address)
        monkeypatch.setenv("HF_TOKEN", TOKEN)
        monkeypatch.setenv("HF_HUB_DISABLE_XET", "1")
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_XET", True)
        # Other tests of this process read datasets without any hub.
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
        yield hub


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "jsonl").mkdir()
    (tmp_path / "MANIFEST.json").write_text("{}")
    (tmp_path / "README.md").write_text("---\nlicense: mit\n---\n# Pairs\n")
    (tmp_path / "jsonl" / "train.jsonl").write_text('{"id": 1}\n')
    (tmp_path / "train.parquet").write_bytes(b"PAR1" + bytes(2000) + b"PAR1")
    return tmp_path


def test_a_folder_is_pushed_whole_and_replaces_what_was_there(hub: Hub, folder: Path) -> None:
    hub.repositories["lab/pairs"] = {"MANIFEST.json": b"{}\n", "old.jsonl": b"{}\n"}

    pushed = push(folder, "lab/pairs", message="Release 0.2")

    assert hub.repositories["lab/pairs"] == {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
    assert (hub.commits, pushed.changed) == (["Release 0.2"], True)
    assert pushed.url.endswith("/datasets/lab/pairs")


def test_a_repository_that_holds_something_else_is_not_replaced(hub: Hub, folder: Path) -> None:
    hub.repositories["lab/model"] = {"weights.safetensors": b"precious"}

    with pytest.raises(CannotPush, match="holds files that are no export"):
        push(folder, "lab/model", message="Release 0.2")

    assert hub.repositories["lab/model"] == {"weights.safetensors": b"precious"}
    assert not hub.commits


def test_the_same_files_are_not_committed_twice(hub: Hub, folder: Path) -> None:
    first = push(folder, "lab/pairs", message="Release 0.2")
    second = push(folder, "lab/pairs", message="Release 0.2")

    assert (first.changed, second.changed) == (True, False)
    assert len(hub.commits) == 1


def test_the_command_pushes_what_it_wrote(hub: Hub, tmp_path: Path) -> None:
    an_approved_pair()
    out = StringIO()

    call_command(
        "export_dataset", out=tmp_path / "out", push="lab/pairs", without_benchmarks=True,
        stdout=out,
    )  # fmt: skip

    assert "Pushed to" in out.getvalue()
    assert "README.md" in hub.repositories["lab/pairs"]


@pytest.mark.parametrize(
    ("token", "forbidden", "repository", "words"),
    [
        ("", False, "lab/pairs", "Set HF_TOKEN"),
        ("another", False, "lab/pairs", "does not know the token"),
        (TOKEN, True, "lab/pairs", "does not let this token write"),
        (TOKEN, False, "pairs", "write OWNER/NAME"),
        (TOKEN, False, "lab/--pairs--", "is no repository"),
    ],
)
def test_a_refusal_is_a_sentence(
    token: str, forbidden: bool, repository: str, words: str, hub: Hub, folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("HF_TOKEN", token)
    hub.forbidden = forbidden

    with pytest.raises(CannotPush, match=words):
        push(folder, repository, message="Release")
    assert not hub.commits


def test_a_hub_that_is_away_is_a_sentence(
    hub: Hub, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")

    with pytest.raises(CannotPush, match="can't be reached"):
        push(folder, "lab/pairs", message="Release")


def test_a_dry_run_is_not_pushed() -> None:
    with pytest.raises(CommandError, match="--push"):
        call_command("export_dataset", dry_run=True, push="lab/pairs")
