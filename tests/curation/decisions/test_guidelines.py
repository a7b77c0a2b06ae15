"""Guidelines: defaults, versions with differences, examples, and the pages."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from curation.decisions import guidelines
from curation.errors import CurationError
from curation.models import GuidelineExample, Kernel, OperationType, Status
from tests import factories as make

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]


def a_softmax(**over: Any) -> Kernel:
    return make.a_kernel(**{"operation_type": "softmax", "status": Status.APPROVED, **over})


@pytest.mark.parametrize("operation", OperationType.values)
def test_every_operation_has_a_default_text(operation: str) -> None:
    text = guidelines.default_text(operation)

    assert "## Accept" in text
    assert "## Reject" in text
    assert len(text) < 2500


def test_a_saved_version_replaces_the_default_and_names_its_author(browser: Client) -> None:
    address = reverse("edit-guideline", args=["softmax"])

    browser.post(address, {"text": "## Accept\r\n\r\n- Only **stable** ones.", "seen": 0})
    page = browser.get(reverse("guideline", args=["softmax"])).content.decode()

    assert "<strong>stable</strong>" in page
    assert "by ada" in page


def test_the_page_of_a_version_shows_what_it_has_changed(browser: Client) -> None:
    make.a_guideline(text="one\ntwo\n")
    newer = make.a_guideline(text="one\nthree\n")

    page = browser.get(reverse("guideline", args=["reduction"]), {"version": newer.pk})

    assert page.context["lines"] == [("same", "one"), ("gone", "two"), ("new", "three")]


def test_a_version_that_another_curator_has_not_seen_is_refused(browser: Client) -> None:
    make.a_guideline(text="theirs\n")

    answer = browser.post(
        reverse("edit-guideline", args=["reduction"]), {"text": "mine", "seen": 0}
    )

    assert answer.status_code == 400
    assert "has saved another version" in answer.content.decode()
    assert ">mine</textarea>" in answer.content.decode()


def test_an_unchanged_text_is_no_new_version() -> None:
    with pytest.raises(CurationError, match="Nothing has changed"):
        guidelines.save(
            operation_type="softmax",
            text=guidelines.default_text("softmax"),
            seen=0,
            author=make.a_curator(),
        )


def test_a_curator_chooses_an_example_by_its_address(browser: Client) -> None:
    kernel, address = a_softmax(), reverse("guideline-example", args=["softmax"])

    browser.post(address, {"item": f"http://host{kernel.get_absolute_url()}?tab=file",
                           "reason": "It subtracts the maximum."})  # fmt: skip
    other = a_softmax(status=Status.PENDING)
    page = browser.get(other.get_absolute_url()).content.decode()

    assert "It subtracts the maximum." in page
    browser.post(address, {"remove": GuidelineExample.objects.get().pk})
    assert not GuidelineExample.objects.exists()


@pytest.mark.parametrize(
    ("over", "reason", "sentence"),
    [
        ({"status": Status.PENDING}, "why", "choose an approved or a rejected"),
        ({"operation_type": "matmul"}, "why", "has the operation matmul"),
        ({}, " ", "Write a reason"),
    ],
)
def test_an_unfit_example_is_refused_by_a_sentence(
    over: dict[str, Any], reason: str, sentence: str
) -> None:
    with pytest.raises(CurationError, match=sentence):
        guidelines.add_example(
            operation_type="softmax", item=a_softmax(**over), reason=reason, user=make.a_curator()
        )


def test_an_operation_has_at_most_three_examples_of_a_status() -> None:
    user = make.a_curator()
    for _ in range(3):
        guidelines.add_example(operation_type="softmax", item=a_softmax(), reason="why", user=user)

    with pytest.raises(CurationError, match="Remove one first"):
        guidelines.add_example(operation_type="softmax", item=a_softmax(), reason="why", user=user)
    rejected = a_softmax(status=Status.REJECTED)
    guidelines.add_example(operation_type="softmax", item=rejected, reason="why", user=user)


def test_a_wrong_address_of_an_example_is_named(browser: Client) -> None:
    address = reverse("guideline-example", args=["softmax"])

    for item in ("nonsense", "/keys", "/kernels/99999/", "http://[", "/pairs/1/edit"):
        page = browser.post(address, {"item": item, "reason": "why"}, follow=True)
        assert "message error" in page.content.decode(), item


def test_guidelines_escape_html(browser: Client) -> None:
    make.a_guideline(text="<script>alert(1)</script> [x](javascript:alert(1)) ![i](http://x/y)\n")

    page = browser.get(reverse("guideline", args=["reduction"])).content.decode()

    assert "&lt;script&gt;alert(1)" in page
    assert "javascript:alert" not in page.replace("[x](javascript:alert(1))", "")
    assert 'src="http://x' not in page
