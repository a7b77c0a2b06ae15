"""Passwords, invitations, API tokens, and what an account without a group sees."""

import io
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.forms import SetPasswordForm
from django.contrib.auth.models import Group, User
from django.core.management import CommandError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from curation.models import ApiToken, Invitation, LoginFailure
from curation.people import CURATORS, REVIEWERS
from curation.web import tokens
from curation.web.security import invitations
from tests import factories as make
from tests.probes import output_of, queries_of

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]

NEW = "a much longer phrase"
LINK = re.compile(r"http://[^\s\"<]+/join/[^\s\"<]+")


@pytest.fixture
def curator() -> User:
    return make.a_curator(username="eve")


@pytest.fixture
def by_curator(curator: User) -> Client:
    return make.a_browser(curator)


# --- One's own password ---------------------------------------------------------------------
def change_password(client: Client, old: str = make.PASSWORD, new: str = NEW, **ticked: str) -> Any:
    typed = {"old_password": old, "new_password1": new, "new_password2": new, **ticked}
    return client.post(reverse("password"), typed)


@pytest.mark.parametrize("person", [make.a_person, make.a_reviewer, make.a_curator])
def test_every_account_can_change_its_own_password(person: type[User]) -> None:
    user = person()
    client = make.a_browser(user)
    assert reverse("password") in client.get(reverse("account")).content.decode()

    assert change_password(client).status_code == 302

    user.refresh_from_db()
    assert user.check_password(NEW)


def test_a_password_change_ends_only_the_other_sessions() -> None:
    user = make.a_reviewer()
    here, elsewhere = make.a_browser(user), make.a_browser(user)

    change_password(here)

    assert here.get(reverse("account")).status_code == 200
    assert elsewhere.get(reverse("account")).status_code == 302


@pytest.mark.parametrize(("ticked", "code"), [({}, 200), ({"revoke_tokens": "1"}, 401)])
def test_a_password_change_revokes_the_tokens_of_the_account_on_request(
    ticked: dict[str, str], code: int
) -> None:
    user = make.a_reviewer()
    own, other = (tokens.make(each, "script") for each in (user, make.a_reviewer()))
    client = make.a_browser(user)
    assert "Also revoke my API tokens" in client.get(reverse("password")).content.decode()

    assert change_password(client, **ticked).status_code == 302

    assert (call(own), call(other)) == (code, 200)


def test_a_wrong_current_password_changes_nothing() -> None:
    user = make.a_reviewer()
    secret = tokens.make(user, "script")

    answer = change_password(make.a_browser(user), old="guessed", revoke_tokens="1")

    assert answer.status_code == 400
    assert "This is not your current password." in answer.content.decode()
    user.refresh_from_db()
    assert user.check_password(make.PASSWORD)
    assert call(secret) == 200


def test_guessing_the_current_password_is_throttled_like_a_login(settings: Any) -> None:
    user = make.a_reviewer()
    client = make.a_browser(user)
    for _ in range(settings.LOGIN_FAILURES):
        change_password(client, old="guessed")

    answer = change_password(client)

    assert answer.status_code == 429
    assert "Too many wrong passwords. Try again in 2 seconds." in answer.content.decode()
    assert LoginFailure.objects.filter(name=user.username).count() == settings.LOGIN_FAILURES
    user.refresh_from_db()
    assert user.check_password(make.PASSWORD)


# --- Invitations ----------------------------------------------------------------------------
def invite(client: Client, name: str = "rhea", group: str = REVIEWERS) -> Any:
    typed = {"username": name, "group": make.a_group(group).pk, "email": "rhea@example.org"}
    return client.post(reverse("people"), typed)


def link_of(answer: Any) -> str:
    link, *_ = LINK.findall(answer.content.decode())
    return str(link)


def join(link: str, client: Client | None = None) -> Any:
    typed = {"new_password1": NEW, "new_password2": NEW}
    return (client or Client()).post(link, typed)


@pytest.mark.parametrize(("group", "is_staff"), [(REVIEWERS, False), (CURATORS, True)])
def test_an_invited_person_chooses_a_password_and_is_logged_in(
    by_curator: Client, group: str, is_staff: bool
) -> None:
    link, client = link_of(invite(by_curator, group=group)), Client()
    page = client.get(link).content.decode()
    assert "Welcome, rhea" in page
    assert f"as a {group[:-1]}. " in page
    assert not User.objects.filter(username="rhea").exists()

    assert join(link, client).headers["Location"] == reverse("queue")

    user = User.objects.get(username="rhea")
    assert user.check_password(NEW)
    assert [each.name for each in user.groups.all()] == [group]
    assert (user.is_staff, user.is_superuser, user.email) == (is_staff, False, "rhea@example.org")
    assert client.get(reverse("account")).status_code == 200


def revoke(curator: Client, link: str) -> None:
    curator.post(reverse("revoke-invitation", args=[Invitation.objects.get().pk]))


def take_the_permission(curator: Client, link: str) -> None:
    User.objects.get(username="eve").groups.clear()


@pytest.mark.parametrize(
    "happens",
    [
        lambda curator, link: join(link), lambda curator, link: invite(curator), revoke,
        take_the_permission,
    ],
    ids=["used", "replaced", "revoked", "inviter without permission"],
)  # fmt: skip
def test_an_invitation_link_ends_with_its_use_or_its_inviters_permission(
    by_curator: Client, happens: Callable[[Client, str], object]
) -> None:
    link = link_of(invite(by_curator, group=CURATORS))
    happens(by_curator, link)
    before = list(User.objects.values("username", "password"))

    for answer in (Client().get(link), join(link)):
        assert answer.status_code == 410

    assert list(User.objects.values("username", "password")) == before


def test_an_invitation_does_not_take_over_an_account_of_its_name(by_curator: Client) -> None:
    link = link_of(invite(by_curator))
    rhea = make.a_curator(username="rhea")

    assert join(link).status_code == 410
    rhea.refresh_from_db()
    assert rhea.check_password(make.PASSWORD)


@pytest.mark.parametrize("change", [lambda text: text[:-1], lambda text: f"x{text}", lambda _: "x"])
def test_a_forged_invitation_link_is_refused(
    by_curator: Client, change: Callable[[str], str]
) -> None:
    site, token = link_of(invite(by_curator)).rsplit("/", 1)

    assert join(f"{site}/{change(token)}").status_code == 410


def test_only_one_of_two_concurrent_acceptances_creates_the_account(by_curator: Client) -> None:
    token = link_of(invite(by_curator)).rsplit("/", 1)[1]
    first, second = (invitations.open_invitation(token) for _ in range(2))
    form = SetPasswordForm(User(username="rhea"), {"new_password1": NEW, "new_password2": NEW})
    assert form.is_valid()
    invitations.accept(first, form)

    with pytest.raises(invitations.InvitationRefused, match="used already"):
        invitations.accept(second, form)


def test_an_invitation_link_expires_after_seven_days(by_curator: Client) -> None:
    link = link_of(invite(by_curator))
    almost = timezone.now() - timedelta(days=7) + timedelta(minutes=1)
    Invitation.objects.update(created_at=almost)
    assert Client().get(link).status_code == 200

    Invitation.objects.update(created_at=almost - timedelta(minutes=2))

    assert join(link).status_code == 410
    assert "Expired" in by_curator.get(reverse("people")).content.decode()


def test_the_people_page_lists_accounts_with_their_roles(by_curator: Client) -> None:
    make.a_reviewer(username="rhea", is_active=False)
    make.a_person(username="nora")
    make.a_superuser(username="root")

    page = re.sub(r"\s+", " ", by_curator.get(reverse("people")).content.decode())

    for name, role in (("eve", "curator"), ("rhea", "reviewer, deactivated"),
                       ("nora", "no role yet"), ("root", "superuser")):  # fmt: skip
        assert re.search(rf'<th scope="row">{name}\b.*?</th><td>{role}</td>', page), name
    assert "<dt>Reviewer</dt><dd>Approves and rejects items.</dd>" in page


def test_ended_invitations_do_not_pile_up(by_curator: Client) -> None:
    for _ in range(3):
        invite(by_curator)

    page = by_curator.get(reverse("people")).content.decode()

    assert page.count("the invitation of rhea") == 1


def test_an_invitation_link_is_shown_once_and_not_stored(by_curator: Client) -> None:
    answer = invite(by_curator)
    token = link_of(answer).rsplit("/", 1)[1]

    assert "no-store" in answer.headers["Cache-Control"]
    assert token not in by_curator.get(reverse("people")).content.decode()
    assert token not in str(list(Invitation.objects.values()))


def test_a_logged_in_user_can_not_accept_an_invitation(by_curator: Client) -> None:
    link = link_of(invite(by_curator))

    assert "You are logged in as eve" in by_curator.get(link).content.decode()
    assert join(link, by_curator).status_code == 400
    assert not User.objects.filter(username="rhea").exists()


@pytest.mark.parametrize("name", ["ada", "ADA", "", "no spaces", "x" * 151])
def test_an_invitation_refuses_a_taken_or_invalid_name(by_curator: Client, name: str) -> None:
    make.a_reviewer(username="ada")

    assert invite(by_curator, name).status_code == 400

    assert not Invitation.objects.exists()


def test_a_curator_can_not_invite_to_another_group(by_curator: Client) -> None:
    owners = Group.objects.create(name="owners")

    answer = by_curator.post(reverse("people"), {"username": "rhea", "group": owners.pk})

    assert answer.status_code == 400


def test_the_log_records_each_invitation_with_its_author(by_curator: Client) -> None:
    join(link_of(invite(by_curator)))
    invite(by_curator, "iris")
    by_curator.post(reverse("revoke-invitation", args=[Invitation.objects.latest("pk").pk]))

    told = {(str(row.user), row.object_repr, row.change_message) for row in LogEntry.objects.all()}
    assert told == {
        ("eve", "rhea", "Invited to reviewers."),
        ("rhea", "rhea", "Accepted the invitation by eve."),
        ("eve", "iris", "Invited to reviewers."),
        ("eve", "iris", "Revoked."),
    }


# --- The command ----------------------------------------------------------------------------
def add_reviewer(*arguments: str) -> str:
    return output_of("add_reviewer", *arguments, stderr=io.StringIO()).strip()


@pytest.mark.parametrize(("option", "group"), [((), REVIEWERS), (("--curator",), CURATORS)])
def test_add_reviewer_prints_a_link_that_creates_the_account(
    option: tuple[str, ...], group: str
) -> None:
    link = add_reviewer("rhea", *option, "--email", "rhea@example.org")
    assert LINK.fullmatch(link)

    assert join(link).status_code == 302

    user = User.objects.get(username="rhea")
    assert [each.name for each in user.groups.all()] == [group]
    assert user.email == "rhea@example.org"


def test_add_reviewer_prints_the_public_url_behind_a_proxy(settings: Any) -> None:
    settings.CSRF_TRUSTED_ORIGINS = ["https://*.example.org", "https://curation.example.org"]

    assert add_reviewer("rhea").startswith("https://curation.example.org/join/")


def test_add_reviewer_refuses_a_taken_name() -> None:
    make.a_reviewer(username="rhea")

    with pytest.raises(CommandError, match="An account named rhea exists already"):
        add_reviewer("rhea")


# --- An account without a group -------------------------------------------------------------
HREF = re.compile(r'href="(/[^"]*)"')


def test_the_page_for_an_account_without_a_group_names_the_curators() -> None:
    make.a_curator(username="eve", email="eve@example.org")
    make.a_superuser(username="root")
    make.a_curator(username="gone", is_active=False)
    make.a_reviewer(username="rita")

    answer = make.a_browser(make.a_person(username="rhea")).get(reverse("queue"))
    page = answer.content.decode()

    assert answer.status_code == 403
    assert "No access yet" in page
    assert "rhea" in page
    assert all(text in page for text in ("<li>eve, ", "eve@example.org", "<li>root</li>"))
    assert not any(text in page for text in ("gone", "rita"))


@pytest.mark.parametrize(
    ("person", "name"),
    [
        (make.a_person, "queue"), (make.a_person, "account"), (make.a_person, "password"),
        (make.a_reviewer, "exports"), (make.a_reviewer, "account"), (make.a_reviewer, "keys"),
        (make.a_curator, "account"), (make.a_curator, "keys"), (make.a_curator, "people"),
    ],
)  # fmt: skip
def test_no_page_links_to_a_page_that_this_person_may_not_open(
    person: type[User], name: str
) -> None:
    user = person()
    client = make.a_browser(user)

    links = set(HREF.findall(client.get(reverse(name)).content.decode()))

    assert reverse("account") in links
    refused = [url for url in links if client.get(url).status_code == 403]
    assert refused == []


# --- Tokens ---------------------------------------------------------------------------------
SECRET = re.compile(r"curation_[\w-]{43}")


def call(secret: str) -> int:
    headers = {"Authorization": f"Bearer {secret}"}
    return Client().get(reverse("api-items", args=["kernels"]), headers=headers).status_code


def make_token(client: Client, name: str = "script", days: str = "90") -> str:
    answer = client.post(reverse("token"), {"name": name, "days": days})
    (secret,) = SECRET.findall(answer.content.decode())
    return str(secret)


def test_a_user_can_have_several_tokens_and_revoke_one() -> None:
    client = make.a_browser(make.a_reviewer())
    first, second = make_token(client, "nightly"), make_token(client, "laptop")
    page = client.get(reverse("account")).content.decode()
    assert all(name in page for name in ("nightly", "laptop"))
    assert not any(secret in page for secret in (first, second))

    client.post(reverse("token"), {"revoke": ApiToken.objects.get(name="nightly").pk})

    assert (call(first), call(second)) == (401, 200)


def test_a_new_token_is_only_in_the_response_and_account_pages_are_not_cached() -> None:
    client = make.a_browser(make.a_reviewer())
    answers = [client.get(reverse(name)) for name in ("account", "password")]
    answers.append(client.post(reverse("token"), {"name": "script", "days": "90"}))

    for answer in answers:
        assert "no-store" in answer.headers["Cache-Control"]
    shown = SECRET.search(answers[-1].content.decode())
    assert shown
    assert shown[0] not in str(client.cookies) + str(dict(client.session))
    # The cookie of messages is signed, not encrypted: its text would be readable there.
    assert "messages" not in client.cookies


def test_an_expired_token_is_refused() -> None:
    client = make.a_browser(make.a_reviewer())
    secret = make_token(client, days="30")
    token = ApiToken.objects.get()
    assert token.expires_at
    assert timedelta(days=29) < token.expires_at - timezone.now() <= timedelta(days=30)
    assert call(secret) == 200

    ApiToken.objects.update(expires_at=timezone.now())

    assert call(secret) == 401
    assert "Expired" in client.get(reverse("account")).content.decode()


def test_an_api_token_without_an_expiry_never_expires() -> None:
    secret = make_token(make.a_browser(make.a_reviewer()), days="")
    ApiToken.objects.update(created_at=timezone.now() - timedelta(days=2000))

    assert call(secret) == 200


@pytest.mark.parametrize("typed", [{"name": ""}, {"name": "x", "days": "100000"}])
def test_a_token_needs_a_label_and_an_offered_expiry(typed: dict[str, str]) -> None:
    make.a_browser(make.a_reviewer()).post(reverse("token"), {"days": "30"} | typed)

    assert not ApiToken.objects.exists()


def test_the_last_use_of_a_token_is_written_at_most_once_a_minute() -> None:
    secret = tokens.make(make.a_reviewer(), "script")
    call(secret)
    first = ApiToken.objects.get().used_at
    assert first

    assert not any("UPDATE" in query for query in queries_of(lambda: call(secret)))
    assert ApiToken.objects.get().used_at == first

    ApiToken.objects.update(used_at=timezone.now() - timedelta(seconds=61))
    call(secret)
    used = ApiToken.objects.get().used_at
    assert used
    assert used >= first


def test_a_curator_can_revoke_a_token_of_another_user(by_curator: Client) -> None:
    secret = tokens.make(make.a_reviewer(username="rhea"), "runaway")
    assert "runaway" in by_curator.get(reverse("account")).content.decode()

    by_curator.post(reverse("token"), {"revoke": ApiToken.objects.get().pk})

    assert call(secret) == 401
    assert LogEntry.objects.get().object_repr == "runaway of rhea"


def test_a_reviewer_can_not_revoke_a_token_of_another_user() -> None:
    other = make.an_api_token()
    client = make.a_browser(make.a_reviewer())

    client.post(reverse("token"), {"revoke": other.pk})

    assert ApiToken.objects.get() == other
