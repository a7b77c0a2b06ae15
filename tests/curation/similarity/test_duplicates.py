from __future__ import annotations

import random
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.similarity.duplicates import (
    Facts,
    Link,
    NearDuplicate,
    likeness,
    may_represent,
    place,
    rank,
    remove,
)
from tests.curation.similarity.clustering import ClusterItem, fingerprint
from tests.curation.similarity.kernels import SOFTMAX, renamed


@dataclass
class Store:
    """What a database would keep: the items' facts, who is near whom, and the links."""

    facts: dict[int, Facts]
    nearness: dict[frozenset[int], float]
    links: dict[int, Link | None] = field(default_factory=dict)

    def near(self, key: int) -> list[NearDuplicate]:
        return [
            NearDuplicate(other, self.facts[other], "near", similarity, *self.of(link))
            for other, link in self.links.items()
            if other != key and (similarity := self.nearness.get(frozenset((key, other))))
        ]

    def of(self, link: Link | None) -> tuple[int | None, Facts | None]:
        return (link.of, self.facts[link.of]) if link else (None, None)

    def add(self, key: int) -> None:
        self.links.update(place(key, self.facts[key], self.near))

    def drop(self, *keys: int) -> None:
        self.links.update(remove(keys, self.near))
        for key in keys:
            del self.links[key]


@st.composite
def stores(draw: st.DrawFn) -> Store:
    count = draw(st.integers(1, 14))
    facts = {
        key: Facts(f"{key:02}", draw(st.booleans()), draw(st.booleans()), draw(st.integers(0, 3)))
        for key in range(count)
    }
    pairs = [frozenset((a, b)) for a in range(count) for b in range(a)]
    similarity = st.sampled_from([0.0, 0.0, 0.7, 0.8, 0.95])
    return Store(facts, {pair: s for pair in pairs if (s := draw(similarity))})


def promised(store: Store) -> None:
    """The first three invariants."""
    for key, link in store.links.items():
        if link is None:
            for other in store.near(key):
                assert other.of is not None, "two representatives are near one another"
            continue
        assert store.links[link.of] is None, "a member's representative stands for itself"
        assert store.nearness[frozenset((key, link.of))] == link.similarity
        assert rank(store.facts[link.of]) < rank(store.facts[key])


@given(store=stores(), order=st.randoms(use_true_random=False))
@settings(max_examples=300)
def test_the_order_of_insertion_does_not_change_the_clusters(
    store: Store, order: random.Random
) -> None:
    keys = list(store.facts)
    for key in keys:
        store.add(key)
        promised(store)
    first = dict(store.links)
    store.links.clear()
    order.shuffle(keys)

    for key in keys:
        store.add(key)

    assert store.links == first


@given(store=stores(), gone=st.sets(st.integers(0, 13), min_size=1))
@settings(max_examples=200)
def test_removing_items_restores_the_clusters_without_them(store: Store, gone: set[int]) -> None:
    gone = {key % len(store.facts) for key in gone}
    for key in store.facts.keys() - gone:
        store.add(key)
    without = dict(store.links)

    for key in gone:
        store.add(key)
    store.drop(*gone)

    assert store.links == without


def test_a_short_text_is_a_near_duplicate_only_of_an_equal_text() -> None:
    short = "@triton.jit\ndef f(x):\n    return tl.exp(x) + 1\n"

    assert likeness(fingerprint(short), fingerprint(short.replace("(x)", "(y)"))) == ("exact", 1.0)
    assert likeness(fingerprint(short), fingerprint(short.replace("exp", "log"))) is None


EDITED = SOFTMAX.replace("-1e30", "-1e38")
ADDED = SOFTMAX.replace("values - tl.max", "values + tl.max")
SHIFTED = "        shifted ="


def named(name: str, text: str = SOFTMAX) -> str:
    return text.replace("softmax_kernel", name)


@pytest.mark.parametrize(
    ("one", "other", "hardware", "same"),
    [
        (SOFTMAX, named("softmax2", SOFTMAX.replace("tl.exp(", "tl.exp2(")), "cuda", False),
        (SOFTMAX, SOFTMAX.replace(SHIFTED, f"        base += 0\n{SHIFTED}"), "cuda", True),
        (SOFTMAX, named("probabilities"), "cuda", True),
        (SOFTMAX, named("probabilities", EDITED), "cuda", False),
        (named("kernel"), named("kernel", EDITED), "cuda", True),
        (named("kernel"), named("kernel", ADDED), "cuda", False),
        (SOFTMAX, renamed(SOFTMAX), "ascend", True),
        (SOFTMAX, EDITED, "ascend", False),
    ],
    ids=["another function", "edited copy", "renamed copy", "renamed and edited",
         "generic names", "generic names, other operations", "other hardware",
         "other hardware, edited"],
)  # fmt: skip
def test_a_kernel_represents_only_copies_of_the_same_function(
    one: str, other: str, hardware: str, same: bool
) -> None:
    prints = fingerprint(one), fingerprint(other)
    first = ClusterItem(0, Facts("0"), prints[0])

    assert likeness(*prints)
    assert may_represent(first, ClusterItem(1, Facts("1"), prints[1], hardware=hardware)) == same


def test_kernels_for_nvidia_rank_before_others() -> None:
    assert rank(Facts("b")) < rank(Facts("a", hardware="ascend"))
