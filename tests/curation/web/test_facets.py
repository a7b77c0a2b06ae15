"""Lists have counts beside the values of their filters, orders, excerpts and ticked rows."""

import re
from functools import partial
from itertools import pairwise
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

import tests.factories as make
from curation.models import Kernel, Pair, SavedView, Status
from curation.search.filters import CHOICES, Filter
from curation.web.lists import facets, listing
from curation.web.lists.facets import facet_counts
from curation.web.lists.listing import ORDERS, Listing, excerpts
from tests.probes import pages_of

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]


@pytest.fixture
def kernels() -> list[Kernel]:
    kinds = [("matmul", "easy", "pending"), ("matmul", "hard", "approved"),
             ("softmax", "easy", "pending"), ("", "", "rejected")]  # fmt: skip
    return [
        make.a_kernel(
            operation_type=operation, difficulty=difficulty, status=status, lines=10 + number,
            standalone_source=f"def kernel_{number}():\n    total = tl.dot(a, b)  # {number}\n",
        )
        for number, (operation, difficulty, status) in enumerate(kinds)
    ]  # fmt: skip


@pytest.mark.parametrize(
    "query",
    ["", "status=pending", "operation=matmul", "operation=matmul&status=approved", "operation=none",
     "difficulty=easy&difficulty=hard", "q=tl.dot", "q=tl.dot&operation=matmul", "finding=none",
     "operation=softmax&status=rejected"],
)  # fmt: skip
def test_each_count_is_the_length_of_the_list_that_its_value_gives(
    query: str, curator: User, kernels: list[Kernel]
) -> None:
    filter = Filter.from_query(query)

    counts, whole = facet_counts(Listing(Kernel, filter, curator))

    assert whole
    for key, by_value in counts.items():
        others = filter.without(key).pairs()
        for value in CHOICES[key]:
            chosen = Filter.parse([*others, (key, value)])
            assert by_value.get(value, 0) == chosen.of(Kernel.objects.all()).count(), (key, value)


def test_the_counts_do_not_tell_the_verdict_that_a_second_reviewer_must_not_see(
    kernels: list[Kernel],
) -> None:
    first = make.a_decision(kernel=kernels[1], status=Status.APPROVED)
    other = make.a_reviewer()
    make.a_second_review(first=first)

    for query in ("", "q=tl.dot"):
        counts, _ = facet_counts(Listing(Kernel, Filter.from_query(query), other))
        assert counts["status"] == {"pending": 2, "rejected": 1, "none": 1}
        assert counts["operation"]["matmul"] == 2


def test_many_items_are_counted_up_to_a_bound(
    curator: User, kernels: list[Kernel], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(facets, "NEWEST", 2)

    counts, whole = facet_counts(Listing(Kernel, Filter.from_query("q=tl.dot"), curator))

    assert not whole
    assert sum(counts["status"].values()) == 3


def test_matches_of_a_common_verdict_are_counted_among_the_newest_items_only(
    curator: User, kernels: list[Kernel], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "TRIED", 2)
    monkeypatch.setattr(listing, "SUFFICIENT", 2)

    counts, whole = facet_counts(Listing(Kernel, Filter.from_query("validation=none"), curator))
    assert not whole
    assert sum(counts["status"].values()) == 2

    monkeypatch.setattr(listing, "SUFFICIENT", 3)
    counts, whole = facet_counts(Listing(Kernel, Filter.from_query("validation=none"), curator))
    assert whole
    assert sum(counts["status"].values()) == len(kernels)


@pytest.mark.parametrize("model", [Kernel, Pair])
def test_each_order_shows_every_item_once_and_its_reverse_the_other_way_round(
    model: type[Kernel] | type[Pair], curator: User
) -> None:
    for number in range(9):
        figure = number % 3
        made: Kernel | Pair = (
            make.a_kernel(lines=figure + 1, registers=figure)
            if model is Kernel
            else make.a_pair(speedup=figure / 2, pass_rate=figure / 4)
        )
        type(made).objects.filter(pk=made.pk).update(priority=number % 2, open_claims=figure)

    for name in ORDERS[model]:
        listed: list[list[int]] = []
        for order in (name, f"-{name}"):
            read = partial(Listing(model, Filter(), curator).page, order, size=2)
            seen = [item.pk for page in pages_of(read) for item in page.items]
            assert sorted(seen) == sorted(model.objects.values_list("pk", flat=True)), order
            listed.append(seen)
        assert listed[0] == listed[1][::-1], name


def test_a_list_is_sorted_by_its_column_and_says_so(browser: Client, kernels: list[Kernel]) -> None:
    page = browser.get(f"{reverse('find')}?order=-lines").content.decode()

    places = [page.index(f"kernels/{kernel.pk}/") for kernel in reversed(kernels)]
    assert all(one < other for one, other in pairwise(places))
    assert "by lines, reversed" in page
    assert 'aria-sort="descending"' in page


@pytest.mark.parametrize("order", ["newest", "name"])
@pytest.mark.parametrize(
    "after", ["x", "-1", "9" * 40, '["a", 1, 2]', "{}", "[[1], 2]", '["a", "b"]', "[" * 9999]
)
def test_a_foreign_cursor_shows_the_first_page_of_a_list(
    after: str, order: str, browser: Client, kernels: list[Kernel]
) -> None:
    answer = browser.get(reverse("find"), {"order": order, "after": after})

    assert len(answer.context["rows"]) == len(kernels)


def test_a_search_shows_the_line_that_it_found(browser: Client, kernels: list[Kernel]) -> None:
    page = browser.get(f"{reverse('find')}?q=TL.DOT").content.decode()

    assert page.count('class="excerpt"') == len(kernels)
    assert "total = tl.dot(a, b)  # 2<" in page
    assert excerpts(Kernel, [kernels[0].pk], ["xy"]) == {}


def test_the_search_field_keeps_its_words_in_their_order(
    browser: Client, kernels: list[Kernel]
) -> None:
    page = browser.get(reverse("find"), {"q": 'total "tl.dot(a, b)" a'}).content.decode()

    assert 'value="total &quot;tl.dot(a, b)&quot; a"' in page
    assert "Each result contains all of these words" in page
    assert page.count('class="excerpt"') == len(kernels)


def test_ticked_rows_lead_to_their_review_and_to_a_bulk_decision(
    browser: Client, kernels: list[Kernel]
) -> None:
    ids = [kernels[0].pk, kernels[2].pk]

    for target in ("queue", "bulk"):
        there = browser.get(reverse("selected"), {"items": "kernels", "id": ids, "to": target})
        assert urlsplit(there["Location"]).path == reverse(target)
        query = parse_qs(urlsplit(there["Location"]).query)
        chosen = Filter.parse((key, value) for key in query for value in query[key])
        assert {item.pk for item in chosen.of(Kernel.objects.all())} == set(ids)
        assert not chosen.of(Pair.objects.all())


@pytest.mark.parametrize("query", [{}, {"items": "kernels"}, {"items": "x", "id": "1"},
                                   {"items": "kernels", "id": "all"}])  # fmt: skip
def test_no_ticked_row_decides_nothing(query: dict[str, str], browser: Client) -> None:
    answer = browser.get(reverse("selected"), query, follow=True)

    assert answer.request["PATH_INFO"] == reverse("find")
    assert "Tick the rows first." in answer.content.decode()


def test_a_shared_view_is_listed_for_others_who_can_not_delete_it(browser: Client) -> None:
    owner = make.a_reviewer()
    shared = make.a_saved_view(user=owner, name="Products", query="operation=matmul", shared=True)
    own = make.a_saved_view(user=owner, name="Own list")

    page = browser.get(reverse("find")).content.decode()
    for view in (shared, own):
        browser.post(reverse("save-view"), {"delete": view.pk})

    views = re.search(r'<nav class="views".*?</nav>', page, re.DOTALL)
    assert views and "Products" in views[0] and owner.username in views[0]
    assert "Own list" not in page and "Delete" not in views[0]
    assert SavedView.objects.count() == 2


def test_counts_that_take_long_are_cached(
    curator: User, kernels: list[Kernel], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(facets, "QUICK", -1.0)

    def pending() -> int:
        return facet_counts(Listing(Kernel, Filter(), curator))[0]["status"]["pending"]

    assert pending() == 2
    make.a_kernel()
    assert pending() == 2
    cache.clear()
    assert pending() == 3
