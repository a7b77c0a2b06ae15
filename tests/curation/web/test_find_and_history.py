"""Lists, saved views, the log, the dashboard, and editing."""

import re
import uuid
from datetime import timedelta
from html import unescape
from itertools import product

import pytest
from django.contrib.auth.models import User
from django.contrib.staticfiles import finders
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from curation.decisions.decide import undo
from curation.decisions.figures import keep
from curation.models import Kernel, Pair, SavedView, Status
from curation.search.filters import KEYS, Filter
from curation.search.matching import KINDS
from curation.web import dashboard
from curation.web.lists import listing
from tests import factories as make

pytestmark = pytest.mark.django_db


FOREIGN_VALUES = (
    "<64", "64-128", "abc", "1..x", "4..2", "..", "1e999", "nan", "none", "2026-13-01", "9" * 30,
    "'\"%", "x" * 1001,
)  # fmt: skip


LEADS = re.compile(r'href="(/[a-z]*)\?([^"]*)">(?:Review|Bulk)')


def text(browser: Client, url: str) -> str:
    return browser.get(url).content.decode()


# --- Find -----------------------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.parametrize(("read", "looked_up"), [(5, 10), (5, 1000), (1000, 1000)])
@pytest.mark.parametrize("query", ["order=newest", "order=priority", "q=kernel_"])
def test_every_item_is_on_exactly_one_page_of_the_list(
    browser: Client, query: str, read: int, looked_up: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "READ", read)
    monkeypatch.setattr(listing, "LOOKED_UP", looked_up)
    for number in range(60):
        make.a_kernel(name=f"kernel_{number}_", priority=number % 7)

    url, seen = f"{reverse('find')}?{query}", []
    while url:
        answer = browser.get(url)
        seen += [row["item"].name for row in answer.context["rows"]]
        following = answer.context["following"]
        url = f"{reverse('find')}?{following}" if following else ""

    assert sorted(seen) == sorted(f"kernel_{number}_" for number in range(60))


@pytest.mark.parametrize(
    ("read", "looked_up", "said"), [(60, 90, "60+"), (5, 90, "90+"), (5, 10, "120")]
)
def test_a_list_shows_a_lower_bound_of_the_hits_of_a_common_word(
    browser: Client, read: int, looked_up: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "READ", read)
    monkeypatch.setattr(listing, "LOOKED_UP", looked_up)
    for number in range(120):
        make.a_kernel(name=f"kernel_{number}_")

    page = text(browser, f"{reverse('find')}?q=kernel_")

    # SQLite finds its hits in their order, and stops when it has enough of them.
    assert f"{said if connection.vendor == 'postgresql' else '120'} found" in page


def test_a_list_counts_hits_only_up_to_its_limit(
    browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "COUNTED", 60)
    for number in range(60):
        make.a_kernel(name=f"kernel_{number}_")
    assert "60 found" in text(browser, reverse("find"))

    make.a_kernel()

    assert "60+ found" in text(browser, reverse("find"))


def test_a_list_shows_the_path_of_each_kernel_and_the_number_of_hits(browser: Client) -> None:
    place = make.a_provenance()

    page = text(browser, reverse("find"))

    assert str(place.source_file.repository) in page
    assert place.source_file.path in page
    assert "1 found" in page


@pytest.mark.parametrize("kind", ["kernels", "pairs"])
@pytest.mark.parametrize("filter", ["", "license=MIT"])
def test_the_links_of_a_list_select_only_the_kind_of_item_it_shows(
    browser: Client, kind: str, filter: str
) -> None:
    """Not the other kind beside it, which nobody who looks at the list has seen."""
    license = make.a_license(expression="MIT")
    kernel, pair = make.a_kernel(license=license), make.a_pair(license=license)

    page = text(browser, f"{reverse('find')}?items={kind}&{filter}")

    leads = dict(LEADS.findall(page))
    assert leads.keys() == ({reverse("queue"), reverse("bulk")} if filter else {reverse("queue")})
    for query in leads.values():
        chosen = Filter.from_query(unescape(query))
        kept = {*chosen.of(Kernel.objects.all()), *chosen.of(Pair.objects.all())}
        assert kept == {kernel if kind == "kernels" else pair}


def test_an_empty_list_offers_no_review_and_no_bulk_decision(browser: Client) -> None:
    make.a_kernel()

    assert LEADS.findall(text(browser, f"{reverse('find')}?status=pending"))
    assert not LEADS.findall(text(browser, f"{reverse('find')}?status=rejected"))


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("decided=soon", "is no day and no range of days"),
        ("items=drafts", "items=drafts is not valid: items is kernels or pairs"),
        ("kind=pairs", "kind=pairs is not valid: kind is entry or helper"),
    ],
)
def test_an_invalid_filter_gives_an_error_above_an_unfiltered_list(
    query: str, sentence: str, browser: Client
) -> None:
    answer = browser.get(f"{reverse('find')}?{query}")

    assert answer.status_code == 400
    assert sentence in answer.content.decode()


@pytest.mark.slow
def test_no_foreign_value_of_any_filter_is_a_server_error(browser: Client) -> None:
    # A third of them, with other values for each key.
    for number, (key, value) in enumerate(list(product(KEYS, FOREIGN_VALUES))[::3]):
        items = list(KINDS)[number % 2]
        answer = browser.get(reverse("find"), {"items": items, key: value})

        assert answer.status_code in (200, 400), (key, value)
        refused = 'class="message error"' in answer.content.decode()
        assert refused == (answer.status_code == 400), (key, value)


@pytest.mark.parametrize("key", ["registers", "speedup", "pass_rate", "decided", "open_claims"])
def test_the_field_of_a_range_shows_how_it_is_written(browser: Client, key: str) -> None:
    pages = [text(browser, f"{reverse('find')}?items={kind}") for kind in KINDS]

    assert any(re.search(rf'name="{key}"[^>]*placeholder="[^"]*\.\.', page) for page in pages)


def test_a_saved_view_can_be_replaced_and_deleted(browser: Client, curator: User) -> None:
    for query in ("status=pending", "items=pairs&status=approved"):
        browser.post(reverse("save-view"), {"name": "mine", "query": query})
    make.a_saved_view(name="not mine")

    page = text(browser, reverse("find"))
    assert "mine</a>" in page
    assert "not mine" not in page
    assert "items=pairs&amp;status=approved" in page
    browser.post(reverse("save-view"), {"delete": SavedView.objects.get(user=curator).pk})
    assert not SavedView.objects.filter(user=curator).exists()


# --- History --------------------------------------------------------------------------------
def test_the_log_shows_decisions_corrections_and_admin_changes(browser: Client) -> None:
    make.a_decision(comment="clean")
    make.a_correction(before={"tags": []}, after={"tags": ["new"]})
    browser.post(
        reverse("admin:curation_decisionreason_add"),
        {"status": "rejected", "text": "It is too long", "position": 5, "offered": "on"},
    )

    page = text(browser, reverse("history"))

    for words in ("pending to approved", "clean", "tags from nothing", "It is too long"):
        assert words in page


def test_the_log_can_be_filtered_and_paged(browser: Client) -> None:
    grace = make.a_reviewer(username="grace")
    for _ in range(55):
        make.a_decision(user=grace)
    make.a_decision(comment="by somebody else")

    first = browser.get(f"{reverse('history')}?who=grace")
    second = browser.get(f"{reverse('history')}?{first.context['older']}")

    assert "by somebody else" not in first.content.decode()
    assert (len(first.context["entries"]), len(second.context["entries"])) == (50, 5)


# --- The dashboard --------------------------------------------------------------------------
def test_each_dashboard_funnel_step_counts_fewer_kernels() -> None:
    make.a_kernel(standalone=False)
    make.a_kernel()
    twin = make.an_approved_kernel()
    make.a_duplicate_link(kernel=twin, of_kernel=make.an_approved_kernel())
    make.a_contamination_match(kernel=make.an_approved_kernel())
    make.a_release_member(kernel=make.an_approved_kernel())

    funnel = dashboard.gather()["kernel_funnel"]
    assert [n for _, n, _ in funnel] == [6, 5, 4, 3, 2, 2, 1]


def test_each_dashboard_funnel_figure_is_the_length_of_its_list(browser: Client) -> None:
    make.a_kernel(standalone=False)
    make.an_approved_kernel()
    approved = make.an_approved_pair()
    make.a_validation_result(pair=approved)
    make.a_pair()

    gathered = dashboard.gather()

    assert [n for _, n, _ in gathered["pair_funnel"]] == [2, 1, 1, 1, 1, 1, 0]
    for funnel in ("kernel_funnel", "pair_funnel"):
        for _, count, query in gathered[funnel][:-1]:
            page = text(browser, f"{reverse('find')}?{query}")
            assert f"{count} found" in re.sub("<[^>]+>", "", page), query


def test_the_dashboard_shows_all_reviewers_to_curators_and_each_reviewer_oneself(
    browser: Client,
) -> None:
    eve, rhea = make.a_reviewer(username="eve"), make.a_reviewer(username="rhea")
    for user in (eve, rhea):
        make.a_decision(kernel=make.a_kernel(), user=user, status=Status.APPROVED)
    reviewer = make.a_browser(eve)

    pages = [text(by, reverse("dashboard")) for by in (browser, reviewer)]

    assert ["reviewer=eve" in page for page in pages] == [True, True]
    assert ["reviewer=rhea" in page for page in pages] == [True, False]
    assert "Your reviews" in pages[1]


def test_the_dashboard_counts_bulk_decisions_and_second_reviews_apart(browser: Client) -> None:
    eve, rhea = make.a_reviewer(username="eve"), make.a_reviewer(username="rhea")
    bulk = make.a_bulk_decision(user=eve)
    for number in range(4):
        make.a_decision(kernel=make.a_kernel(), user=eve, bulk=bulk if number else None)
    make.a_second_review(
        first=make.a_decision(kernel=make.a_kernel(), user=eve, status=Status.APPROVED),
        user=rhea, status=Status.APPROVED, state="agreed", given_at=timezone.now(),
    )  # fmt: skip

    rows = {row["name"]: row for row in dashboard.gather()["reviewers"]}

    assert (rows["eve"]["decisions"], rows["eve"]["in_bulk"], rows["eve"]["second"]) == (2, 3, 0)
    assert (rows["rhea"]["decisions"], rows["rhea"]["second"]) == (0, 1)
    assert rows["rhea"]["agreed"] == [1, 1]


def test_the_dashboard_counts_no_undone_decision_and_no_undo() -> None:
    ada = make.a_reviewer()
    make.decided(make.a_kernel(), ada)
    undo(decision=make.decided(make.a_kernel(), ada), user=ada, request=uuid.uuid4())

    gathered = dashboard.gather()

    assert gathered["days"][-1] == 1
    assert [row["decisions"] for row in gathered["reviewers"]] == [1]
    assert gathered["deciders"] == {"people": 1, "by_people": 1, "by_programs": 0}


def test_the_dashboard_gives_no_percentage_of_fewer_than_ten_items(browser: Client) -> None:
    eve = make.a_reviewer(username="eve")
    for number in range(10):
        first = make.a_decision(kernel=make.a_kernel(), user=eve, status=Status.APPROVED)
        make.a_second_review(
            first=first, user=make.a_reviewer(), status=Status.APPROVED if number else "rejected",
            state="agreed" if number else "disputed", given_at=timezone.now(),
        )  # fmt: skip
        cache.clear()
        keep(dashboard.NAME, dashboard.gather())
        page = re.sub(r"<[^>]+>|\s+", " ", text(browser, reverse("dashboard")))
        assert ("%" in page) == (number == 9), number

    assert "90.0% agreement of two reviewers on 10 items" in re.sub(" +", " ", page)


def test_the_dashboard_names_categories_and_lists_no_day_without_decisions(
    browser: Client,
) -> None:
    kernel = make.a_kernel()
    make.a_provenance(kernel=kernel, source_file=make.a_source_file(
        repository=make.a_repository(category="utils")))  # fmt: skip
    make.a_decision(kernel=kernel)

    page = text(browser, reverse("dashboard"))

    assert "Kernels by category of source" in page
    assert ">Utilities</a>" in page
    assert page.count("?decided=") == 1


def test_the_dashboard_shows_decisions_per_day_and_days_left(
    browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(14):
        make.a_decision(kernel=make.a_kernel())
    early = dashboard.gather()
    assert (early["days"][-1], early["pace"], early["days_left"]) == (14, None, None)

    eight_days_ago = timezone.now() - timedelta(days=8)
    with monkeypatch.context() as past:
        past.setattr(timezone, "now", lambda: eight_days_ago)
        make.a_decision(kernel=make.a_kernel())

    gathered = dashboard.gather()

    assert (gathered["pace"], gathered["days_left"]) == (2.0, 8)
    assert "<strong>2</strong> decisions a day" in text(browser, reverse("dashboard"))


def test_the_dashboard_shows_the_age_of_its_figures(browser: Client) -> None:
    kernel = make.a_kernel()
    browser.get(reverse("dashboard"))
    make.a_decision(kernel=kernel)

    page = re.sub("<[^>]+>", "", text(browser, reverse("dashboard")))

    assert "Updated just now; updates every 60 seconds" in page
    assert "\u2013 decisions a day: known after one week" in page


def test_the_dashboard_of_an_empty_installation_shows_hints(browser: Client) -> None:
    page = text(browser, reverse("dashboard"))

    assert "No items yet" in page
    assert "known after 10 items, 0 so far" in page


def test_the_shortcuts_page_links_to_the_guide_and_its_pictures_exist(
    browser: Client,
) -> None:
    assert f'href="{reverse("guide")}"' in browser.get(reverse("keys")).content.decode()

    page = browser.get(reverse("guide")).content.decode()

    pictures = re.findall(r'(?:src|srcset)="[^"]*/guide/([\w.-]+)"', page)
    assert len(pictures) >= 6
    assert not [name for name in pictures if finders.find(f"guide/{name}") is None]
    assert "pictures/" not in page


# --- Measured figures -----------------------------------------------------------------------
@pytest.mark.parametrize(
    ("items", "order", "figures"),
    [
        ("pairs", "speedup", (3.25, 0.5)), ("pairs", "-pass_rate", (0.125, 0.75)),
        ("kernels", "open_claims", (1, 4)),
    ],
)  # fmt: skip
def test_a_list_is_sorted_by_a_figure_and_leaves_out_items_without_it(
    browser: Client, items: str, order: str, figures: tuple[float, float]
) -> None:
    key = order.removeprefix("-")
    for name, figure in zip(("first", "second", "without"), (*figures, None), strict=True):
        if items == "pairs":
            make.a_pair(slug=name, **{key: figure})
        else:
            make.a_kernel(name=f"{name}-", **{key: figure})

    page = text(browser, f"{reverse('find')}?items={items}&order={order}")
    found = text(browser, f"{reverse('find')}?items={items}&{key}={figures[0]}")

    assert 0 < page.index(">first-") < page.index(">second-")
    assert "without-" not in page
    assert ">first-" in found and ">second-" not in found


def test_figures_of_a_list_are_shown_in_their_units(browser: Client) -> None:
    make.a_pair(pass_rate=0.125, speedup=3.25)

    page = text(browser, f"{reverse('find')}?items=pairs")

    assert "3.25 times" in page and "<td>12%</td>" in page
    assert "pass_rate" not in text(browser, f"{reverse('find')}?items=kernels")


def test_the_page_of_a_pair_shows_its_pass_rates(browser: Client) -> None:
    pair = make.a_pair(pass_rate=0.25)
    make.a_pass_rate(pair=pair, model="some-7b", k=1, n=8, passed=2)

    page = text(browser, pair.get_absolute_url())

    assert "25% of attempts of models passed" in page
    assert "some-7b: 2 of 8 passed, pass@1 25%" in page
    assert "Pass rate" not in text(browser, make.a_pair().get_absolute_url())
