"""Splits are stratified, groups stay whole, and no record moves."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.management import call_command
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.export.groups import Groups, connect_structures
from curation.export.splits import FREE, SplitGroup, Traits, assign
from curation.models import Kernel, SplitAssignment
from tests.curation.export.writing import (
    a_seen_kernel,
    every,
    export,
    identities,
    manifest,
    reasons,
)
from tests.factories import (
    a_kernel,
    a_license,
    a_repository,
    a_split_assignment,
    an_approved_kernel,
    an_approved_pair,
    sha,
)

Numbers = list[int]


@dataclass(frozen=True)
class Record:
    group: int
    operation: int = 0
    difficulty: int = 0
    source: object = None
    kind: int = 0


def split(
    records: Sequence[Record], shares: tuple[int, ...] = (80, 10, 10), known: Numbers | None = None
) -> "np.ndarray":
    """The split of each record. Without a source of its own, each record is from another one."""
    traits: dict[int, list[Traits]] = {}
    for number, record in enumerate(records):
        codes = (record.operation, record.difficulty, record.source or f"record {number}")
        of_group = traits.setdefault(record.group, [])
        # Each code belongs to one kind.
        of_group.append(Traits(str(record.kind), *(f"{record.kind} {code}" for code in codes)))
    groups = {
        number: SplitGroup(number * 2654435761 % 2**32, of_it, known[number] if known else FREE)
        for number, of_it in traits.items()
    }
    assign(list(groups.values()), shares)
    return np.array([groups[record.group].split for record in records])


def counts(splits: "np.ndarray") -> Numbers:
    found: Numbers = np.bincount(splits, minlength=3).tolist()
    return found


some_records = st.lists(
    st.builds(
        Record, st.integers(0, 60), st.integers(0, 3), st.integers(0, 2), st.integers(1, 6),
        st.integers(0, 1),
    ),
    min_size=1, max_size=200,
)  # fmt: skip
some_shares = st.sampled_from([(90, 5, 5), (50, 25, 25), (100, 0, 0), (0, 50, 50), (1, 0, 99)])


@given(
    some_records,
    some_shares,
    st.lists(st.sampled_from([FREE, FREE, FREE, 0, 1, 2]), min_size=61, max_size=61),
)
def test_every_group_gets_one_split_and_assigned_groups_keep_theirs(
    records: list[Record], shares: tuple[int, ...], known: Numbers
) -> None:
    groups = np.array([record.group for record in records])
    before = np.array(known)[groups]

    after = split(records, shares, known)

    assert (after[before != FREE] == before[before != FREE]).all()
    assert (after != FREE).all()
    assert all(shares[number] for number in after[before == FREE].tolist())
    for group in set(groups.tolist()):
        assert len(set(after[groups == group].tolist())) == 1


@given(some_records, some_shares)
def test_an_operation_or_difficulty_with_twenty_groups_is_in_every_split(
    records: list[Record], shares: tuple[int, ...]
) -> None:
    found: dict[object, list[tuple[int, int]]] = defaultdict(list)
    for record, number in zip(records, split(records, shares).tolist(), strict=True):
        for code in ("operation", record.operation), ("difficulty", record.difficulty):
            found[record.kind, *code].append((record.group, number))

    wanted = {number for number, share in enumerate(shares) if share}
    for of_code in found.values():
        if len({group for group, _ in of_code}) >= 20:
            assert {number for _, number in of_code} == wanted


@given(st.integers(100, 3000), st.integers(2, 12), st.integers(0, 2**32))
@settings(max_examples=30)
def test_split_sizes_are_close_to_the_requested_shares(
    number: int, kinds_of_operation: int, seed: int
) -> None:
    draw = np.random.default_rng(seed)
    operations = np.sort(draw.integers(0, kinds_of_operation, number))
    traits = zip(operations.tolist(), draw.integers(0, 3, number).tolist(), strict=True)

    splits = split([Record(group, *row) for group, row in enumerate(traits)])

    assert np.abs(np.array(counts(splits)) - number * np.array([0.8, 0.1, 0.1])).max() <= 2
    for operation in range(kinds_of_operation):
        of_it = splits[operations == operation]
        asked = len(of_it) * np.array([0.8, 0.1, 0.1])
        assert np.abs(np.array(counts(of_it)) - asked).max() <= 3


def test_no_source_fills_more_than_a_fifth_of_a_held_out_split() -> None:
    sources = [1] * 600 + [2 + n % 8 for n in range(400)]

    splits = split([Record(n, source=source) for n, source in enumerate(sources)])

    assert counts(splits) == [800, 100, 100]
    for number in (1, 2):
        of_split = np.array(sources)[splits == number]
        assert np.bincount(of_split).max() == 20


def test_too_few_sources_share_a_held_out_split_evenly() -> None:
    sources = [1] * 600 + [2] * 300 + [3] * 100

    splits = split([Record(n, source=source) for n, source in enumerate(sources)])

    assert counts(splits) == [800, 100, 100]
    for number in (1, 2):
        assert counts(np.array(sources)[splits == number]) == [0, 34, 34, 32]


def test_a_large_group_of_one_operation_goes_to_train() -> None:
    splits = split([Record(group) for group in [0] * 15 + list(range(1, 186))])

    assert counts(splits) == [160, 20, 20]
    assert set(splits[:15].tolist()) == {0}


def test_groups_of_five_records_fill_every_split() -> None:
    splits = split([Record(n // 5) for n in range(300)])

    assert counts(splits) == [240, 30, 30]


@given(st.permutations(range(40)))
@settings(max_examples=30)
def test_the_order_of_the_records_does_not_change_the_splits(order: Numbers) -> None:
    records = [Record(n // (1 + n % 3), n % 2, source=1 + n % 7) for n in range(40)]

    assert (split(records)[order] == split([records[n] for n in order])).all()


pytestmark = pytest.mark.django_db
HALVES = ("--splits", "50/25/25")


def approved_kernels(count: int, **over: Any) -> list[Kernel]:
    license = a_license()
    return [an_approved_kernel(license=license, **over) for _ in range(count)]


def test_near_duplicates_versions_and_a_pair_with_its_kernel_share_a_split(tmp_path: Path) -> None:
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


def packed(grams: set[int]) -> bytes:
    return np.array(sorted(grams), dtype="<u4").tobytes()


@pytest.mark.parametrize("by", ["operation chain", "structure of the Python side"])
def test_pairs_that_compute_the_same_share_a_split(by: str, tmp_path: Path) -> None:
    mit = a_license()
    pairs = [an_approved_pair(license=mit) for _ in range(40)]
    for number, pair in enumerate(pairs):
        first = number // 4 * 100
        if by == "operation chain":
            pair.fingerprints.update(chain_hash=sha(first))
        else:
            structure = packed({*range(first, first + 20), 9000 + number})
            pair.fingerprints.update(structure=structure)

    found = identities(export(tmp_path / "out", *HALVES), "pairs")

    splits = [found[str(pair)] for pair in pairs]
    assert all(len(set(splits[n : n + 4])) == 1 for n in range(0, 40, 4))
    assert set(splits) == {"train", "validation", "test"}


def test_an_excluded_pair_does_not_connect_other_pairs_by_structure(tmp_path: Path) -> None:
    one, between, other = (an_approved_pair() for _ in range(3))
    for pair, grams in ((one, range(90)), (between, range(10, 100)), (other, range(20, 110))):
        pair.fingerprints.update(structure=packed(set(grams)))
    with_it, without = Groups(), Groups()

    connect_structures(with_it, [p.pk for p in (one, between, other)])
    connect_structures(without, [one.pk, other.pk])

    assert with_it.find(("pair", one.pk)) == with_it.find(("pair", other.pk))
    assert without.find(("pair", one.pk)) != without.find(("pair", other.pk))


def test_each_repository_stays_in_one_split_on_request(tmp_path: Path) -> None:
    for _ in range(8):
        repository = a_repository()
        for _ in range(3):
            a_seen_kernel(repository)

    folder = export(tmp_path / "out", *HALVES, "--whole-repositories")

    places = {
        (record["metadata"]["provenance"]["repository"], split)
        for split, found in every(folder, "kernels").items()
        for record in found
    }
    assert len({repository for repository, _ in places}) == len(places) == 8


def test_later_records_do_not_move_earlier_ones_to_another_split(tmp_path: Path) -> None:
    approved_kernels(30)
    before = identities(export(tmp_path / "one", *HALVES))
    approved_kernels(30)

    after = identities(export(tmp_path / "two", *HALVES))

    assert len(after) == 60
    assert before.items() <= after.items()


def test_a_later_version_goes_to_the_split_of_the_earlier_version(tmp_path: Path) -> None:
    mit = a_license()
    kernels = [an_approved_kernel(license=mit) for _ in range(12)]
    before = identities(export(tmp_path / "one", *HALVES))
    for kernel in kernels:
        type(kernel).objects.filter(pk=kernel.pk).update(status="retired")
        an_approved_kernel(license=mit, previous=kernel, name=kernel.name)

    after = identities(export(tmp_path / "two", *HALVES))

    named = {name.rpartition("-")[0]: split for name, split in before.items()}
    assert {name.rpartition("-")[0]: split for name, split in after.items()} == named


def test_a_record_whose_family_spans_two_splits_is_dropped(tmp_path: Path) -> None:
    kernels = approved_kernels(3)
    for kernel, split in zip(kernels, ("train", "train", "test"), strict=True):
        a_split_assignment(kernel=kernel, plan="50/25/25 by content, seed 0", split=split)
    hub = a_kernel()
    for kernel in kernels:
        type(kernel).objects.filter(pk=kernel.pk).update(previous=hub)

    folder = export(tmp_path / "out", *HALVES)

    assert sorted(identities(folder).values()) == ["train", "train"]
    assert reasons(folder)[kernels[2].name] == "straddles"


def test_a_group_that_grows_does_not_overfill_its_split(tmp_path: Path) -> None:
    mit = a_license()
    first = an_approved_pair(license=mit, recipe="recipe-0", split_group="one")
    a_split_assignment(pair=first, plan="50/25/25 by content, seed 0", split="test")
    joining = [
        an_approved_pair(license=mit, recipe="recipe-0", split_group="one") for _ in range(20)
    ]
    for number in range(100):
        an_approved_pair(license=mit, recipe=f"recipe-{1 + number % 10}")

    folder = export(tmp_path / "out", *HALVES)

    found = manifest(folder)["splits"]["pairs"]["test"]["recipe"]
    assert found["largest_share"] <= 0.2
    assert found["top_ten"]["recipe-0"] > 1
    left_out = [name for name, reason in reasons(folder).items() if reason == "cap"]
    assert len(left_out) == len(joining) + 1 - found["top_ten"]["recipe-0"]


def test_another_seed_changes_the_splits_and_a_dry_run_stores_none(tmp_path: Path) -> None:
    approved_kernels(40)
    call_command("export_dataset", "--dry-run", verbosity=0)
    assert not SplitAssignment.objects.exists()

    one = identities(export(tmp_path / "one", *HALVES))
    two = identities(export(tmp_path / "two", *HALVES, "--seed", "1"))

    assert one != two


def test_the_manifest_reports_families_too_large_for_the_requested_shares(tmp_path: Path) -> None:
    approved_kernels(9, previous=an_approved_kernel())

    found = manifest(export(tmp_path / "out", *HALVES))["splits"]["kernels"]

    assert found["train"]["records"] == 10
    assert "more than 1% off" in found["remark"]


def test_the_manifest_counts_each_split_by_operation_difficulty_and_recipe(tmp_path: Path) -> None:
    mit = a_license()
    for number in range(48):
        an_approved_pair(
            license=mit, recipe=f"recipe-{number % 12}",
            operation_type=("scan", "sort")[number % 2],
            difficulty=("easy", "hard")[number // 2 % 2],
        )  # fmt: skip

    found = manifest(export(tmp_path / "out", *HALVES))

    of_validation = found["splits"]["pairs"]["validation"]
    assert of_validation["operation_type"] == {"scan": 6, "sort": 6}
    assert sum(of_validation["difficulty"].values()) == 12
    assert of_validation["recipe"]["largest_share"] <= 0.2
    assert len(of_validation["recipe"]["top_ten"]) <= 10
    assert of_validation["repository"] == {"number": 0, "largest_share": 0, "top_ten": {}}
    assert found["splits"]["pairs"]["remark"] is None
    assert "A recipe is not a group." in found["split_rule"]


def test_the_manifest_reports_a_split_dominated_by_one_source(tmp_path: Path) -> None:
    repository = a_repository(name="ada/kernels")
    for _ in range(40):
        a_seen_kernel(repository)

    folder = export(tmp_path / "out", *HALVES)

    remark = manifest(folder)["splits"]["kernels"]["remark"]
    assert remark.startswith("In validation, ada/kernels fills 100%: there are too few records of ")
    assert remark in (folder / "README.md").read_text()


def test_an_export_reassigns_splits_of_an_older_split_rule(tmp_path: Path) -> None:
    kernels = approved_kernels(40)
    for kernel in kernels:
        a_split_assignment(kernel=kernel, plan="50/25/25, seed 0", split="test")

    splits = identities(export(tmp_path / "out", *HALVES))

    assert set(splits.values()) == {"train", "validation", "test"}
