"""No leak from one split into another, and no move of what had its place."""

from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.export.splits import FREE, assign
from curation.models import SplitAssignment
from tests.curation.export.writing import a_seen_kernel, export, identities, manifest, reasons
from tests.factories import (
    a_duplicate_link,
    a_kernel,
    a_license,
    a_repository,
    a_split_assignment,
    an_approved_kernel,
    an_approved_pair,
)

families = st.lists(
    st.tuples(st.integers(0, 30), st.integers(0, 5), st.integers(0, 2**64 - 1)),
    min_size=1,
    max_size=200,
)


@given(families, st.lists(st.sampled_from([FREE, FREE, FREE, 0, 1, 2]), min_size=200, max_size=200))
def test_every_family_gets_one_split_and_the_known_keep_theirs(
    found: list[tuple[int, int, int]], known: list[int]
) -> None:
    sizes = np.array([[kernels, pairs] for kernels, pairs, _ in found], dtype=np.int64)
    keys = np.array([key for _, _, key in found], dtype=np.uint64)
    before = np.array(known[: len(found)], dtype=np.int8)

    after = assign(sizes, keys, before, (90, 5, 5))

    assert (after[before != FREE] == before[before != FREE]).all()
    assert (after[sizes.sum(axis=1) > 0] != FREE).all()


def one_by_one(
    sizes: "np.ndarray", keys: "np.ndarray", known: "np.ndarray", shares: tuple[int, ...]
) -> list[int]:
    """The rule, word by word."""
    result: list[int] = known.tolist()
    targets = [[share / 100 * whole for whole in sizes.sum(axis=0).tolist()] for share in shares]
    room = [
        [whole - int(sizes[known == split, kind].sum()) for kind, whole in enumerate(target)]
        for split, target in enumerate(targets)
    ]
    totals = sizes.sum(axis=1).tolist()
    waiting = [n for n, split in enumerate(result) if split == FREE and totals[n]]
    for family in sorted(waiting, key=lambda n: (-totals[n], keys[n])):
        present = [(kind, count) for kind, count in enumerate(sizes[family].tolist()) if count]
        best, best_room, best_fits = 0, -float("inf"), False
        for split, target in enumerate(targets):
            fits = all(room[split][kind] >= count - 1e-6 for kind, count in present)
            free = sum(
                count * (room[split][kind] / target[kind] if target[kind] else -float("inf"))
                for kind, count in present
            )
            if not fits:
                free = sum(room[split][kind] for kind, _ in present) if any(target) else free
                free = free if any(target) else -float("inf")
            if (fits, free) > (best_fits, best_room):
                best, best_room, best_fits = split, free, fits
        result[family] = best
        for kind, count in present:
            room[best][kind] -= count
    return result


@given(
    st.lists(
        st.one_of(
            st.tuples(st.just(1), st.just(0)),
            st.tuples(st.just(0), st.just(1)),
            st.tuples(st.integers(0, 3), st.just(0)),
            st.tuples(st.integers(0, 3), st.integers(0, 3)),
        ),
        min_size=1,
        max_size=300,
    ),
    st.randoms(use_true_random=False),
    st.sampled_from([(90, 5, 5), (50, 25, 25), (100, 0, 0), (33, 33, 34), (1, 0, 99)]),
    st.floats(0, 0.5),
)
def test_families_of_one_size_are_spread_at_once_as_they_were_one_by_one(
    found: list[tuple[int, int]], random: Random, shares: tuple[int, ...], settled: float
) -> None:
    sizes = np.array(found, dtype=np.int32)
    keys = np.array([random.getrandbits(64) for _ in found], dtype=np.uint64)
    known = np.array(
        [random.randrange(3) if random.random() < settled else FREE for _ in found], dtype=np.int8
    )

    assert assign(sizes, keys, known, shares).tolist() == one_by_one(sizes, keys, known, shares)


@given(st.integers(100, 3000), st.integers(0, 2**32))
@settings(max_examples=30)
def test_sizes_are_within_a_hundredth_of_what_was_asked(records: int, seed: int) -> None:
    keys = np.random.default_rng(seed).integers(0, 2**63, records).astype(np.uint64)
    sizes = np.ones((records, 1), dtype=np.int64)

    splits = assign(sizes, keys, np.full(records, FREE, dtype=np.int8), (80, 10, 10))

    counts = np.bincount(splits, minlength=3) / records
    assert np.abs(counts - [0.8, 0.1, 0.1]).max() <= 0.01


@given(st.permutations(range(40)))
@settings(max_examples=30)
def test_the_order_in_which_families_came_changes_nothing(order: list[int]) -> None:
    sizes = np.array([[1 + number % 4] for number in range(40)], dtype=np.int64)
    keys = np.array([number * 7919 % 1009 for number in range(40)], dtype=np.uint64)
    free = np.full(40, FREE, dtype=np.int8)

    straight = assign(sizes, keys, free, (70, 15, 15))
    shuffled = assign(sizes[order], keys[order], free, (70, 15, 15))

    assert (straight[order] == shuffled).all()


def test_a_split_of_nothing_gets_nothing() -> None:
    sizes = np.ones((50, 1), dtype=np.int64)
    keys = np.arange(50, dtype=np.uint64)

    assert not assign(sizes, keys, np.full(50, FREE, dtype=np.int8), (100, 0, 0)).any()


pytestmark = pytest.mark.django_db
HALVES = ("--splits", "50/25/25")


def test_twins_versions_variants_and_a_pair_with_its_kernel_stay_together(tmp_path: Path) -> None:
    mit = a_license()
    kernels = [an_approved_kernel(license=mit) for _ in range(30)]
    pairs = [an_approved_pair(license=mit, split_group=f"g{n // 4}") for n in range(20)]
    drafted = [an_approved_pair(license=mit, kernel=kernel) for kernel in kernels[:5]]
    for older, newer in zip(kernels[10:15], kernels[15:20], strict=True):
        type(newer).objects.filter(pk=newer.pk).update(previous=older)
    # Two kernels that leave are twins of one that does not.
    hidden = a_kernel(license=mit)
    for kernel in kernels[20:22]:
        type(kernel).objects.filter(pk=kernel.pk).update(previous=hidden)

    folder = export(tmp_path / "out", *HALVES)

    of_kernels, of_pairs = identities(folder), identities(folder, "pairs")
    assert (len(of_kernels), len(of_pairs)) == (30, 25)
    split_of = {name.rpartition("-")[2]: split for name, split in of_kernels.items()}
    kernel_split = [split_of[kernel.content_hash[:12]] for kernel in kernels]
    pair_split = [of_pairs[str(pair)] for pair in pairs]
    assert kernel_split[10:15] == kernel_split[15:20]
    assert kernel_split[20] == kernel_split[21]
    assert all(len(set(pair_split[n : n + 4])) == 1 for n in range(0, 20, 4))
    assert [of_pairs[str(pair)] for pair in drafted] == kernel_split[:5]


def test_repositories_stay_whole_where_that_is_asked(tmp_path: Path) -> None:
    for _ in range(8):
        repository = a_repository()
        for _ in range(3):
            a_seen_kernel(repository)

    folder = export(tmp_path / "out", *HALVES, "--whole-repositories")

    splits: dict[str, set[str]] = {}
    for kernel, split in _by_repository(folder):
        splits.setdefault(kernel, set()).add(split)
    assert len(splits) == 8
    assert all(len(found) == 1 for found in splits.values())


def _by_repository(folder: Path) -> list[tuple[str, str]]:
    from tests.curation.export.writing import every

    return [
        (record["metadata"]["provenance"]["repository"], split)
        for split, found in every(folder, "kernels").items()
        for record in found
    ]


def test_records_that_come_later_move_none_that_were_there(tmp_path: Path) -> None:
    mit = a_license()
    for _ in range(30):
        an_approved_kernel(license=mit)
    before = identities(export(tmp_path / "one", *HALVES))
    for _ in range(30):
        an_approved_kernel(license=mit)

    after = identities(export(tmp_path / "two", *HALVES))

    assert len(after) == 60
    assert before.items() <= after.items()


def test_a_later_version_goes_where_the_earlier_one_was(tmp_path: Path) -> None:
    mit = a_license()
    kernels = [an_approved_kernel(license=mit) for _ in range(12)]
    before = identities(export(tmp_path / "one", *HALVES))
    for kernel in kernels:
        type(kernel).objects.filter(pk=kernel.pk).update(status="retired")
        an_approved_kernel(license=mit, previous=kernel, name=kernel.name)

    after = identities(export(tmp_path / "two", *HALVES))

    named = {name.rpartition("-")[0]: split for name, split in before.items()}
    assert {name.rpartition("-")[0]: split for name, split in after.items()} == named


def test_families_that_meet_later_neither_move_nor_straddle(tmp_path: Path) -> None:
    mit = a_license()
    kernels = [an_approved_kernel(license=mit) for _ in range(3)]
    for kernel, split in zip(kernels, ("train", "train", "test"), strict=True):
        a_split_assignment(kernel=kernel, plan="50/25/25, seed 0", split=split)
    hub = a_kernel()
    for kernel in kernels:
        type(kernel).objects.filter(pk=kernel.pk).update(previous=hub)

    folder = export(tmp_path / "out", *HALVES)

    assert sorted(identities(folder).values()) == ["train", "train"]
    assert reasons(folder)[kernels[2].name] == "straddles"


def test_another_seed_is_another_draw_and_a_dry_run_leaves_no_trace(tmp_path: Path) -> None:
    from django.core.management import call_command

    mit = a_license()
    for _ in range(40):
        an_approved_kernel(license=mit)
    call_command("export_dataset", "--dry-run", verbosity=0)
    assert not SplitAssignment.objects.exists()

    one = identities(export(tmp_path / "one", *HALVES))
    two = identities(export(tmp_path / "two", *HALVES, "--seed", "1"))

    assert one != two


def test_where_families_are_too_large_for_the_ask_the_manifest_says_so(tmp_path: Path) -> None:
    mit = a_license()
    first = an_approved_kernel(license=mit)
    for _ in range(9):
        an_approved_kernel(license=mit, previous=first)

    found = manifest(export(tmp_path / "out", *HALVES))["splits"]["kernels"]

    assert found["train"]["records"] == 10
    assert "More than 1% off" in found["remark"]


def test_a_twin_of_a_record_never_leaves_at_all(tmp_path: Path) -> None:
    kernel = a_seen_kernel()
    twin = a_seen_kernel()
    a_duplicate_link(kernel=twin, of_kernel=kernel, content_hash=twin.content_hash)

    assert len(identities(export(tmp_path / "out"))) == 1
