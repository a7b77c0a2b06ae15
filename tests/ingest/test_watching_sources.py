"""Discovery, the lookout and the scheduled refresh, against a server that behaves like GitHub."""

from collections.abc import Iterator
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import redis
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from curation.models import IngestRun, Repository, RunState
from ingest.admin import RepositoryAdmin
from ingest.github_status import update_status
from ingest.refresh import queue_due
from tests.conftest import KERNEL
from tests.factories import a_curator, a_repository, an_ingest_run
from tests.ingest.github.fake_github import FakeGitHub, FakeRepository, Reply, serving

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]


@pytest.fixture
def github(settings: Any) -> Iterator[FakeGitHub]:
    with serving(FakeGitHub()) as state:
        settings.GITHUB_API = state.url
        settings.GITHUB_TOKEN = "a-token"
        yield state


def test_discovery_adds_disabled_sources_and_keeps_known_ones(
    github: FakeGitHub,
) -> None:
    known = a_repository(name="owner1/kernels1", stars=1, notes="ours")
    github.repositories += [FakeRepository(1, stars=900), FakeRepository(2, stars=300)]
    out = StringIO()

    call_command("discover_repositories", "--min-stars", "100", "--count", "0", stdout=out)

    found = Repository.objects.get(name="owner2/kernels2")
    assert (found.enabled, found.stars, found.expected_license) == (False, 300, "MIT")
    known.refresh_from_db()
    assert (known.enabled, known.stars, known.notes) == (True, 900, "ours")
    assert "1 proposed" in out.getvalue()


def test_discovery_skips_opted_out_repositories(github: FakeGitHub) -> None:
    a_repository(name="owner1/kernels1", stars=1, opted_out_at=timezone.now())
    github.repositories.append(FakeRepository(1, stars=900))

    call_command("discover_repositories", stdout=StringIO())

    assert Repository.objects.get().stars == 1


def test_discovery_ranks_proposals_by_the_launchers_that_their_tests_compare(
    github: FakeGitHub, tmp_path: Path
) -> None:
    untested, tested = a_folder(tmp_path / "untested"), a_folder(tmp_path / "tested")
    (tested / "test_ops.py").write_text(
        "def test_add():\n    torch.testing.assert_close(add(x, y), x + y)\n"
    )
    for folder, stars in ((untested, 900), (tested, 10)):
        a_repository(name=folder.name, url=str(folder), origin="folder", enabled=False, stars=stars)
    out = StringIO()

    call_command("discover_repositories", stdout=out, stderr=StringIO())

    heading, first, second = out.getvalue().splitlines()[-3:]
    assert heading.split() == ["compared", "tests", "launchers", "kernels", "stars", "proposal"]
    assert first.split() == ["1", "1", "1", "1", "10", "tested"]
    assert second.split() == ["0", "0", "1", "1", "900", "untested"]


def test_a_proposal_that_cannot_be_fetched_does_not_stop_the_counting(
    github: FakeGitHub, tmp_path: Path
) -> None:
    gone = str(tmp_path / "gone")
    a_repository(name="gone", url=gone, origin="folder", enabled=False, stars=900)
    folder = a_folder(tmp_path / "there")
    there = a_repository(name="there", url=str(folder), origin="folder", enabled=False)
    errors = StringIO()

    call_command("discover_repositories", stdout=StringIO(), stderr=errors)

    there.refresh_from_db()
    assert there.kernel_count == 1
    assert "gone was not counted" in errors.getvalue()


def test_discovery_fetches_no_enabled_ingested_or_opted_out_source(
    github: FakeGitHub, tmp_path: Path
) -> None:
    now = timezone.now()
    folder = a_folder(tmp_path / "known")
    known = a_repository(name="known", url=str(folder), origin="folder", enabled=False)
    for over in (
        {"enabled": True}, {"last_ingested_at": now}, {"opted_out_at": now}, {"role": "benchmark"},
    ):  # fmt: skip
        Repository.objects.filter(pk=known.pk).update(
            **{"enabled": False, "last_ingested_at": None, "opted_out_at": None} | over
        )
        call_command("discover_repositories", stdout=StringIO(), stderr=StringIO())

    known.refresh_from_db()
    assert known.kernel_count is None


def test_the_admin_lists_proposals_by_their_compared_launchers(client: Client) -> None:
    client.force_login(a_curator())
    for name, compared in (("few/kernels", 3), ("many/kernels", 41)):
        a_repository(name=name, enabled=False, compared_launchers=compared)
    column = RepositoryAdmin.list_display.index("compared_launchers") + 1

    page = client.get("/admin/curation/repository/", {"o": f"-{column}"}).content.decode()

    assert page.index("many/kernels") < page.index("few/kernels")
    assert '<td class="field-compared_launchers">41</td>' in page


def a_folder(folder: Path) -> Path:
    """Make a folder with one kernel and its launcher."""
    folder.mkdir()
    (folder / "ops.py").write_text(KERNEL)
    return folder


@pytest.mark.parametrize(
    ("condition", "word", "set_up"),
    [
        ("fine", "", {"repositories": [FakeRepository(1, full_name="a/b")]}),
        ("vanished", "knows no a/b", {}),
        ("moved", "calls it c/d now", {"repositories": [FakeRepository(1, full_name="c/d")],
                                       "moved": {"a/b": 1}}),
        ("relicensed", "GPL-3.0", {"repositories": [
            FakeRepository(1, full_name="a/b", license="GPL-3.0")]}),
    ],
)  # fmt: skip
def test_the_github_status_of_a_source_is_recorded(
    github: FakeGitHub, condition: str, word: str, set_up: dict[str, Any]
) -> None:
    for name, value in set_up.items():
        setattr(github, name, value)
    source = a_repository(name="a/b", expected_license="MIT")

    update_status(source)

    source.refresh_from_db()
    assert source.condition == condition
    assert word in source.condition_note


@pytest.mark.parametrize(("clones", "questions"), [("/clones", 1), ("", 2)])
def test_with_local_clones_a_silent_github_is_asked_only_once(
    github: FakeGitHub, settings: Any, clones: str, questions: int
) -> None:
    settings.LOCAL_CLONES = clones
    limited = Reply(403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "99999999999"})
    github.replies += [limited, limited]

    for name in ("a/b", "a/c"):
        update_status(a_repository(name=name))

    assert len(github.replies) == 2 - questions


def test_an_unavailable_github_api_keeps_the_recorded_status(github: FakeGitHub) -> None:
    limited = Reply(403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "99999999999"})
    github.replies.append(limited)
    source = a_repository(name="a/b", condition="moved", condition_note="kept")

    update_status(source)

    source.refresh_from_db()
    assert (source.condition, source.condition_note) == ("moved", "kept")


def test_a_source_is_queued_after_its_refresh_period(queue_redis: redis.Redis) -> None:
    long_ago = timezone.now() - timedelta(days=91)
    due = a_repository(last_ingested_at=long_ago)
    a_repository(last_ingested_at=timezone.now() - timedelta(days=89))
    a_repository(last_ingested_at=long_ago, enabled=False)
    a_repository(last_ingested_at=long_ago, opted_out_at=timezone.now())
    a_repository(last_ingested_at=long_ago, origin="folder")
    a_repository(last_ingested_at=None)

    assert queue_due() == 1
    assert queue_due() == 0
    assert IngestRun.objects.get().repository == due


def test_a_failed_source_is_queued_again_after_a_day(
    queue_redis: redis.Redis,
) -> None:
    source = a_repository(last_ingested_at=timezone.now() - timedelta(days=91))
    failed = an_ingest_run(
        repository=source, state=RunState.FAILED, finished_at=timezone.now(), message="away"
    )

    assert queue_due() == 0
    IngestRun.objects.filter(pk=failed.pk).update(created_at=timezone.now() - timedelta(days=2))
    assert queue_due() == 1
