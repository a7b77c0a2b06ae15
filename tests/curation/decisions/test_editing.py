"""Editing a pair: what is saved as its next version, and what is refused and kept."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils.html import escape

from curation.decisions.queue import next_item
from curation.identity import content_hash
from curation.models import Notice, Pair, Question, ValidationRun
from tests import factories as make
from tests.curation.decisions.test_drafts import PYTHON, TEST, TRITON

pytestmark = pytest.mark.django_db

TEXTS = {"python_code": PYTHON, "triton_code": TRITON, "test_code": TEST}
EDITED = TEXTS | {"python_code": PYTHON.replace("x + 1", "1 + x")}


@pytest.fixture
def pair() -> Pair:
    name = content_hash(PYTHON, TRITON, TEST)
    return make.a_pair(**TEXTS, content_hash=name, entry_point="run_add", tags=["kept"])


def save(browser: Client, pair: Pair, texts: dict[str, str]) -> Any:
    return browser.post(reverse("save-version", args=[pair.pk]), texts)


def test_an_edit_creates_a_new_version_and_keeps_the_old_one(
    browser: Client, curator: User, pair: Pair
) -> None:
    Pair.objects.filter(pk=pair.pk).update(status="approved")

    answer = save(browser, pair, {k: text.replace("\n", "\r\n") for k, text in EDITED.items()})

    new = Pair.objects.get(previous=pair)
    pair.refresh_from_db()
    assert answer.headers["Location"] == new.get_absolute_url()
    assert (pair.status, new.status, new.author) == ("approved", "pending", curator)
    assert (new.python_code, new.tags) == (EDITED["python_code"], ["kept"])
    assert new.tokens
    assert ValidationRun.objects.get().batch == make.batch(new)


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        ({}, "Nothing has changed"),
        ({"python_code": ""}, "None of the three texts may be empty"),
        ({"python_code": "x" * 200_001}, "below 200,000 characters"),
        ({"python_code": "def broken(:"}, "python_code does not parse: line 1"),
        (
            {"python_code": "import os\n\n\ndef run_add(x):\n    return x\n"},
            "python_code imports os",
        ),
        ({"python_code": PYTHON.replace("(x)", "(x, y)")}, "the two signatures must be the same"),
        ({"test_code": TEST.replace("CASES", "CHOICES")}, "defines no constant CASES"),
    ],
)
def test_an_invalid_edit_is_refused_and_stays_in_the_form(
    browser: Client, pair: Pair, texts: dict[str, str], sentence: str
) -> None:
    answer = save(browser, pair, TEXTS | texts)

    page = answer.content.decode()
    assert answer.status_code == 400
    assert sentence in page
    assert all(escape(text) in page for text in texts.values())
    assert not Pair.objects.exclude(pk=pair.pk).exists()
    assert not ValidationRun.objects.exists()


def test_a_violation_in_a_text_that_an_edit_leaves_alone_is_no_obstacle(
    browser: Client, pair: Pair
) -> None:
    old = f"import numbers\n{TRITON}"
    Pair.objects.filter(pk=pair.pk).update(triton_code=old)

    answer = save(browser, pair, EDITED | {"triton_code": old})
    page = browser.get(answer.headers["Location"]).content.decode()
    touched = save(browser, pair, TEXTS | {"triton_code": f"{old}# An edit.\n"})

    assert Pair.objects.get(previous=pair).triton_code == old
    assert "Not mended by this edit: triton_code imports numbers" in page
    assert "triton_code imports numbers" in touched.content.decode()
    assert touched.status_code == 400


def test_a_pair_that_is_sent_back_waits_for_a_new_version_of_its_author(
    browser: Client, curator: User, pair: Pair
) -> None:
    Pair.objects.filter(pk=pair.pk).update(author=curator)
    grace = make.a_reviewer(username="grace")
    colleague = make.a_browser(grace)
    ask = f"{reverse('ask', args=['pairs', pair.pk])}?asked=ada"

    form = colleague.get(ask).content.decode()
    colleague.post(ask, {"asked": "ada", "text": "Please name the block size."})
    page = browser.get(pair.get_absolute_url()).content.decode()

    assert "back to ada</h1>" in form
    assert "</strong> sends this pair back to ada: Please name the block size." in page
    assert "grace sends" in Notice.objects.get(user=curator).text
    assert next_item(make.a_reviewer()) is None
    save(browser, pair, EDITED)
    question = Question.objects.get()
    new = Pair.objects.get(previous=pair)
    assert (question.answered_by, question.answer) == (curator, f"See {new}.")
    assert Notice.objects.get(user=grace).url == new.get_absolute_url()


def test_an_edit_equal_to_an_existing_pair_is_refused(browser: Client, pair: Pair) -> None:
    save(browser, pair, EDITED)

    answer = save(browser, pair, EDITED)

    assert "The same pair exists already" in answer.content.decode()
    assert Pair.objects.count() == 2


# --- The diff of a version ------------------------------------------------------------------
def diff(browser: Client, old: Pair, **texts: str) -> str:
    new = make.a_pair(**TEXTS | texts, entry_point="run_add", previous=old)
    return browser.get(f"{new.get_absolute_url()}?tab=diff").content.decode()


@pytest.mark.parametrize("name", TEXTS)
def test_the_diff_of_a_pair_shows_the_file_that_was_edited(
    browser: Client, pair: Pair, name: str
) -> None:
    page = diff(browser, pair, **{name: f"{TEXTS[name]}# An edit.\n"})

    opened = '<details class="file" open><summary><span class="name">'
    assert page.count(opened) == 1
    assert f"{opened}{name}.py</span> 1 line differs" in page
    assert page.count("No lines differ") == 2


def test_a_warning_about_a_loosened_tolerance_is_above_the_diff(
    browser: Client, pair: Pair
) -> None:
    page = diff(browser, pair, test_code=TEST.replace("(1e-5, 1e-6)", "(0.5, 0.5)"))

    remark = page.index("This edit changes a tolerance of the test.")
    assert remark < page.index('<table class="code diff"')
    assert "TOLERANCE = {torch.float32: (0.5, 0.5)}</code>" in page


def test_the_diff_of_near_duplicates_has_no_warning_about_tests(
    browser: Client, pair: Pair
) -> None:
    other = make.a_pair(**TEXTS | {"test_code": TEST.replace("1e-5", "1")}, entry_point="run_add")
    make.a_duplicate_link(pair=other, of_pair=pair)

    page = browser.get(f"{other.get_absolute_url()}?tab=diff").content.decode()

    assert "test_code.py</span> 1 line differs" in page
    assert "This edit changes" not in page
