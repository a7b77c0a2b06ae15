"""Sources that try to run a program, read this machine, or give a secret away."""

from pathlib import Path

import pytest

from ingest.git import Selection, Source, SourceError, SourceKind, fetch
from ingest.git.command import Git, environment
from ingest.git.errors import SourceRefused
from ingest.git.limits import Deadline
from tests.ingest.git.fetching import fetched, fetched_from
from tests.ingest.git.http_server import GitServer
from tests.ingest.git.repositories import commit, git, make_repository, plain

SECRET = "ghp_0123456789abcdefghij"


@pytest.mark.parametrize("address", ["ext::touch {0}", "file://{1}", "{1}", "http://127.0.0.1:9/x"])
def test_git_refuses_a_smuggled_protocol_of_a_source(
    address: str, tmp_path: Path, mirrors: Path
) -> None:
    repository = make_repository(tmp_path / "repo")
    commit(repository, plain({"a.py": "a"}))
    trap = tmp_path / "trap"
    smuggled = Source(SourceKind.REMOTE, address.format(trap, repository))

    with pytest.raises(SourceRefused, match="protocol that is not allowed"):
        fetch(smuggled, mirrors=mirrors)

    assert not trap.exists()


def test_git_offers_no_local_credential_to_a_server(
    server: GitServer, mirrors: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / ".netrc").write_text(f"machine 127.0.0.1 login me password {SECRET}\n")
    (home / ".git-credentials").write_text(f"http://me:{SECRET}@127.0.0.1\n")
    (home / ".gitconfig").write_text("[credential]\n\thelper = store\n")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(home / ".gitconfig"))
    monkeypatch.setenv("GIT_ASKPASS", "/bin/echo")
    server.status = 401

    with pytest.raises(SourceError):
        fetched(server, mirrors)

    assert server.requests
    assert set(server.authorizations) == {""}


def test_git_inherits_no_environment_variable_that_controls_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_TRACE", "GIT_CONFIG_COUNT", "GIT_SSH",
                 "GIT_CONFIG_PARAMETERS", "GIT_EXEC_PATH", "GIT_TEMPLATE_DIR", "LD_PRELOAD",
                 "GIT_EXTERNAL_DIFF", "GIT_OBJECT_DIRECTORY", "SSH_AUTH_SOCK"):  # fmt: skip
        monkeypatch.setenv(name, str(tmp_path / "hostile"))

    inherited = environment()

    assert str(tmp_path) not in "".join(inherited.values())
    assert inherited["GIT_ALLOW_PROTOCOL"] == "none"


def test_a_git_command_without_allowed_protocols_can_not_connect(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "repo")

    refused = Git(repository, Deadline.after(10)).run("ls-remote", f"file://{repository}")

    assert refused.code != 0
    assert "not allowed" in refused.complaint


def test_the_git_config_of_a_local_repository_is_ignored(tmp_path: Path, mirrors: Path) -> None:
    repository = make_repository(tmp_path / "repo")
    commit(repository, plain({"a.py": "a", ".gitattributes": "*.py filter=evil diff=evil"}))
    trap = tmp_path / "trap"
    for name in ("core.fsmonitor", "core.sshCommand", "core.pager", "filter.evil.smudge",
                 "filter.evil.process", "diff.evil.textconv", "core.askPass", "alias.ls-tree",
                 "remote.origin.uploadpack", "credential.helper"):  # fmt: skip
        git(repository, "config", name, f"!touch {trap}; touch {trap}")
    git(repository, "config", "remote.origin.promisor", "true")
    git(repository, "config", "remote.origin.url", f"ext::touch {trap}")

    snapshot = fetched_from(repository, mirrors, selection=Selection(include=()))

    assert len(list(snapshot.read())) == 2
    assert not trap.exists()
