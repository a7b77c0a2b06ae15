"""A filter that is opened shows its values with counts."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

import tests.factories as make
from curation.models import Kernel, Pair, Status
from curation.search.filters import CHOICES, Filter
from curation.web.lists import known_values
from curation.web.lists.facets import FACETS
from curation.web.lists.known_values import TYPED, value_counts
from curation.web.lists.listing import Listing

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]


@pytest.fixture(autouse=True)
def kernels() -> list[Kernel]:
    license = make.a_license(expression="MIT")
    files = [make.a_source_file(), make.a_source_file()]
    made = [
        make.a_kernel(operation_type="matmul", tags=["split-k", "fp8"], license=license),
        make.a_kernel(operation_type="matmul", tags=["split-k"]),
        make.a_kernel(operation_type="softmax", tags=[]),
    ]
    for kernel, file in ((made[0], 0), (made[0], 1), (made[1], 0), (made[2], 1)):
        make.a_provenance(kernel=kernel, source_file=files[file])
    # Twice in one repository.
    make.a_provenance(kernel=made[1], source_file=files[0], start_line=9, end_line=12)
    make.a_finding(kernel=made[0], passed=False)
    make.a_finding(kernel=made[0], passed=False, gate="names")
    make.a_finding(kernel=made[1], passed=True)
    make.a_pair(kernel=made[0], tags=["fp8"])
    make.a_pair(kernel=made[0])
    make.a_pair()
    return made


@pytest.mark.parametrize("model", [Kernel, Pair])
@pytest.mark.parametrize(
    "query", ["", "operation=matmul", "tag=split-k", "license=MIT&finding=length", "finding=none"]
)
def test_each_count_is_the_length_of_the_list_that_its_value_gives(
    query: str, model: type[Kernel] | type[Pair], curator: User
) -> None:
    filter = Filter.from_query(query)

    for key in (*TYPED, *CHOICES):
        if (key == "finding" and model is Pair) or key in FACETS[model]:
            continue
        values = value_counts(Listing(model, filter, curator), key)
        assert values.whole
        for value, count in values.counts.items():
            chosen = Filter.parse([*filter.without(key).pairs(), (key, value)])
            assert count == chosen.of(model._default_manager.all()).count(), (key, value)  # type: ignore[type-var]


def test_many_items_are_counted_up_to_a_bound(
    curator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(known_values, "COUNTED", 2)

    values = value_counts(Listing(Kernel, Filter(), curator), "tag")

    assert not values.whole
    assert values.counts == {"split-k": 1}


def test_the_counts_do_not_tell_the_verdict_that_a_second_reviewer_must_not_see(
    kernels: list[Kernel],
) -> None:
    first = make.a_decision(kernel=kernels[0], status=Status.APPROVED)
    other = make.a_reviewer()
    make.a_second_review(first=first)

    told = value_counts(Listing(Kernel, Filter.from_query("status=approved"), other), "tag")
    assert told.counts == {}
    untold = value_counts(Listing(Kernel, Filter.from_query("tag=fp8"), other), "tag")
    assert untold.counts["fp8"] == 1


def test_an_opened_filter_names_and_counts_its_values(
    browser: Client, kernels: list[Kernel]
) -> None:
    make.a_validation_result(kernel=kernels[0])

    page = browser.get(f"{reverse('find')}?open=validation").content.decode()

    assert re.search(r'value="none"> Not validated <span class="many">2<', page)
    assert re.search(r'value="passed"> Passed <span class="many">1<', page)
    assert 'value="crashed"' not in page


@pytest.mark.parametrize("query", ["open=tags", "open=q", "items=pairs&open=finding"])
def test_a_foreign_fold_out_opens_nothing(query: str, browser: Client) -> None:

    page = browser.get(f"{reverse('find')}?{query}")

    assert page.status_code == 200
    assert "<datalist" not in page.content.decode()


def test_measurements_share_one_fold(browser: Client) -> None:

    for items, names in (("kernels", ["registers", "spills", "language", "kind"]),
                         ("pairs", ["speedup", "pass_rate"])):  # fmt: skip
        page = browser.get(reverse("find"), {"items": items}).content.decode()
        fold = page[page.index('id="filter-measured"') :]
        assert sorted(names) == sorted(re.findall(r'<details id="filter-(\w+)"', fold))


def test_tabs_count_the_matches_of_both_kinds(browser: Client) -> None:

    page = browser.get(reverse("find"), {"tag": "fp8"}).content.decode()

    assert re.findall(r'>(\w+) <span class="count">(\d+)</span></a>', page)[-2:] == [
        ("Kernels", "1"), ("Pairs", "1"),
    ]  # fmt: skip


def test_a_search_of_fewer_than_three_letters_says_that_it_reads_names(browser: Client) -> None:

    short = browser.get(reverse("find"), {"q": "tl"}).content.decode()
    long = browser.get(reverse("find"), {"q": "tl."}).content.decode()

    assert "“tl” has fewer than three letters, so only names are searched for it." in short
    assert "fewer than three letters" not in long
