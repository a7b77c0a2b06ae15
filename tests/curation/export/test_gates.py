"""What stays behind, and what the ledger says of it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from curation.decisions.decide import decide_by_policy
from curation.errors import CurationError
from curation.models import (
    Category,
    Device,
    Fingerprint,
    Kernel,
    LicenseVerdict,
    OptOut,
    Origin,
    Pair,
    PairOrigin,
    Provenance,
    Repository,
    Status,
    Verdict,
)
from tests import factories as make
from tests.curation.export.writing import (
    a_seen_kernel,
    every,
    export,
    identities,
    manifest,
    reasons,
    records,
)
from tests.probes import output_of

pytestmark = pytest.mark.django_db


Change = Callable[[Kernel], object]


def changed(**columns: Any) -> Change:
    return lambda kernel: Kernel.objects.filter(pk=kernel.pk).update(**columns)


def seen(**columns: Any) -> Change:
    return lambda kernel: kernel.provenances.update(**columns)


def fingerprinted(**columns: Any) -> Change:
    return lambda kernel: kernel.fingerprints.update(**columns)


def policy_changed(kernel: Kernel) -> None:
    assert kernel.license
    kernel.license.verdict = LicenseVerdict.BLOCKED
    kernel.license.save()


def repository_opted_out(kernel: Kernel) -> None:
    repository = make.a_repository(opted_out_at=timezone.now())
    make.a_provenance(kernel=kernel, source_file=make.a_source_file(repository=repository))


def duplicate(kernel: Kernel) -> None:
    make.a_duplicate_link(kernel=kernel, of_kernel=make.a_kernel())


def contaminated(kernel: Kernel) -> None:
    make.a_contamination_match(kernel=kernel)


def in_a_benchmark(kernel: Kernel) -> None:
    make.a_provenance(kernel=kernel, source_file=make.a_source_file(repository=make.a_benchmark()))


def made_here(kernel: Kernel) -> None:
    changed(standalone_source="# /tmp/torchinductor_ada/ab/cab.py\n")(kernel)
    Repository.objects.filter(files__provenances__kernel=kernel).update(origin=Origin.INDUCTOR)


def messages(folder: Path) -> str:
    return (folder / "REJECTED.jsonl").read_text()


REJECTED: list[tuple[Change, str]] = [
    (changed(status=Status.RETIRED), "retired"),
    (changed(standalone=False), "not-standalone"),
    (changed(license_verdict=LicenseVerdict.BLOCKED), "license"),
    (policy_changed, "license"),
    (seen(license_verdict=LicenseVerdict.UNKNOWN, license=None), "license"),
    (repository_opted_out, "opted-out"),
    (seen(opted_out=True), "opted-out"),
    (made_here, "local-path"),
    (duplicate, "duplicate"),
    (contaminated, "contaminated"),
    (in_a_benchmark, "contaminated"),
    (fingerprinted(placed=None), "unexamined"),
    (fingerprinted(compared_with=""), "unexamined"),
    (fingerprinted(content_hash="0" * 64), "unexamined"),
    (changed(status=Status.REJECTED), "rejected"),
    (changed(status=Status.PENDING), "pending"),
]


def test_approved_kernels_that_became_ineligible_are_rejected_with_reasons(tmp_path: Path) -> None:
    expected = {}
    for change, reason in REJECTED:
        kernel = a_seen_kernel()
        change(kernel)
        expected[kernel.name] = reason

    folder = export(tmp_path / "out")

    assert identities(folder) == {}
    assert reasons(folder).items() >= expected.items()


def test_a_stale_duplicate_link_or_match_does_not_block_an_export(tmp_path: Path) -> None:
    kernel = a_seen_kernel()
    make.a_duplicate_link(kernel=kernel, content_hash=make.sha("old"))
    make.a_contamination_match(kernel=kernel, content_hash=make.sha("old"))

    assert len(identities(export(tmp_path / "out"))) == 1


def test_an_approval_counts_only_with_a_decision_on_the_same_content(tmp_path: Path) -> None:
    mit = make.a_license()
    approved = {"license": mit, "status": Status.APPROVED}
    make.a_permissive_kernel(name="undecided", **approved)
    other = make.a_permissive_kernel(name="other", **approved)
    make.a_decision(kernel=other, content_hash=make.sha("old"))

    folder = export(tmp_path / "out")

    assert reasons(folder) == {"undecided": "pending", "other": "pending"}


def test_an_approval_by_policy_is_exported_only_if_allowed(tmp_path: Path) -> None:
    make.a_permissive_kernel(license=make.a_license(), name="simple")
    decide_by_policy(items=Kernel.objects.all(), status=Status.APPROVED, rules="short 1")

    assert reasons(export(tmp_path / "without")) == {"simple": "approved-by-policy"}
    accepting = export(tmp_path / "with", "--accept-policy", "short 1")
    (record,) = every(accepting, "kernels")["train"]
    assert record["metadata"]["reviewed"] is False


def test_the_card_and_the_manifest_count_persons_and_programs_apart(tmp_path: Path) -> None:
    make.an_approved_kernel()
    for _ in range(2):
        make.a_permissive_kernel(license=make.a_license())
    decide_by_policy(
        items=Kernel.objects.filter(status=Status.PENDING), status=Status.APPROVED, rules="short 1"
    )

    folder = export(tmp_path, "--accept-policy", "short 1")

    assert "Approved by 1 person: 1; by programs: 2." in (folder / "README.md").read_text()
    counts = manifest(folder)["categories"]["kernels"]["approved by"]
    assert counts == {"policy": 2, "person": 1}


def test_a_pair_with_an_open_grade_needs_the_approval_of_a_person(tmp_path: Path) -> None:
    pair = make.a_pair(license=make.a_license(), license_verdict=LicenseVerdict.PERMISSIVE)
    make.an_examination(pair=pair)
    make.a_full_validation(pair, sizes="not_tried")
    decide_by_policy(items=Pair.objects.all(), status=Status.APPROVED, rules="proven 1")
    export(tmp_path / "policy", "--accept-policy", "proven 1")
    make.a_decision(pair=pair, version=9)
    export(tmp_path / "person")

    assert "a person has to see: sizes: not_tried" in messages(tmp_path / "policy")
    assert every(tmp_path / "person", "pairs")["train"]


def test_an_error_far_beyond_torchs_own_needs_an_approval_that_knows_of_it(tmp_path: Path) -> None:
    pair = make.an_approved_pair()
    make.a_full_validation(pair, accuracy="within", own_error=40.0)
    export(tmp_path / "before")
    make.a_decision(pair=pair, version=9)
    export(tmp_path / "after")

    assert "Its error is 40 times torch's own" in messages(tmp_path / "before")
    assert every(tmp_path / "after", "pairs")["train"]


def test_an_approval_by_a_person_survives_retirement_and_return(tmp_path: Path) -> None:
    make.an_approved_kernel()
    for status in (Status.RETIRED, Status.APPROVED):
        decide_by_policy(items=Kernel.objects.all(), status=status, rules="ingest: gone, back")

    assert len(identities(export(tmp_path / "out"))) == 1


def test_an_undone_approval_does_not_count_after_a_policy_approval(tmp_path: Path) -> None:
    kernel = make.an_approved_kernel(version=3)
    first = kernel.decisions.get()
    make.a_decision(kernel=kernel, version=2, status=Status.PENDING, undoes=first)
    decide_by_policy(items=Kernel.objects.all(), status=Status.APPROVED, rules="short 1")

    assert reasons(export(tmp_path / "out")) == {kernel.name: "approved-by-policy"}


def test_an_unreviewed_kernel_is_exported_only_on_request_and_marked(tmp_path: Path) -> None:
    make.a_permissive_kernel(license=make.a_license())
    make.a_kernel(name="unknown")

    folder = export(tmp_path / "out", "--include-pending")

    (record,) = every(folder, "kernels")["train"]
    assert record["metadata"]["reviewed"] is False
    assert reasons(folder) == {"unknown": "license"}


TRIES: list[tuple[list[tuple[Device, Verdict]], str | None]] = [
    ([], "not-validated"),
    ([(Device.COMPILER, Verdict.PASSED)], "not-validated"),
    ([(Device.INTERPRETER, Verdict.PASSED)], None),
    ([(Device.INTERPRETER, Verdict.NOT_TRITON)], "validation-failed"),
    ([(Device.INTERPRETER, Verdict.PASSED), (Device.CUDA, Verdict.FAILED)], "validation-failed"),
    ([(Device.CUDA, Verdict.FAILED), (Device.INTERPRETER, Verdict.PASSED)], "validation-failed"),
    ([(Device.CUDA, Verdict.FAILED), (Device.CUDA, Verdict.PASSED)], None),
    ([(Device.INTERPRETER, Verdict.PASSED), (Device.CUDA, Verdict.UNSUPPORTED)], None),
]


def test_pairs_are_exported_only_with_a_passing_validation_and_gpu_results_win(
    tmp_path: Path,
) -> None:
    expected = {}
    for tries, reason in TRIES:
        pair = make.an_approved_pair()
        # Validations of other content do not count.
        pair.validationresults.update(content_hash=make.sha("old"))
        for device, verdict in tries:
            run = make.a_validation_run(device=device)
            make.a_validation_result(pair=pair, verdict=verdict, run=run)
        expected[pair] = reason

    folder = export(tmp_path / "out")

    taken = {str(pair) for pair, reason in expected.items() if reason is None}
    assert identities(folder, "pairs").keys() == taken
    assert reasons(folder) == {pair.slug: reason for pair, reason in expected.items() if reason}


def test_a_pair_of_an_opted_out_kernel_is_not_exported(tmp_path: Path) -> None:
    kernel = a_seen_kernel()
    pair = make.an_approved_pair(kernel=kernel)
    Provenance.objects.update(opted_out=True)

    assert reasons(export(tmp_path / "out"))[pair.slug] == "opted-out"


@pytest.fixture
def drafted(db: None) -> Pair:
    """An approved pair of a repository whose kernel was not ingested."""
    source = make.a_repository(category=Category.FLASHATTENTION, stars=120)
    provenance = {"repository": source.name, "path": "ops/add.py", "lines": "3-9"}
    return make.an_approved_pair(
        kernel=None, origin=PairOrigin.REAL_WORLD, metadata={"provenance": provenance}
    )


def test_a_drafted_pair_without_a_kernel_belongs_to_its_repository(
    tmp_path: Path, drafted: Pair
) -> None:
    (record,) = records(export(tmp_path / "out") / "pairs" / "train.jsonl")

    metadata = record["metadata"]
    assert (metadata["category"], metadata["stars"]) == (Category.FLASHATTENTION, 120)
    assert metadata["provenance"]["lines"] == [3, 9]


@pytest.mark.parametrize("whole", [True, False], ids=["the repository", "a path"])
def test_a_drafted_pair_without_a_kernel_follows_opt_outs(
    tmp_path: Path, drafted: Pair, whole: bool
) -> None:
    if whole:
        Repository.objects.update(opted_out_at=timezone.now())
    else:
        OptOut.objects.create(repository=Repository.objects.get(), path="ops/", reason="asked")

    assert reasons(export(tmp_path / "out"))[drafted.slug] == "opted-out"


def test_the_rejection_list_names_the_place_but_never_the_source(tmp_path: Path) -> None:
    kernel = a_seen_kernel(standalone_source="SECRET = 1\n")
    Kernel.objects.update(status=Status.REJECTED)

    file = export(tmp_path / "out") / "REJECTED.jsonl"

    (line,) = records(file)
    assert line["provenance"]["repository"] == kernel.provenances.get().source_file.repository.name
    assert "SECRET" not in file.read_text()


def test_an_export_filter_limits_the_examined_items(tmp_path: Path) -> None:
    a_seen_kernel(operation_type="matmul")
    a_seen_kernel(operation_type="softmax")

    folder = export(tmp_path / "out", "--where", "operation=matmul")

    assert len(identities(folder)) == 1
    assert reasons(folder) == {}


def test_items_for_other_hardware_are_exported_only_on_request(tmp_path: Path) -> None:
    ascend = a_seen_kernel(hardware="ascend")
    a_seen_kernel(hardware="cuda")
    pair = make.an_approved_pair(hardware="hip")

    default = export(tmp_path / "default")
    two = export(tmp_path / "two", "--hardware", "cuda,ascend")
    everything = export(tmp_path / "all", "--hardware", "all")

    assert reasons(default) == {ascend.name: "hardware", pair.slug: "hardware"}
    message = "It is written for Huawei Ascend, not for NVIDIA (CUDA)."
    assert message in {line["message"] for line in records(default / "REJECTED.jsonl")}
    assert [len(identities(folder)) for folder in (default, two, everything)] == [1, 2, 2]
    assert [len(identities(folder, "pairs")) for folder in (default, two, everything)] == [0, 0, 1]


def test_a_disputed_item_is_exported_only_on_request(tmp_path: Path) -> None:
    kernel, settled, pair = a_seen_kernel(), a_seen_kernel(), make.an_approved_pair()
    for item in (kernel, settled, pair):
        make.a_dispute(first=item.decisions.get())
    settled.secondreviews.update(state="settled")

    default = export(tmp_path / "default")
    with_disputed = export(tmp_path / "with", "--include-disputed")

    assert reasons(default) == {kernel.name: "disputed", pair.slug: "disputed"}
    assert {line["message"] for line in records(default / "REJECTED.jsonl")} == {
        "Two reviewers disagree on it, and the dispute is not settled."
    }
    assert (len(identities(default)), len(identities(default, "pairs"))) == (1, 0)
    assert (len(identities(with_disputed)), len(identities(with_disputed, "pairs"))) == (2, 1)
    funnel = json.loads((default / "MANIFEST.json").read_text())["funnel"]["kernels"]
    assert (funnel["approved"], funnel["undisputed"], funnel["exported"]) == (2, 1, 1)


def test_unknown_hardware_is_refused_with_the_list_of_known_hardware(tmp_path: Path) -> None:
    with pytest.raises(CurationError, match="no hardware 'gpu'. There is: cuda, hip"):
        export(tmp_path / "out", "--hardware", "gpu")


def test_an_item_can_be_exported_after_examine(tmp_path: Path) -> None:
    a_seen_kernel()
    Fingerprint.objects.all().delete()

    call_command("examine", verbosity=0)

    assert len(identities(export(tmp_path / "out"))) == 1


def of_no_item() -> None:
    pass


def of_an_unexamined_pair() -> None:
    make.an_approved_pair()
    Fingerprint.objects.all().delete()


def of_an_unvalidated_pair() -> None:
    make.a_pair(license=make.a_license(), license_verdict=LicenseVerdict.PERMISSIVE)
    call_command("examine", verbosity=0)


def of_a_pair_that_the_interpreter_does_not_support() -> None:
    of_an_unvalidated_pair()
    pair = Pair.objects.get()
    make.a_validation_result(pair=pair, verdict=Verdict.UNSUPPORTED)


def of_an_unreviewed_kernel() -> None:
    a_seen_kernel(status=Status.PENDING)
    call_command("examine", verbosity=0)


def of_an_unlicensed_kernel() -> None:
    make.a_kernel()


@pytest.mark.parametrize(
    ("rows", "sentence", "command"),
    [
        (of_no_item, "holds no such item", "pipeline --out dataset"),
        (of_an_unexamined_pair, "of 1 item: 1 unexamined", "examine"),
        (
            of_an_unvalidated_pair,
            "1 not-validated",
            "validate --pending --device interpreter --now",
        ),
        (
            of_a_pair_that_the_interpreter_does_not_support,
            "1 not-validated",
            "validate --pending --device cuda --now",
        ),
        (of_an_unreviewed_kernel, "1 pending. Review them in the browser, or export with", "up"),
        (of_an_unlicensed_kernel, "1 license", "report"),
    ],
)
def test_an_empty_export_names_the_command_to_run_next(
    rows: Callable[[], None], sentence: str, command: str, tmp_path: Path
) -> None:
    rows()

    *_, why, step = output_of("export_dataset", out=tmp_path / "out").splitlines()

    assert sentence in why
    assert step == f"Next: python manage.py {command}"


@pytest.mark.parametrize("between", [Status.PENDING, Status.REJECTED])
def test_only_the_newest_approved_version_of_a_pair_is_exported(
    between: Status, tmp_path: Path
) -> None:
    first = make.an_approved_pair()
    second = make.a_pair(previous=first, status=between)
    third = make.an_approved_pair(previous=second)
    make.a_pair(previous=third)

    out = export(tmp_path / "out")

    assert set(identities(out, "pairs")) == {str(third)}
    assert reasons(out)[first.slug] == "duplicate"


def test_a_mark_of_the_checks_in_a_pair_fails_the_export(tmp_path: Path) -> None:
    make.an_approved_pair(slug="add", triton_code="# The interpreter needs this.\n")

    with pytest.raises(CurationError, match=r"add-\w{8} has 'interpreter', which only"):
        export(tmp_path / "out", "--format", "parquet")

    assert not (tmp_path / "out").exists()
