from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.git import SourceError, SourceKind, parse_source
from ingest.git.errors import SourceRefused


@pytest.mark.parametrize(
    "text",
    [
        "triton-lang/triton",
        "triton-lang/triton/",
        "https://github.com/triton-lang/triton",
        "https://github.com/triton-lang/triton.git",
        "https://github.com/triton-lang/triton.git/",
        "HTTPS://GitHub.COM/triton-lang/triton",
        "https://www.github.com:443/triton-lang/triton",
        "  triton-lang/triton\n",
    ],
)
def test_every_spelling_of_a_repository_gives_the_same_url(text: str) -> None:
    assert parse_source(text).location == "https://github.com/triton-lang/triton"


def test_a_repository_on_another_host_is_named_with_its_host() -> None:
    source = parse_source("https://gitlab.com/group/sub/project.git")

    assert source.kind is SourceKind.REMOTE
    assert source.name == "gitlab.com/group/sub/project"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "owner/name"),
        ("--upload-pack=touch /tmp/x", "option"),
        ("-oProxyCommand=x", "option"),
        ("-u touch /tmp/x", "option"),
        ("--config=core.sshCommand=touch /tmp/x", "option"),
        ("ssh://-oProxyCommand=touch /tmp/x", "https://"),
        ("ext::sh -c touch% /tmp/x", "helper"),
        ("fd::7", "helper"),
        ("ssh://git@github.com/a/b", "credentials"),
        ("ssh://github.com/a/b", "https://"),
        ("git@github.com:a/b.git", "ssh"),
        ("github.com:a/b.git", "ssh"),
        ("git://github.com/a/b", "https://"),
        ("http://github.com/a/b", "https://"),
        ("https://github.com/a/../b", "not the address"),
        ("https://github.com/a/%2e%2e", "not the address"),
        ("https://github.com/a/b/tree/main", "https://github.com/owner/name"),
        ("https://github.com/a/b?x=1", "query"),
        ("https://github.com/a/--upload-pack=x", "not the address"),
        ("https://localhost/a/b", "host"),
        ("https://127.0.0.1/a/b", "host"),
        ("https://[::1]/a/b", "helper"),
        ("https://169.254.169.254/latest/meta-data", "host"),
        ("https://0x7f.1/a/b", "host"),
        ("https://git.internal/a/b", "private"),
        ("https://github.com/", "not the address"),
        ("https://exämple.org/a/b", "host"),
        ("a/b\x00", "control"),
        ("a/b\nc", "control"),
        ("a/b/c", "./"),
        ("single", "owner/name"),
        ("../x", "command line"),
        ("/etc", "command line"),
        ("file:///etc", "command line"),
        ("x" * 600, "longer"),
    ],
)
def test_a_source_that_must_not_be_fetched_is_refused_with_a_sentence(text: str, word: str) -> None:
    with pytest.raises(SourceRefused) as refused:
        parse_source(text)

    assert word in str(refused.value)
    assert str(refused.value).endswith(".")


def test_a_git_repository_a_plain_folder_and_a_missing_one_are_distinguished(
    tmp_path: Path,
) -> None:
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    (tmp_path / "plain").mkdir()
    (tmp_path / "file.py").touch()

    repo = parse_source(str(tmp_path / "repo"), allow_local=True)
    plain = parse_source(f"file://{tmp_path}/plain/", allow_local=True)

    assert (repo.kind, repo.name) == (SourceKind.REPOSITORY, "repo")
    assert (plain.kind, plain.location) == (SourceKind.FOLDER, str(tmp_path / "plain"))
    for missing in ("nowhere", "file.py"):
        with pytest.raises(SourceError, match="no readable folder|is a file"):
            parse_source(str(tmp_path / missing), allow_local=True)


def test_owner_and_name_mean_github_even_where_such_a_folder_exists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "owner" / "name").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)

    assert parse_source("owner/name", allow_local=True).kind is SourceKind.REMOTE
    assert parse_source("./owner/name", allow_local=True).kind is SourceKind.FOLDER


_PIECES = [
    *("https://", "http://", "ssh://", "file://", "github.com", "..", ".git", "::"),
    *"@:/-#?%aBé[]~\\\x00\n ",
]


@given(st.one_of(st.text(), st.lists(st.sampled_from(_PIECES)).map("".join)))
def test_any_text_gives_a_canonical_https_url_or_a_refusal(text: str) -> None:
    try:
        source = parse_source(text)
    except SourceError as refused:
        assert str(refused).isprintable()
        return

    assert source.location.startswith("https://")
    assert parse_source(source.location) == source
    assert not any(part in source.location for part in ("@", "..", "?", "#", " ", "\n"))
    assert all(not segment.startswith("-") for segment in source.location.split("/"))


_SECRET = st.text("abcdefghijklmnopqrstuvwxyz0123456789_/:%~", min_size=12, max_size=40)


@given(
    _SECRET.map(lambda s: f"S3CR3T{s}S3CR3T"),
    st.sampled_from(
        [
            "https://{}@github.com/a/b",
            "https://me:{}@github.com/a/b",
            "http://x:{}@h/a",
            "ssh://{}@h/a",
            "{}@h:a/b",
            "ext::x://{}@h",
            "https://github.com/a/b?token={}",
            "https://a:{}@[h/a",
            "-u https://{}@h/a",
            "https://a@b:{}@github.com/a/b",
        ]
    ),
)
def test_a_secret_in_a_source_url_is_not_in_the_error(secret: str, shape: str) -> None:
    with pytest.raises(SourceRefused) as refused:
        parse_source(shape.format(secret))

    assert "S3CR3T" not in str(refused.value)
    assert refused.value.__cause__ is None


@pytest.mark.parametrize(
    "text",
    ["ghp_0123456789abcdef", "github_pat_11AAAA_bbbbcccc", "https://github.com/a/b/ghp_01234567"],
)
def test_a_token_in_place_of_a_name_is_not_in_the_error(text: str) -> None:
    with pytest.raises(SourceRefused) as refused:
        parse_source(text)

    assert not any(part in str(refused.value) for part in ("01234567", "bbbbcccc"))
