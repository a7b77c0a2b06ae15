"""Comments on lines, and the notices that people get of them, of disputes, questions and runs."""

import hmac
import json
import re
import threading
import uuid
from collections.abc import Iterator
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from django.utils import timezone

import tests.factories as make
from curation.decisions import second_reviews as second
from curation.decisions import talk
from curation.decisions.notices import deliver_notices, notice_runs, sign
from curation.models import Kernel, LineComment, Notice, NoticeChoice, NoticeKind, RunState, Status

pytestmark = pytest.mark.django_db


@pytest.fixture
def kernel() -> Kernel:
    return make.a_kernel(standalone_source="import triton\n\n\ndef kernel():\n    pass\n")


@pytest.fixture
def author() -> User:
    return make.a_reviewer(username="ada")


@pytest.fixture
def browser(client: Client, author: User) -> Client:
    client.force_login(author)
    return client


def write(kernel: Kernel, author: User, text: str = "Why?", **more: Any) -> LineComment:
    more = {"file": "standalone_source", "line": 4, **more}
    return talk.comment(item=kernel, author=author, text=text, **more)


def test_a_comment_is_shown_below_its_line_and_in_the_discussion(
    browser: Client, kernel: Kernel
) -> None:
    form = {"file": "standalone_source", "line": "4", "text": "<b>Why</b> no mask?"}
    there = browser.post(f"/kernels/{kernel.pk}/comment", form)["Location"]

    page = browser.get(f"/kernels/{kernel.pk}/").content.decode()
    discussion = browser.get(there.partition("#")[0]).content.decode()

    made = LineComment.objects.get()
    assert (made.code, made.content_hash) == ("def kernel():", kernel.content_hash)
    row = re.search(r'<tr id="L4">.*?</tr><tr class="note">(.*?)</tr>', page, re.DOTALL)
    assert row and "&lt;b&gt;Why&lt;/b&gt; no mask?" in row[1]
    assert "Discussion 1" in page and "1 open thread</a> on its lines" in page
    assert f'id="thread-{made.pk}"' in discussion and there.endswith(f"#thread-{made.pk}")


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"line": "0", "text": "x"}, "has the lines 1 to 5"),
        ({"line": "99", "text": "x"}, "has the lines 1 to 5"),
        ({"line": "4", "text": "  "}, "Write the comment first"),
        ({"line": "4", "text": "x" * 10_001}, "below 10,000 characters"),
        ({"line": "4", "text": "x", "file": "password"}, "has no text password"),
    ],
)
def test_a_wrong_comment_gets_a_sentence(
    form: dict[str, str], words: str, browser: Client, kernel: Kernel
) -> None:
    form = {"file": "standalone_source", **form}

    page = browser.post(f"/kernels/{kernel.pk}/comment", form, follow=True).content.decode()

    assert words in page
    assert not LineComment.objects.exists()


def test_a_thread_is_answered_resolved_and_opened_again(
    browser: Client, kernel: Kernel, author: User
) -> None:
    first = write(kernel, make.a_reviewer())
    reply = write(kernel, author, "Because.", parent=first)
    write(kernel, author, "And so on.", parent=reply)

    (thread,) = talk.threads(kernel)
    texts = [one.text for one in (thread.first, *thread.replies)]
    assert texts == ["Why?", "Because.", "And so on."]

    browser.post(f"/comments/{reply.pk}", {"act": "resolve"})
    assert talk.threads(kernel)[0].resolved
    assert 'tr class="note"' not in browser.get(f"/kernels/{kernel.pk}/").content.decode()
    browser.post(f"/comments/{first.pk}", {"act": "reopen"})
    assert not talk.threads(kernel)[0].resolved


def test_only_its_author_deletes_a_comment_and_the_answers_stay(
    browser: Client, kernel: Kernel, author: User
) -> None:
    own, other = write(kernel, author), write(kernel, make.a_reviewer())
    write(kernel, make.a_reviewer(), "Answer.", parent=own)

    for made in (own, other):
        browser.post(f"/comments/{made.pk}", {"act": "delete"})

    own.refresh_from_db()
    other.refresh_from_db()
    assert (own.text, other.text) == ("", "Why?")
    assert len(talk.threads(kernel)) == 2


def test_comments_of_earlier_versions_are_listed_and_hidden_from_a_blind_reviewer(
    browser: Client, author: User, kernel: Kernel
) -> None:
    newer = make.a_kernel(previous=kernel)
    write(kernel, make.a_reviewer(), "Look here.")

    assert [thread.earlier for thread in talk.threads(newer)] == [True]
    page = browser.get(f"/kernels/{newer.pk}/?tab=discussion").content.decode()
    assert "An earlier version" in page and "Look here." in page

    make.a_second_review(first=make.a_decision(kernel=newer))
    page = browser.get(f"/kernels/{newer.pk}/?tab=discussion").content.decode()
    assert "Look here." not in page and "hidden until" in page


def test_mentions_and_answers_reach_the_people_once(kernel: Kernel, author: User) -> None:
    grace, nobody = make.a_reviewer(username="grace"), User.objects.create(username="nobody")
    first = write(kernel, author, "@grace, @ada and @nobody. Look at mail@grace.")
    write(kernel, grace, "I agree, @ada.", parent=first)

    got = Notice.objects.order_by("pk").values_list("user__username", "kind")
    assert list(got) == [("grace", NoticeKind.MENTION), ("ada", NoticeKind.MENTION)]
    write(kernel, grace, "Besides.", parent=first)
    assert Notice.objects.filter(user=author, kind=NoticeKind.REPLY).count() == 1
    assert not Notice.objects.filter(user=nobody).exists()


def test_the_bell_counts_unread_notices_and_a_click_leads_there(
    browser: Client, author: User
) -> None:
    notice = make.a_notice(user=author, url="/find")
    foreign = make.a_notice()

    assert "data-unread" in browser.get("/notices").content.decode()
    there = browser.post("/notices/read", {"notice": notice.pk})
    assert browser.post("/notices/read", {"notice": foreign.pk}).status_code == 404

    assert there["Location"] == "/find"
    assert "data-unread" not in browser.get("/notices").content.decode()
    make.a_notice(user=author)
    browser.post("/notices/read")
    assert not Notice.objects.filter(user=author, read_at=None).exists()


def test_a_question_and_a_dispute_are_noticed_by_those_who_can_act(
    browser: Client, kernel: Kernel, author: User
) -> None:
    grace, curator = make.a_reviewer(username="grace"), make.a_curator()
    browser.post(f"/kernels/{kernel.pk}/question", {"text": "Safe?", "asked": "grace"})
    assert Notice.objects.get(user=grace).kind == NoticeKind.QUESTION

    review = make.a_second_review(first=make.a_decision(kernel=kernel, status=Status.APPROVED))
    second.give(review=review, status=Status.REJECTED, user=grace, request=uuid.uuid4())
    assert Notice.objects.get(user=curator).kind == NoticeKind.DISPUTE
    assert not Notice.objects.filter(user=author).exists()


def test_the_end_of_a_run_is_noticed_once_by_the_person_who_asked(author: User) -> None:
    ended = {"state": RunState.FAILED, "finished_at": timezone.now(), "message": "No network."}
    run = make.an_ingest_run(requested_by=author, **ended)
    make.an_ingest_run(**ended)

    assert (notice_runs(), notice_runs()) == (1, 0)

    notice = Notice.objects.get(user=author)
    assert "failed. No network." in notice.text and notice.url == run.get_absolute_url()


def test_a_tried_case_makes_no_notice(author: User) -> None:
    make.a_tried_case(
        requested_by=author, state=RunState.FAILED, finished_at=timezone.now(), message="Gone."
    )

    assert notice_runs() == 0


def test_the_discussion_names_files_as_the_tabs_do(browser: Client, kernel: Kernel) -> None:
    write(kernel, make.a_reviewer())

    page = browser.get(f"/kernels/{kernel.pk}/?tab=discussion").content.decode()

    assert ">Standalone, line 4</a>" in page
    assert '<option value="function_source">In its file</option>' in page


def test_a_question_to_any_reviewer_reaches_all_of_them(browser: Client, kernel: Kernel) -> None:
    people = {make.a_reviewer(username="grace"), make.a_curator(username="eve")}

    page = browser.post(f"/kernels/{kernel.pk}/question", {"text": "Safe?"}, follow=True)

    assert "waits for an answer of any reviewer" in page.content.decode()
    assert {notice.user for notice in Notice.objects.all()} == people


class Receiver(HTTPServer):
    status = 200
    got: list[tuple[dict[str, str], bytes]]


class Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.got.append((dict(self.headers), body))
        self.send_response(self.server.status)
        self.end_headers()

    def log_message(self, *_: Any) -> None: ...


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    server = Receiver(("127.0.0.1", 0), Handler)
    server.got = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    settings.WEBHOOK_URL = f"http://127.0.0.1:{server.server_port}/hook"
    settings.WEBHOOK_SECRET = "a secret"
    settings.SITE_URL = "https://curation.example"
    yield server
    server.shutdown()
    server.server_close()


def test_a_notice_is_posted_with_a_signature_that_the_receiver_can_check(
    receiver: Receiver, author: User
) -> None:
    make.a_notice(user=author, text="Ended.", url="/runs/")

    assert (deliver_notices(), deliver_notices()) == (1, 0)

    ((headers, body),) = receiver.got
    key, at = b"a secret", headers["X-Timestamp"]
    assert headers["X-Signature"] == hmac.new(key, f"{at}.".encode() + body, sha256).hexdigest()
    assert headers["X-Signature"] != sign("0", body)
    told = json.loads(body)
    assert (told["user"], told["url"]) == ("ada", "https://curation.example/runs/")


def test_a_failed_webhook_is_tried_again_and_sends_no_second_mail(
    receiver: Receiver, author: User, settings: Any
) -> None:
    settings.EMAIL_HOST = "mail.example"
    User.objects.filter(pk=author.pk).update(email="ada@example.org")
    NoticeChoice.objects.create(user=author, mail=True)
    notice = make.a_notice(user=author, text="Ended.\nBcc: other@example.org", url="/runs/")
    receiver.status = 500

    assert deliver_notices() == 0
    notice.refresh_from_db()
    assert "500" in notice.trouble and notice.sent_at is None
    receiver.status = 204
    assert deliver_notices() == 1

    notice.refresh_from_db()
    assert notice.sent_at and not notice.trouble
    (message,) = mail.outbox
    assert message.to == ["ada@example.org"] and "\n" not in message.subject
    assert "https://curation.example/runs/" in message.body


def test_nobody_gets_mail_who_did_not_ask_for_it(author: User, settings: Any) -> None:
    settings.EMAIL_HOST = "mail.example"
    make.a_notice(user=author)

    assert deliver_notices() == 1
    assert mail.outbox == []
