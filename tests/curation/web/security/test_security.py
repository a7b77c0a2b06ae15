"""What every answer carries, and what a production setting demands."""

import stat
from pathlib import Path

import pytest
from django.test import Client

from tests.curation.operations.house import manage


def test_the_content_security_policy_forbids_inline_and_foreign_scripts(client: Client) -> None:
    policy = client.get("/login/").headers["Content-Security-Policy"]

    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy


def test_a_foreign_host_is_a_warning_of_one_line(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    assert client.get("/login/", headers={"Host": "evil.example"}).status_code == 400

    [record] = [row for row in caplog.records if row.name.startswith("django.security")]
    assert (record.levelname, record.exc_info) == ("WARNING", None)
    assert "Invalid HTTP_HOST header: 'evil.example'" in record.getMessage()


@pytest.mark.slow
def test_check_deploy_reports_no_issues(tmp_path: Path) -> None:
    variables = {"DEBUG": "0", "SECRET_KEY": "k" * 60 + "abcdef"}
    done = manage(tmp_path, "check", "--deploy", "--fail-level", "WARNING", **variables)

    assert done.returncode == 0, done.stderr
    assert "no issues" in done.stdout


def test_the_secret_key_is_created_once_and_only_its_owner_can_read_it(tmp_path: Path) -> None:
    data = tmp_path / "data"
    manage(data, "check")
    first = (data / "secret_key").read_text()
    manage(data, "check")

    assert (data / "secret_key").read_text() == first
    assert len(first) > 50
    assert stat.S_IMODE((data / "secret_key").stat().st_mode) == 0o600


@pytest.mark.parametrize("command", [["ingest", "."], ["report"]])
def test_a_mistyped_data_folder_is_not_made(tmp_path: Path, command: list[str]) -> None:
    done = manage(tmp_path / "mistyped", *command)

    assert done.returncode == 1
    assert done.stderr.startswith(f"There is no database in {tmp_path}/mistyped. Check CURATION_")
    assert not (tmp_path / "mistyped").exists()


@pytest.mark.parametrize(
    ("environment", "sentence"),
    [
        ({"CURATION_DATA": "/dev/null/data"}, "The data folder /dev/null/data can't be written to"),
        ({"DEBUG": "perhaps"}, "DEBUG is 'perhaps': write 1 or 0."),
        ({"SWEEP_SECONDS": "soon"}, "SWEEP_SECONDS is 'soon': write a whole number."),
        ({"LOG_FORMAT": "xml"}, "LOG_FORMAT is 'xml': write text or json."),
    ],
)
def test_a_wrong_setting_ends_with_one_sentence(
    tmp_path: Path, environment: dict[str, str], sentence: str
) -> None:
    done = manage(tmp_path, "load_sources", **environment)

    assert done.returncode == 1
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
