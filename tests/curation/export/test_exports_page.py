"""The page of exports: every option, a preview, what an archive holds, and what has changed."""

import re
from dataclasses import fields
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

import tests.factories as make
from curation.errors import CurationError
from curation.export import views
from curation.export.jobs import export as export_job
from curation.export.options import OPTIONS, ExportOptions, chosen
from curation.export.requests import request_export
from curation.export.views import ExportForm
from curation.models import ExportRun, Pair, Status

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def data(settings: Any, tmp_path: Any) -> None:
    settings.DATA_DIR = tmp_path


def shown() -> dict[str, Any]:
    return {
        name: field.initial
        for name, field in ExportForm().fields.items()
        if field.initial is not None
    }


def test_each_option_is_declared_and_in_the_form() -> None:
    assert set(OPTIONS) == {field.name for field in fields(ExportOptions)}
    in_form = {name for name, option in OPTIONS.items() if option.in_form}
    assert set(ExportForm().fields) == {"name"} | in_form


def test_an_untouched_form_asks_for_the_defaults() -> None:
    form = ExportForm(shown())

    assert form.is_valid(), form.errors
    assert ExportOptions.from_json(form.options()) == ExportOptions()


def test_a_form_and_a_command_line_give_the_same_options() -> None:
    form = ExportForm({
        **shown(), "caps": "inductor=0.2, template=0.5", "policies": "strict", "splits": "80/10/10",
        "repairs": "on", "together": "on", "total_tokens": "1000", "hardware": ["hip", "cuda"],
    })  # fmt: skip
    assert form.is_valid(), form.errors

    at_shell = chosen({
        "caps": ["template=0.5", "inductor=0.2"], "policies": ["strict"], "splits": "80/10/10",
        "repairs": True, "together": True, "total_tokens": 1000, "hardware": "hip,cuda",
    })  # fmt: skip

    assert ExportOptions.from_json(form.options()) == ExportOptions.from_json(at_shell)


@pytest.mark.parametrize("scripted", [True, False])
def test_a_preview_shows_the_funnel_and_writes_nothing(browser: Client, scripted: bool) -> None:
    make.an_approved_pair()
    Pair.objects.filter(pk=make.an_approved_pair().pk).update(status=Status.PENDING)
    headers: Any = {"HTTP_X_SWAP": "1"} if scripted else {}

    answer = browser.post(
        reverse("preview-export"), {**shown(), "without_benchmarks": "on"}, **headers
    )

    page = answer.content.decode()
    assert answer.status_code == 200
    assert "2 found" in page and "1 exported" in page and "1: pending" in page
    assert ("<html" in page) is not scripted
    assert not ExportRun.objects.exists()


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ({"splits": "90/90"}, "is not a split"),
        ({"where": "status=never"}, "is not valid"),
        ({"caps": "inductor"}, "is not a cap"),
        ({"seed": "x"}, "Enter a whole number"),
        ({"hardware": ["abacus"]}, "Select a valid choice"),
    ],
)
def test_wrong_options_are_a_sentence_in_the_preview_and_in_the_form(
    typed: dict[str, Any], words: str, browser: Client
) -> None:
    for name in ("preview-export", "exports"):
        assert words in browser.post(reverse(name), {**shown(), **typed}).content.decode()
    assert not ExportRun.objects.exists()


def test_too_many_candidates_are_left_to_the_shell(
    browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "PREVIEWED", 1)
    make.an_approved_pair()
    make.an_approved_pair()

    page = browser.post(reverse("preview-export"), shown()).content.decode()

    assert "More than 1 items are candidates" in page and "--dry-run" in page


def test_a_finished_export_shows_its_records_card_and_changes(browser: Client) -> None:
    make.an_approved_pair()
    options = {"without_benchmarks": True}
    runs = [request_export(options, name=name, user=None) for name in ("one", "two")]
    export_job(runs[0].pk)
    make.an_approved_pair()
    export_job(runs[1].pk)

    page = browser.get(reverse("exports")).content.decode()
    card = browser.get(reverse("export-card", args=[runs[1].pk])).content.decode()
    changes = [
        browser.get(reverse("export-changes", args=[run.pk])).content.decode() for run in runs
    ]

    assert "2 pairs" in page and "KB" in page
    assert "<h2>" in card and "license:" not in card.partition("<h1")[2][:200]
    assert "It is the first release." in changes[0]
    assert "1 added" in changes[1]


def test_a_card_shows_its_pictures_and_has_no_inline_style(browser: Client) -> None:
    make.an_approved_pair()
    run = request_export({"without_benchmarks": True}, user=None)
    export_job(run.pk)

    card = browser.get(reverse("export-card", args=[run.pk])).content.decode()

    pictures = re.findall(r'<img src="([^"]*)" alt="[^"]+"', card)
    assert len(pictures) >= 3
    assert all(picture.startswith("data:image/svg+xml;base64,") for picture in pictures)
    assert "style=" not in card
    assert '<td class="number">' in card
    assert "<th></th>" not in card


def test_saved_views_are_offered_as_filters(browser: Client) -> None:
    owner = make.a_reviewer()
    query = "operation=matmul&items=pairs"
    make.a_saved_view(user=owner, name="Products", query=query, shared=True)
    make.a_saved_view(user=owner, name="Own")

    page = browser.get(reverse("exports")).content.decode()

    assert '<option value="items=pairs operation=matmul">Products</option>' in page
    assert "Own</option>" not in page


@pytest.mark.parametrize("name", ["a\nX: y", "a\u202eb", "a b", "a/c", "-x", "..", "<b>"])
def test_the_name_of_a_release_fits_a_file_and_a_command_line(browser: Client, name: str) -> None:
    answer = browser.post(reverse("exports"), {"name": name})

    assert answer.status_code == 400
    assert "only letters, digits and . + - _" in answer.content.decode()
    assert not ExportRun.objects.exists()


def test_a_release_of_an_older_name_and_with_fewer_options_can_be_rebuilt() -> None:
    options = ExportOptions(seed=3).as_json()
    older = {name: value for name, value in options.items() if name != "held_out_recipes"}
    make.a_release(name="old name", options=older)

    assert request_export(options, name="old name", user=None).name == "old name"
    with pytest.raises(CurationError, match="made with other options"):
        request_export({**options, "seed": 4}, name="old name", user=None)


def test_six_fields_are_outside_the_fold_of_the_export_form(browser: Client) -> None:
    page = browser.get(reverse("exports")).content.decode()
    form = page[page.index('<form class="card export"') : page.index("<summary>More")]

    assert set(re.findall(r'name="(\w+)"', form)) - {"csrfmiddlewaretoken"} == set(views.FIRST)


def test_the_fold_of_the_export_form_opens_at_a_wrong_value(browser: Client) -> None:
    def fold(typed: dict[str, Any]) -> bool:
        page = browser.post(reverse("exports"), {**shown(), **typed}).content.decode()
        return '<details class="across" open><summary>More' in page

    assert fold({"seed": "x"})
    assert not fold({"where": "status=never"})
