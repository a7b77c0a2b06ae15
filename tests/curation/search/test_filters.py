"""Filters: read from a URL or a text, written back the same, and true of rows on any database."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from curation.models import Kernel, Pair
from curation.search.filters import CHOICES, KEYS, RANGES, Filter
from curation.search.matching import CONDITIONS, WrongFilter
from tests import factories as make

FREE = st.text(
    st.characters(exclude_characters="\0", categories=("L", "N", "P", "S", "Z")), max_size=30
)


def values(key: str) -> st.SearchStrategy[str]:
    if key == "decided":
        return st.sampled_from(["2026-01-01", "2026-01-01..", "..2026-02-01"])
    if key in RANGES:
        return st.sampled_from(["2", "1.5..", "..0.25"])
    if key == "id":
        return st.integers(1, 1 << 40).map(str)
    return st.sampled_from(list(CHOICES[key])) if key in CHOICES else FREE


FILTERS = (
    st.lists(st.sampled_from(KEYS).flatmap(lambda key: st.tuples(st.just(key), values(key))))
).map(Filter.parse)


@given(FILTERS)
def test_a_filter_round_trips_through_url_and_text(filter: Filter) -> None:
    assert Filter.from_query(filter.query()) == filter
    assert Filter.from_text(filter.text()) == filter
    assert Filter.from_query(Filter.from_text(filter.text()).query()).query() == filter.query()


@given(st.text())
def test_any_text_parses_as_a_filter_or_raises_a_sentence(text: str) -> None:
    for read in (Filter.from_text, Filter.from_query):
        try:
            read(text)
        except WrongFilter as error:
            assert str(error).endswith(".")


def test_the_order_of_the_keys_does_not_change_a_filter() -> None:
    one = Filter.from_text('operation=matmul status=approved license="MIT OR ISC" operation=scan')
    other = Filter.from_query("?license=MIT+OR+ISC&operation=scan&operation=matmul&status=approved")

    assert one == other
    assert one.query() == "status=approved&license=MIT+OR+ISC&operation=matmul&operation=scan"
    assert one.without("operation").text() == "status=approved 'license=MIT OR ISC'"


def test_a_filter_word_without_a_key_is_a_text_search() -> None:
    assert Filter.from_text('status=approved "tl.dot(a, b)"').q == ("tl.dot(a, b)",)


@pytest.mark.parametrize(
    ("search", "texts"),
    [
        ("softmax  mask", {"softmax", "mask"}),
        ('"tl.dot(a, b)" acc', {"tl.dot(a, b)", "acc"}),
        ('"x = "a b""', {'x = "a b"'}),
        ('"open phrase', {'"open', "phrase"}),
        ('s["a"] "  "', {'s["a"]'}),
    ],
)
def test_a_search_finds_all_words_and_a_quoted_phrase(search: str, texts: set[str]) -> None:
    filter = Filter.parse([("q", search)])

    assert {*filter.q} == texts
    assert Filter.from_query(filter.query()) == Filter.from_text(filter.text()) == filter


def test_a_filter_with_the_maximum_number_of_values_runs(db: None) -> None:
    keys = {"q": "word{}", "tag": "x{}", "finding": "x{}", "decided": "2026-01-01..20{:02}-01-02"}
    written = [(key, value.format(n + 26)) for key, value in keys.items() for n in range(50)]
    wanted = Filter.parse(written)

    assert len(wanted.pairs()) == 200
    assert not wanted.of(Kernel.objects.all()).exists()
    assert not wanted.of(Pair.objects.all()).exists()


def test_an_empty_form_gives_an_empty_filter() -> None:
    assert not Filter.from_query("status=&q=+")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("colour=red", "There is no filter 'colour'"),
        ("status=good", "status is pending or approved or rejected or retired"),
        ('q="open', "quotation mark is not closed"),
        ("decided=yesterday", "'yesterday' is no day"),
        ("decided=2026-02-01..2026-01-01", "ends before it begins"),
        ("decided=..9999-12-31", "no range of days"),
        ("speedup=fast", "no number and no range of numbers"),
        ("speedup=1..x", "no number and no range of numbers"),
        ("speedup=nan..", "no number and no range of numbers"),
        ("speedup=..inf", "no number and no range of numbers"),
        ("speedup=2..1", "ends before it begins"),
        ("q=" + "x" * 1001, "longer than 1,000 characters"),
        (" ".join(f"word{n}" for n in range(51)), "at most 50 values under one key, not 51"),
        (
            " ".join(
                f"{key}=x{n}"
                for key in ("q", "tag", "license", "finding", "reviewer")
                for n in range(41)
            ),
            "at most 200 values in all, not 205",
        ),
    ],
)
def test_a_filter_that_can_not_be_used_is_refused_with_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(WrongFilter, match=sentence):
        Filter.from_text(text).of(Pair.objects.all())


def test_every_filter_key_has_a_condition() -> None:
    assert set(CONDITIONS) == set(KEYS)


# --- On rows --------------------------------------------------------------------------------
def found(text: str) -> set[str]:
    """The names of kernels and pairs that a filter keeps."""
    filter = Filter.from_text(text)
    kernels = filter.of(Kernel.objects.all()).values_list("name", flat=True)
    pairs = filter.of(Pair.objects.all()).values_list("slug", flat=True)
    return {*kernels, *pairs}


def seen_in(kernel: Kernel, **over: Any) -> Kernel:
    file = make.a_source_file(repository=make.a_repository(**over))
    make.a_provenance(kernel=kernel, source_file=file)
    return kernel


def of_repository() -> None:
    seen_in(make.a_kernel(name="yes"), name="owner/one", category="jax")
    seen_in(make.a_kernel(name="no"), name="owner/two")
    kernel = Kernel.objects.get(name="yes")
    make.a_pair(slug="also", kernel=kernel)


def of_an_old_repository() -> None:
    of_repository()
    file = make.a_source_file(repository=make.a_repository(name="owner/old", category="xformers"))
    make.a_provenance(
        kernel=Kernel.objects.get(name="no"), source_file=file, retired_at=timezone.now()
    )


def with_columns() -> None:
    mit = make.a_license(expression="MIT")
    make.an_approved_kernel(
        name="yes", license=mit, operation_type="matmul", difficulty="hard",
        tags=["grouped", 'a"b'], language="gluon", kind="helper", hardware="hip",
    )  # fmt: skip
    make.a_kernel(name="no", tags=["ungrouped"])


def with_findings() -> None:
    make.a_finding(kernel=make.a_kernel(name="short"), gate="length", passed=False)
    make.a_finding(kernel=make.a_kernel(name="fine"), gate="length", passed=True)


def with_validations() -> None:
    pair = make.a_pair(slug="mended")
    for verdict in ("failed", "passed"):
        make.a_validation_result(pair=pair, verdict=verdict, content_hash=pair.content_hash)
    changed = make.a_pair(slug="changed")
    make.a_validation_result(pair=changed, verdict="passed", content_hash=make.sha("before"))
    kernel = make.a_kernel(name="broken")
    make.a_validation_result(kernel=kernel, verdict="failed", content_hash=kernel.content_hash)


def with_twins() -> None:
    first, second = make.a_kernel(name="first"), make.a_kernel(name="second")
    make.a_duplicate_link(kernel=second, of_kernel=first)
    one, other = make.a_pair(slug="one"), make.a_pair(slug="other")
    make.a_duplicate_link(pair=other, of_pair=one)
    make.a_kernel(name="alone")


def with_benchmarks() -> None:
    make.a_contamination_match(kernel=make.a_kernel(name="seen"))
    make.a_contamination_match(pair=make.a_pair(slug="seen-pair"))
    make.a_kernel(name="clean")


def decided() -> None:
    ada, bob = make.a_reviewer(username="ada"), make.a_reviewer(username="bob")
    kernel = make.a_kernel(name="both", version=3)
    make.a_decision(kernel=kernel, user=ada)
    make.a_decision(kernel=kernel, user=bob, version=2)
    make.a_decision(pair=make.a_pair(slug="hers", version=2), user=ada)


def with_figures() -> None:
    make.a_kernel(name="small", registers=32, spilled_bytes=0)
    make.a_kernel(name="large", registers=255, spilled_bytes=128)
    make.a_kernel(name="unknown")
    make.a_pair(slug="fast", speedup=2.0)
    make.a_pair(slug="slow", speedup=0.25)
    make.a_pair(slug="untimed")


def with_launches() -> None:
    for slug, launched in (("whole", "all"), ("partly", "some"), ("changed", "some")):
        over = {"content_hash": make.sha("before")} if slug == "changed" else {}
        figures = {"grades": {"launched": launched}}
        make.a_validation_result(pair=make.a_pair(slug=slug), figures=figures, **over)
    make.a_kernel()


TODAY = timezone.now().date()
YESTERDAY = TODAY - timedelta(days=1)

ROWS: list[tuple[Callable[[], object], str, set[str]]] = [
    (of_repository, "repository=owner/one", {"yes", "also"}),
    (of_repository, "repository=owner/one repository=owner/two", {"yes", "no", "also"}),
    (of_repository, "category=jax", {"yes", "also"}),
    (of_an_old_repository, "repository=owner/old", set()),
    (of_an_old_repository, "category=xformers", set()),
    (with_columns, "status=approved", {"yes"}),
    (with_columns, "status=approved status=pending", {"yes", "no"}),
    (with_columns, "license=MIT", {"yes"}),
    (with_columns, "license=none", {"no"}),
    (with_columns, "verdict=permissive", {"yes"}),
    (with_columns, "operation=matmul", {"yes"}),
    (with_columns, "operation=none", {"no"}),
    (with_columns, "difficulty=hard", {"yes"}),
    (with_columns, "tag=grouped", {"yes"}),
    (with_columns, "tag=group", set()),
    (with_columns, "'tag=a\"b'", {"yes"}),
    (with_columns, "language=gluon", {"yes"}),
    (with_columns, "kind=entry", {"no"}),
    (with_columns, "hardware=hip", {"yes"}),
    (with_columns, "hardware=cuda hardware=xpu", {"no"}),
    (lambda: make.a_pair(slug="made", hardware="xpu"), "hardware=xpu", {"made"}),
    (with_columns, "status=approved kind=entry", set()),
    (with_findings, "finding=length", {"short"}),
    (with_findings, "finding=none", {"fine"}),
    (with_findings, "finding=none finding=length", {"fine", "short"}),
    (with_validations, "validation=passed", {"mended"}),
    (with_validations, "validation=failed", {"broken"}),
    (with_validations, "validation=none", {"changed"}),
    (with_validations, "validation=none validation=failed", {"changed", "broken"}),
    (with_twins, "duplicates=member", {"second", "other"}),
    (with_twins, "duplicates=representative", {"first", "one"}),
    (with_twins, "duplicates=unique", {"first", "one", "alone"}),
    (with_benchmarks, "contaminated=yes", {"seen", "seen-pair"}),
    (with_benchmarks, "contaminated=no", {"clean"}),
    (with_benchmarks, "contaminated=no contaminated=yes", {"seen", "seen-pair", "clean"}),
    (lambda: make.a_pair(slug="made", origin="inductor"), "origin=inductor", {"made"}),
    (lambda: make.a_pair(slug="made"), "language=triton", set()),
    (with_benchmarks, "items=pairs", {"seen-pair"}),
    (with_benchmarks, "items=kernels contaminated=yes", {"seen"}),
    (with_benchmarks, "items=kernels items=pairs", {"seen", "seen-pair", "clean"}),
    (with_figures, "items=kernels registers=..64", {"small"}),
    (with_figures, "items=kernels registers=100..", {"large"}),
    (with_figures, "items=kernels registers=32", {"small"}),
    (with_figures, "items=kernels spills=yes", {"large"}),
    (with_figures, "items=kernels spills=no", {"small"}),
    (with_figures, "items=pairs speedup=1.5..", {"fast"}),
    (with_figures, "items=pairs speedup=..1.5", {"slow"}),
    (with_figures, "items=pairs registers=1..", set()),
    (with_launches, "items=pairs unlaunched=yes", {"partly"}),
    (with_launches, "items=pairs unlaunched=no", {"whole", "changed"}),
    (with_launches, "items=pairs unlaunched=no unlaunched=yes", {"whole", "partly", "changed"}),
    (with_launches, "items=kernels unlaunched=no", set()),
    (decided, "reviewer=ada", {"hers"}),
    (decided, "reviewer=bob", {"both"}),
    (decided, f"decided={TODAY}", {"both", "hers"}),
    (decided, f"decided=..{YESTERDAY}", set()),
    (lambda: make.a_kernel(name="softmax_fwd"), "MAX_f", {"softmax_fwd"}),
    (lambda: make.a_kernel(name="found"), "def found(x_ptr", {"found"}),
    (lambda: make.a_kernel(name="found"), "found absent", set()),
    (lambda: make.a_kernel(name="found"), "'100%' found", set()),
]


@pytest.mark.django_db
@pytest.mark.parametrize(("rows", "text", "names"), ROWS, ids=[row[1] for row in ROWS])
def test_a_filter_matches_exactly_the_expected_rows(
    rows: Callable[[], object], text: str, names: set[str]
) -> None:
    rows()

    assert found(text) == names
