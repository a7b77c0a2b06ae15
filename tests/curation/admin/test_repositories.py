"""Sources in the admin: adding, changing, opting out, and queueing ingests."""

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks

from curation.models import IngestRun, Origin, Repository, RunState
from tests.factories import a_benchmark, a_person, a_repository, a_source_file, an_ingest_run

pytestmark = pytest.mark.django_db

LIST = "/admin/curation/repository/"
ADD = f"{LIST}add/"

TYPED = {
    "url": "owner/name",
    "role": "source",
    "category": "utils",
    "tier": "2",
    "enabled": "on",
    "refresh_days": "30",
    "upsampling_weight": "5",
}


def add(client: Client, **over: str) -> Any:
    return client.post(ADD, TYPED | over)


def change(client: Client, repository: Repository, **over: str) -> Any:
    return client.post(f"{LIST}{repository.pk}/change/", TYPED | over)


def act(client: Client, action: str, *repositories: Repository, **over: str) -> Any:
    selected = {"action": action, "_selected_action": [row.pk for row in repositories]}
    return client.post(LIST, selected | over, follow=True)


def said(response: Any) -> list[str]:
    return [str(message) for message in response.context["messages"]]


# --- Adding and changing --------------------------------------------------------------------
def test_a_source_can_be_added_by_owner_and_name_and_records_its_creator(
    by_curator: Client, curator: User
) -> None:
    assert add(by_curator, url="owner/name").status_code == 302

    row = Repository.objects.get()
    assert (row.name, row.url) == ("owner/name", "https://github.com/owner/name")
    assert row.origin == Origin.GIT
    assert row.created_by == curator


def test_a_list_field_is_entered_one_item_per_line(by_curator: Client) -> None:
    add(by_curator, sparse_paths="python/tutorials\r\n\r\n  LICENSE \r\nLICENSE", exclude_globs="")

    row = Repository.objects.get()
    assert row.sparse_paths == ["python/tutorials", "LICENSE"]
    assert row.exclude_globs == []


def test_a_list_field_is_shown_one_item_per_line_and_saved_unchanged(
    by_curator: Client,
) -> None:
    row = a_repository(sparse_paths=["a", "b"], url="https://github.com/owner/name")

    page = by_curator.get(f"{LIST}{row.pk}/change/").content.decode()
    assert "\na\nb</textarea>" in page
    change(by_curator, row, sparse_paths="a\r\nb", url=row.url)

    row.refresh_from_db()
    assert row.sparse_paths == ["a", "b"]
    assert "sparse" not in LogEntry.objects.get().change_message.lower()


@pytest.mark.any_database
@pytest.mark.parametrize(
    "url",
    ["https://user:hunter2@github.com/owner/name", "ssh://git:hunter2@github.com/owner/x"],
)
def test_an_address_with_a_secret_is_refused(by_curator: Client, url: str) -> None:
    response = add(by_curator, url=url)

    errors = response.context["adminform"].form.errors["url"]
    assert len(errors) == 1
    assert "hunter2" not in errors[0]
    assert not Repository.objects.exists()


@pytest.mark.parametrize("url", ["Owner/NAME", "https://github.com/owner/name.git"])
def test_the_same_source_can_not_be_added_under_another_spelling(
    by_curator: Client, url: str
) -> None:
    a_repository(name="owner/name")

    response = add(by_curator, url=url)

    assert "is among the sources already" in str(response.context["adminform"].form.errors["url"])
    assert Repository.objects.count() == 1


@pytest.mark.any_database
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("url", "/etc/passwd"),
        ("url", "file:///etc"),
        ("url", "ext::sh"),
        ("url", "--upload-pack=x"),
        ("ref", "--upload-pack=x"),
        ("ref", "a:b"),
        ("ref", "a..b"),
        ("ref", "a b"),
        ("ref", "/a"),
        ("ref", "a.lock~1"),
        ("sparse_paths", "/etc"),
        ("sparse_paths", "a/../../etc"),
        ("sparse_paths", "--cone"),
        ("include_globs", "../*.py"),
        ("exclude_globs", "~/*.py"),
        ("tier", "0"),
        ("tier", "4"),
        ("upsampling_weight", "0"),
        ("upsampling_weight", "-1"),
        ("refresh_days", "0"),
        ("role", "neither"),
        ("category", "unknown"),
    ],
)
def test_an_invalid_value_is_refused_with_an_error_at_its_field(
    by_curator: Client, field: str, value: str
) -> None:
    response = add(by_curator, **{field: value})

    assert list(response.context["adminform"].form.errors) == [field]
    assert not Repository.objects.exists()


def test_an_estimate_requires_its_high_bound_above_its_low_bound(by_curator: Client) -> None:
    response = add(by_curator, estimated_tokens_low="10", estimated_tokens_high="9")

    assert "estimated_tokens_high" in response.context["adminform"].form.errors


@pytest.mark.any_database
@pytest.mark.parametrize("ref", ["main", "v3.2.0", "release/3.2.x", "feature-1", "a" * 40])
def test_a_branch_tag_or_commit_is_a_ref(by_curator: Client, ref: str) -> None:
    add(by_curator, ref=ref)

    assert Repository.objects.get().ref == ref


def test_the_url_of_a_source_can_be_changed_until_a_file_was_read(by_curator: Client) -> None:
    row = a_repository(name="owner/tipo")
    change(by_curator, row, url="owner/typo")
    row.refresh_from_db()
    assert (row.name, row.url) == ("owner/typo", "https://github.com/owner/typo")

    a_source_file(repository=row)
    change(by_curator, row, url="owner/other", tier="1")
    row.refresh_from_db()
    assert (row.name, row.tier) == ("owner/typo", 1)


def test_the_url_and_origin_of_a_folder_source_can_not_be_changed(by_curator: Client) -> None:
    row = a_repository(name="/srv/kernels", url="/srv/kernels", origin=Origin.FOLDER)

    change(by_curator, row, url="owner/name", origin="git", name="x", tier="1")

    row.refresh_from_db()
    assert (row.url, row.name, row.origin, row.tier) == (
        "/srv/kernels",
        "/srv/kernels",
        Origin.FOLDER,
        1,
    )


def test_the_fields_of_ingests_and_opt_outs_can_not_be_forged(by_curator: Client) -> None:
    add(
        by_curator,
        origin="folder",
        name="x",
        opted_out_at="2020-01-01",
        opt_out_reason="x",
        last_commit="x",
        created_by="1",
        shipped="{}",
    )

    row = Repository.objects.get()
    assert (row.origin, row.name, row.opted_out, row.last_commit) == (
        Origin.GIT,
        "owner/name",
        False,
        "",
    )


# --- Opting out -----------------------------------------------------------------------------
def test_an_opt_out_requires_a_reason(by_curator: Client) -> None:
    row = a_repository()

    page = act(by_curator, "opt_out", row).content.decode()
    assert row.name in page
    assert 'name="reason"' in page
    again = act(by_curator, "opt_out", row, reason=" ").content.decode()
    assert "This field is required." in again

    row.refresh_from_db()
    assert not row.opted_out


def test_an_opt_out_records_its_reason_and_its_author(by_curator: Client, curator: User) -> None:
    row, other = a_repository(), a_repository()

    act(by_curator, "opt_out", row, reason="The owner asked by mail.")

    row.refresh_from_db()
    other.refresh_from_db()
    assert row.opted_out
    assert row.opt_out_reason == "The owner asked by mail."
    assert not other.opted_out
    entry = LogEntry.objects.get()
    assert entry.user == curator
    assert "The owner asked by mail." in entry.change_message


def test_a_second_opt_out_keeps_the_first_reason(by_curator: Client) -> None:
    row = a_repository(opted_out_at=timezone.now(), opt_out_reason="first")

    act(by_curator, "opt_out", row, reason="second")

    row.refresh_from_db()
    assert row.opt_out_reason == "first"


def test_the_log_keeps_an_opt_out_that_was_undone(by_curator: Client) -> None:
    row = a_repository()
    act(by_curator, "opt_out", row, reason="by mistake")

    act(by_curator, "undo_opt_out", row)

    row.refresh_from_db()
    assert not row.opted_out
    assert row.opt_out_reason == ""
    assert LogEntry.objects.count() == 2


@pytest.mark.any_database
@pytest.mark.parametrize("action", ["opt_out", "undo_opt_out", "queue_ingest"])
def test_an_account_with_view_permission_can_not_forge_an_action(
    client: Client, action: str
) -> None:
    viewer = a_person(is_staff=True)
    viewer.user_permissions.add(Permission.objects.get(codename="view_repository"))
    client.force_login(viewer)
    row = a_repository(opted_out_at=timezone.now() if action == "undo_opt_out" else None)

    act(client, action, row, reason="forged")

    before = row.opted_out
    row.refresh_from_db()
    assert row.opted_out == before
    assert not IngestRun.objects.exists()


# --- Queueing -------------------------------------------------------------------------------
def test_ingests_are_queued_for_sources_and_benchmarks_with_a_link_to_the_runs(
    by_curator: Client, curator: User
) -> None:
    source, benchmark = a_repository(), a_benchmark()

    response = act(by_curator, "queue_ingest", source, benchmark)

    runs = IngestRun.objects.order_by("pk")
    assert set(Repository.objects.filter(runs__in=runs)) == {source, benchmark}
    assert {(run.state, run.requested_by) for run in runs} == {(RunState.QUEUED, curator)}
    (message,) = said(response)
    assert "2 ingests are queued." in message
    link = message.split('"')[1].replace("&amp;", "&")
    listed = by_curator.get(link).context["page"].runs
    assert {run.pk for run in listed} == {run.pk for run in runs}


def test_the_message_names_each_source_that_was_not_queued_and_why(by_curator: Client) -> None:
    fine = a_repository()
    opted_out = a_repository(opted_out_at=timezone.now())
    busy = a_repository()
    an_ingest_run(repository=busy)

    response = act(by_curator, "queue_ingest", fine, opted_out, busy)

    messages = said(response)
    assert len(messages) == 3
    assert any("1 ingest is queued." in message for message in messages)
    assert any(opted_out.name in message and "opted out" in message for message in messages)
    assert any(busy.name in message and "already" in message for message in messages)
    assert IngestRun.objects.count() == 2


def test_a_queued_ingest_reaches_redis_after_the_commit(
    by_curator: Client,
    queue_redis: Any,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        act(by_curator, "queue_ingest", a_repository())

    run = IngestRun.objects.get()
    assert queue_redis.lrange("rq:queue:ingest", 0, -1) == [run.job_id.encode()]
