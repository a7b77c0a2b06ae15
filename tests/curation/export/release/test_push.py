"""An export is pushed to a dataset repository, as one commit, or refused with a sentence."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from curation.export.jobs import export
from curation.export.release.push import CannotPush, push
from curation.export.requests import request_export
from curation.jobs.retry import retry
from curation.models import ExportRun, RunState
from tests.curation.export.release.hub import TOKEN, Hub, serving
from tests.factories import a_reviewer, an_approved_pair
from tests.probes import output_of

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]


@pytest.fixture(autouse=True)
def hub(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with serving() as hub:
        settings.HF_ENDPOINT, settings.HF_TOKEN = hub.address, TOKEN
        monkeypatch.setenv("HF_HUB_DISABLE_XET", "1")
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_XET", True)
        # Other tests of this process read datasets without any hub.
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
        yield hub


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "jsonl").mkdir()
    (tmp_path / "MANIFEST.json").write_bytes(
        manifest("README.md", "jsonl/train.jsonl", "train.parquet")
    )
    (tmp_path / "README.md").write_text("---\nlicense: mit\n---\n# Pairs\n")
    (tmp_path / "jsonl" / "train.jsonl").write_text('{"id": 1}\n')
    (tmp_path / "train.parquet").write_bytes(b"PAR1" + bytes(2000) + b"PAR1")
    return tmp_path


def manifest(*paths: str) -> bytes:
    return json.dumps({"files": [{"path": path} for path in paths]}).encode()


def test_a_folder_is_pushed_whole_and_replaces_an_earlier_export(hub: Hub, folder: Path) -> None:
    hub.repositories["lab/pairs"] = {
        ".gitattributes": b"", "MANIFEST.json": manifest("old.jsonl"), "old.jsonl": b"{}\n",
    }  # fmt: skip

    pushed = push(folder, "lab/pairs", message="Release 0.2")

    assert hub.repositories["lab/pairs"] == {".gitattributes": b""} | {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
    assert (hub.commits, pushed.changed) == (["Release 0.2"], True)
    assert pushed.url.endswith("/datasets/lab/pairs")


@pytest.mark.slow
@pytest.mark.parametrize(
    "files",
    [
        {"weights.safetensors": b"precious"},
        {"README.md": b"# Another dataset"},
        {"MANIFEST.json": b"another program's", "data.csv": b"1,2"},
        {"MANIFEST.json": manifest("train.jsonl"), "train.jsonl": b"{}", "notes.md": b"by hand"},
    ],
)
def test_files_that_no_export_wrote_are_deleted_only_on_request(
    files: dict[str, bytes], hub: Hub, folder: Path
) -> None:
    hub.repositories["lab/other"] = dict(files)

    with pytest.raises(CannotPush, match=r"files that no export wrote.*--replace"):
        push(folder, "lab/other", message="Release 0.2")
    refused, commits = dict(hub.repositories["lab/other"]), list(hub.commits)
    push(folder, "lab/other", message="Release 0.2", replace=True)

    assert (refused, commits) == (files, [])
    assert len(hub.repositories["lab/other"]) == 4


def test_an_upload_tells_its_progress(folder: Path) -> None:
    told: list[tuple[str, int, int]] = []

    push(folder, "lab/pairs", message="Release", progress=lambda *step: told.append(step))

    assert told == [("files uploaded", number, 4) for number in range(5)]


def test_the_same_files_are_not_committed_twice(hub: Hub, folder: Path) -> None:
    first = push(folder, "lab/pairs", message="Release 0.2")
    second = push(folder, "lab/pairs", message="Release 0.2")

    assert (first.changed, second.changed) == (True, False)
    assert len(hub.commits) == 1


def test_the_command_pushes_what_it_wrote(hub: Hub, tmp_path: Path) -> None:
    an_approved_pair()
    options = {"out": tmp_path / "out", "push": "lab/pairs", "without_benchmarks": True}

    assert "Pushed to" in output_of("export_dataset", **options)
    assert "README.md" in hub.repositories["lab/pairs"]


@pytest.mark.parametrize(
    ("token", "forbidden", "repository", "words"),
    [
        ("", False, "lab/pairs", "needs HF_TOKEN"),
        ("another", False, "lab/pairs", "does not know the token"),
        (TOKEN, True, "lab/pairs", "does not let this token write"),
        (TOKEN, False, "pairs", "write OWNER/NAME"),
        (TOKEN, False, "lab/--pairs--", "is not a repository"),
    ],
)
def test_a_refusal_is_a_sentence(
    token: str, forbidden: bool, repository: str, words: str, hub: Hub, folder: Path,
    settings: Any,
) -> None:  # fmt: skip
    settings.HF_TOKEN = token
    hub.forbidden = forbidden

    with pytest.raises(CannotPush, match=words):
        push(folder, repository, message="Release")
    assert not hub.commits


def test_a_hub_that_is_away_is_a_sentence(folder: Path, settings: Any) -> None:
    settings.HF_ENDPOINT = "http://127.0.0.1:9"

    with pytest.raises(CannotPush, match="can't be reached"):
        push(folder, "lab/pairs", message="Release")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"dry_run": True, "push": "lab/pairs"}, "--push uploads"),
        ({"out": "out", "push": "pairs"}, "write OWNER/NAME"),
        ({"out": "out", "replace": True}, "add --push OWNER/NAME"),
    ],
)
def test_the_command_refuses_a_wrong_push_before_it_writes(
    given: dict[str, Any], words: str, tmp_path: Path
) -> None:
    out = {"out": tmp_path / "out"} if "out" in given else {}

    with pytest.raises((CommandError, CannotPush), match=words):
        call_command("export_dataset", **{**given, **out})

    assert not (tmp_path / "out").exists()


# --- From the page -----------------------------------------------------------------------------
@pytest.fixture
def released(settings: Any, tmp_path: Path) -> ExportRun:
    """A finished export of the release 0.2, with its archive."""
    settings.DATA_DIR = tmp_path / "data"
    settings.DATA_DIR.mkdir()
    an_approved_pair()
    run = request_export({"without_benchmarks": True}, name="0.2", user=None)
    export(run.pk)
    run.refresh_from_db()
    return run


def test_a_curator_pushes_a_release_from_the_page(
    hub: Hub, released: ExportRun, browser: Client, settings: Any
) -> None:
    (settings.DATA_DIR / "exports" / released.archive).unlink()
    page = reverse("push-release", args=[released.pk])
    assert page in browser.get(reverse("exports")).content.decode()

    answer = browser.post(page, {"repository": "lab/pairs", "private": "on"})
    run = ExportRun.objects.exclude(push_to="").get()
    export(run.pk)
    run.refresh_from_db()

    assert answer.headers["Location"] == run.get_absolute_url()
    assert (run.state, run.archive, run.done) == (RunState.SUCCEEDED, "", run.total)
    assert hub.commits == ["Release 0.2"]
    assert hub.repositories["lab/pairs"].keys() >= {"README.md", "MANIFEST.json"}
    for shown in (reverse("exports"), run.get_absolute_url()):
        assert f'href="{run.pushed_url}"' in browser.get(shown).content.decode()


def test_a_refused_push_fails_with_its_sentence_and_is_retried(
    hub: Hub, released: ExportRun, browser: Client
) -> None:
    hub.repositories["lab/other"] = {"data.csv": b"1,2"}
    browser.post(reverse("push-release", args=[released.pk]), {"repository": "lab/other"})
    run = ExportRun.objects.exclude(push_to="").get()

    export(run.pk)
    run.refresh_from_db()
    page = browser.get(run.get_absolute_url()).content.decode()
    del hub.repositories["lab/other"]
    again = retry(run)
    export(again.pk)
    again.refresh_from_db()

    assert run.state == RunState.FAILED and "data.csv" in page
    assert (again.push_to, again.state) == ("lab/other", RunState.SUCCEEDED)


def test_a_repository_name_is_checked_in_the_form(released: ExportRun, browser: Client) -> None:
    answer = browser.post(reverse("push-release", args=[released.pk]), {"repository": "pairs"})

    assert answer.status_code == 400
    assert "write OWNER/NAME" in answer.content.decode()
    assert not ExportRun.objects.exclude(push_to="").exists()


def test_without_a_token_the_pages_say_that_pushing_is_not_configured(
    released: ExportRun, browser: Client, settings: Any
) -> None:
    settings.HF_TOKEN = ""
    page = reverse("push-release", args=[released.pk])

    listed = browser.get(reverse("exports")).content.decode()
    form = browser.get(page).content.decode()
    answer = browser.post(page, {"repository": "lab/pairs"})

    assert "HF_TOKEN" in listed and page not in listed
    assert "not configured" in form and '<button class="primary"' not in form
    assert answer.status_code == 400
    assert not ExportRun.objects.exclude(push_to="").exists()


def test_only_a_finished_release_is_pushed_and_only_by_a_curator(
    released: ExportRun, browser: Client
) -> None:
    one_off = request_export({"without_benchmarks": True}, user=None)
    assert browser.get(reverse("push-release", args=[one_off.pk])).status_code == 404

    browser.force_login(a_reviewer())
    page = reverse("push-release", args=[released.pk])
    assert browser.post(page, {"repository": "lab/pairs"}).status_code == 403
