"""A local clone of a known source is read as that one is: its category, its globs, its role."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from curation.models import Category, Kernel, Origin, Provenance, Repository, Role
from ingest.sources import readable_source, take_up
from tests.factories import a_benchmark, a_curator, a_repository
from tests.ingest.git.repositories import git

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]


def cloned_from(folder: Path, *addresses: str) -> Path:
    for number, address in enumerate(addresses):
        git(folder, "remote", "add", f"remote{number}", address)
    return folder


@pytest.mark.parametrize(
    "address",
    [
        "https://github.com/ada/kernels",
        "https://github.com/Ada/kernels.git",
        "git@github.com:ada/kernels.git",
    ],
)
def test_a_clone_takes_over_category_tier_and_globs_of_its_source(
    address: str, kernel_folder: Path
) -> None:
    a_repository(
        name="ada/kernels", category=Category.TUTORIAL, tier=1, include_globs=["a/**/*.py"]
    )

    row = take_up(str(cloned_from(kernel_folder, address)))

    assert (row.category, row.tier, row.include_globs) == (Category.TUTORIAL, 1, ["a/**/*.py"])
    assert (row.name, row.origin) == (str(kernel_folder), Origin.FOLDER)


def test_a_clone_of_a_benchmark_is_a_benchmark(kernel_folder: Path) -> None:
    a_benchmark(name="ada/bench")
    mine, theirs = "https://example.org/me/fork.git", "https://github.com/ada/bench.git"

    assert take_up(str(cloned_from(kernel_folder, mine, theirs))).role == Role.BENCHMARK


def test_a_bare_clone_is_recognized_too(kernel_folder: Path, tmp_path: Path) -> None:
    a_benchmark(name="ada/bench")
    bare = tmp_path / "bare"
    git(tmp_path, "clone", "-q", "--bare", str(kernel_folder), str(bare))
    git(bare, "remote", "set-url", "origin", "https://github.com/ada/bench")

    assert take_up(str(bare)).role == Role.BENCHMARK


@pytest.mark.parametrize(
    "address", ["/srv/git/kernels", "https://ada:secret@github.com/ada/kernels", "ext::sh -c x", ""]
)
def test_a_clone_with_an_unknown_remote_is_an_ordinary_folder(
    address: str, kernel_folder: Path
) -> None:
    a_repository(name="ada/kernels", category=Category.TUTORIAL)
    config = kernel_folder / ".git" / "config"
    remote = f'[remote "origin"]\n\turl = {address}\n\tfetch = +refs/*:refs/*\n'
    config.write_text(config.read_text() + remote)

    assert take_up(str(kernel_folder)).category == Category.UTILS


def test_the_url_of_a_submodule_is_not_taken_for_the_remote(kernel_folder: Path) -> None:
    a_repository(name="ada/kernels", category=Category.TUTORIAL)
    config = kernel_folder / ".git" / "config"
    config.write_text(
        config.read_text() + '[submodule "a"]\n\turl = https://github.com/ada/kernels\n'
    )

    assert take_up(str(kernel_folder)).category == Category.UTILS


def test_a_clone_with_an_invalid_git_config_is_an_ordinary_folder(kernel_folder: Path) -> None:
    (kernel_folder / ".git" / "config").write_bytes(b"\0[[[\xff")

    assert take_up(str(kernel_folder)).category == Category.UTILS


@pytest.mark.parametrize(
    ("addresses", "upstream"),
    [
        (["https://github.com/ada/kernels.git"], "https://github.com/ada/kernels"),
        (["git@github.com:ada/kernels.git"], "https://github.com/ada/kernels"),
        (["ssh://git@github.com/ada/kernels.git"], "https://github.com/ada/kernels"),
        (["/srv/git/kernels", "https://github.com/b/k"], "https://github.com/b/k"),
        (["git@git.corp.example.com:ada/kernels.git"], ""),
    ],
)
def test_the_github_remote_of_a_clone_is_stored_at_ingest(
    addresses: list[str], upstream: str, kernel_folder: Path
) -> None:
    call_command("ingest", str(cloned_from(kernel_folder, *addresses)), "--now")

    assert Repository.objects.get().clone_of == upstream


def test_a_kernel_of_a_clone_links_to_github_at_the_commit(
    kernel_folder: Path, client: Client
) -> None:
    cloned_from(kernel_folder, "https://github.com/ada/kernels")
    call_command("ingest", str(kernel_folder), "--now")
    client.force_login(a_curator())
    kernel = Kernel.objects.get()
    commit = Repository.objects.get().last_commit
    link = f"https://github.com/ada/kernels/blob/{commit}/add.py#L6-L13"

    page = client.get(kernel.get_absolute_url()).content.decode()

    assert link in page
    assert "(according to the clone)" in page


def test_a_plain_folder_is_not_linked_to_a_remote(tmp_path: Path) -> None:
    (tmp_path / "config").write_text('[remote "origin"]\n\turl = https://github.com/ada/kernels\n')
    (tmp_path / "one.py").write_text("import triton\n\n\n@triton.jit\ndef f(x):\n    pass\n")

    call_command("ingest", str(tmp_path), "--now")

    assert Repository.objects.get().clone_of == ""


# --- LOCAL_CLONES ---------------------------------------------------------------------------
@pytest.fixture
def clones(kernel_folder: Path, tmp_path: Path, settings: Any) -> Path:
    """A folder with a bare clone of ada/kernels."""
    folder = tmp_path / "clones"
    (folder / "ada").mkdir(parents=True)
    git(tmp_path, "clone", "-q", "--bare", str(kernel_folder), str(folder / "ada/kernels.git"))
    settings.LOCAL_CLONES = str(folder)
    return folder


@pytest.mark.slow
def test_a_source_of_the_web_is_read_from_its_local_clone(clones: Path) -> None:
    call_command("ingest", "ada/kernels", "--now", verbosity=0)

    source = Repository.objects.get()
    place = Provenance.objects.get()
    commit = git(clones / "ada/kernels.git", "rev-parse", "HEAD")
    assert (source.name, source.origin, source.clone_of) == ("ada/kernels", Origin.GIT, "")
    assert source.url == "https://github.com/ada/kernels"
    assert place.url.startswith(f"https://github.com/ada/kernels/blob/{commit}/add.py")


def test_pairs_are_drafted_from_the_local_clone(clones: Path) -> None:
    call_command("ingest", "ada/kernels", "--now", verbosity=0)
    out = StringIO()

    call_command("draft_pairs", "--repository", "ada/kernels", stdout=out)

    assert "ada/kernels -> 0 pairs (1 operation without a test" in out.getvalue()


def test_a_source_without_a_local_clone_is_read_from_the_web(clones: Path) -> None:
    other = a_repository(name="ada/other")

    assert readable_source(other).location == "https://github.com/ada/other"
