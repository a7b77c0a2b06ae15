"""The throttle of logins: guessing gets slower, and holds back no other client and no owner."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from curation.models import LoginFailure
from tests import factories as make
from tests.probes import at_once

pytestmark = pytest.mark.django_db
LIMIT = 5


@pytest.fixture(autouse=True)
def ada() -> User:
    return make.a_curator(username="ada")


def log_in(
    client: Client, name: str = "ada", password: str = make.PASSWORD, *, to: str = "", **meta: Any
) -> Any:
    return client.post(to or reverse("login"), {"username": name, "password": password}, **meta)


def guess(times: int, name: str = "ada", **meta: str) -> Any:
    """Guess passwords from a browser that is new each time; return the last answer."""
    for _ in range(times):
        answer = log_in(Client(), name, "guess", **meta)
    return answer


class Clock:
    """The time of the site, which passes only when a test says so."""

    def __init__(self) -> None:
        self.now = timezone.now()

    def advance(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("django.utils.timezone.now", lambda: clock.now)
    return clock


# --- Slower and slower ----------------------------------------------------------------------
def test_after_failed_logins_the_correct_password_must_wait_too(clock: Clock) -> None:
    guess(LIMIT)

    answer = log_in(Client())

    assert answer.status_code == 429
    assert answer.headers["Retry-After"] == "2"
    assert "Too many logins have failed. Try again in 2 seconds." in answer.content.decode()
    assert LoginFailure.objects.count() == LIMIT


def test_the_owner_can_log_in_after_the_wait(clock: Clock) -> None:
    guess(LIMIT)

    clock.advance(2)

    assert log_in(Client()).status_code == 302
    assert not LoginFailure.objects.exists()


def test_each_failed_login_doubles_the_wait_up_to_five_minutes(clock: Clock) -> None:
    waits = []
    guess(LIMIT)
    for _ in range(10):
        waits.append(int(guess(1).headers["Retry-After"]))
        clock.advance(waits[-1])
        assert guess(1).status_code == 200

    assert waits == [2, 4, 8, 16, 32, 64, 128, 256, 300, 300]


def test_the_admin_login_is_throttled_too() -> None:
    for _ in range(LIMIT):
        log_in(Client(), password="guess", to="/admin/login/")
    client = Client()

    assert log_in(client, to="/admin/login/").status_code == 429
    assert "_auth_user_id" not in client.session


def test_a_login_resets_the_failure_count_and_others_are_not_throttled() -> None:
    make.a_reviewer(username="grace")
    guess(LIMIT - 1)

    for name in ("grace", "ada"):
        assert log_in(Client(), name).status_code == 302

    assert not LoginFailure.objects.filter(name="ada").exists()


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_parallel_password_guesses_stay_within_the_limit(
    ada: User, settings: Any, clock: Clock
) -> None:
    # A slow hash, as in production: all threads are at it at the same time.
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.PBKDF2PasswordHasher"]
    ada.set_password("another")
    ada.save()

    answers = at_once([lambda: guess(1)] * 16)

    codes = [answer.status_code for answer in answers]
    assert (codes.count(200), codes.count(429)) == (LIMIT, 16 - LIMIT)


# --- Known browsers -------------------------------------------------------------------------
def test_a_known_browser_is_not_throttled_by_failures_of_others() -> None:
    browser = Client()
    log_in(browser)
    browser.post(reverse("logout"))
    for number in range(LIMIT * LIMIT + LIMIT):
        guess(1, REMOTE_ADDR=f"192.0.2.{number}")
    guess(LIMIT)

    assert log_in(Client(), REMOTE_ADDR="198.51.100.1").status_code == 429
    assert log_in(browser).status_code == 302


def test_failures_of_a_known_browser_throttle_only_that_browser() -> None:
    browser = Client()
    log_in(browser)
    browser.post(reverse("logout"))

    for _ in range(LIMIT):
        log_in(browser, password="guess")

    assert log_in(browser).status_code == 429
    assert log_in(Client()).status_code == 302


def test_a_known_browser_is_exempt_only_for_its_accounts() -> None:
    make.a_reviewer(username="grace")
    browser = Client()
    for name in ("grace", "ada"):
        log_in(browser, name)
        browser.post(reverse("logout"))
    guess(LIMIT, "grace")
    guess(LIMIT, "eve")

    assert log_in(browser, "eve").status_code == 429
    assert log_in(browser, "grace").status_code == 302


def test_a_forged_device_cookie_does_not_bypass_the_throttle() -> None:
    browser = Client()
    log_in(browser)
    assert browser.cookies["device"]["httponly"]
    stranger = Client()
    stranger.cookies["device"] = browser.cookies["device"].value[:-2] + "xx"
    guess(LIMIT)

    assert log_in(stranger).status_code == 429


# --- Addresses ------------------------------------------------------------------------------
@pytest.mark.slow
def test_failures_from_one_address_do_not_throttle_other_addresses() -> None:
    for number in range(LIMIT**3 + 1):
        answer = guess(1, f"name {number}", REMOTE_ADDR="192.0.2.1")

    assert answer.status_code == 429
    assert log_in(Client(), REMOTE_ADDR="198.51.100.1").status_code == 302


def test_two_clients_behind_a_trusted_proxy_are_counted_separately(settings: Any) -> None:
    settings.TRUSTED_PROXIES = 1
    proxy = {"REMOTE_ADDR": "10.0.0.1"}
    guess(LIMIT, **proxy, HTTP_X_FORWARDED_FOR="192.0.2.1")

    for before in ("", "198.51.100.1, ", "rubbish, "):
        behind = {**proxy, "HTTP_X_FORWARDED_FOR": f"{before}192.0.2.1"}
        assert log_in(Client(), **behind).status_code == 429, before
    there = {**proxy, "HTTP_X_FORWARDED_FOR": "192.0.2.1, 198.51.100.1"}
    assert log_in(Client(), **there).status_code == 302


def test_without_a_trusted_proxy_the_forwarded_address_is_ignored() -> None:
    for number in range(LIMIT):
        guess(1, HTTP_X_FORWARDED_FOR=f"192.0.2.{number}")

    assert log_in(Client(), HTTP_X_FORWARDED_FOR="198.51.100.1").status_code == 429
    assert set(LoginFailure.objects.values_list("address", flat=True)) == {"127.0.0.1"}


@pytest.mark.parametrize(
    ("proxies", "forwarded", "address"),
    [
        (2, "203.0.113.9, 192.0.2.1, 10.0.0.2", "192.0.2.1"),
        (2, "192.0.2.1", "10.0.0.1"),
        (1, "", "10.0.0.1"),
        (1, "192.0.2.1, unknown", "10.0.0.1"),
        (1, "192.0.2.1,", "10.0.0.1"),
        (1, "::ffff:192.0.2.1", "192.0.2.1"),
        (1, "2001:db8:1:2:aaaa::1", "2001:db8:1:2::/64"),
        (1, "2001:0DB8:1:2:bbbb::2", "2001:db8:1:2::/64"),
        (1, "fe80::1%eth0", "fe80::/64"),
        (-1, "192.0.2.1", "10.0.0.1"),
    ],
)
def test_the_client_address_is_read_from_the_right_and_normalized(
    settings: Any, proxies: int, forwarded: str, address: str
) -> None:
    settings.TRUSTED_PROXIES = proxies

    guess(1, REMOTE_ADDR="10.0.0.1", HTTP_X_FORWARDED_FOR=forwarded)

    assert LoginFailure.objects.get().address == address
