"""What the database itself refuses: each constraint violated once, on whichever it is."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any
from uuid import uuid4

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, models, transaction
from django.utils import timezone

from curation.models import (
    Correction,
    Decision,
    DraftState,
    Guideline,
    LicenseVerdict,
    Release,
    ReleaseFile,
    ReleaseMember,
    RepairTrace,
    RunState,
    SplitAssignment,
    Status,
    Withdrawal,
)
from curation.models.fields import AppendOnly, WrittenOnce
from tests import factories as make

pytestmark = pytest.mark.django_db

NO_SHA = "0" * 63
NO_CHOICE = "x"
PERMISSIVE = LicenseVerdict.PERMISSIVE

CONTENT = ["repository", "path", "blob_hash"]

Violation = Callable[[], object]


def alike(
    make_it: Callable[..., models.Model], fields: Sequence[str], **over: Callable[[], Any]
) -> Violation:
    """Make two rows with the same values in `fields`, and with what `over` makes."""

    def violation() -> None:
        values = {name: value() for name, value in over.items()}
        if "pair" in fields and "kernel" not in fields:
            values["pair"] = make.a_pair()
        row = make_it(**values)
        make_it(**values | {field: getattr(row, field) for field in fields})

    return violation


def about_both(make_it: Callable[..., models.Model]) -> Violation:
    return lambda: make_it(kernel=make.a_kernel(), pair=make.a_pair())


def once(make_it: Callable[..., models.Model], **over: Any) -> Violation:
    return lambda: make_it(**over)


def a_link_to_itself() -> None:
    kernel = make.a_kernel()
    make.a_duplicate_link(kernel=kernel, of_kernel=kernel)


def a_flag_because_of_itself() -> None:
    kernel = make.a_kernel()
    make.a_copy_flag(kernel=kernel, blocked=kernel)


def a_second_undoing() -> None:
    first = make.a_decision()
    make.a_decision(kernel=first.kernel, version=2, undoes=first)
    make.a_decision(kernel=first.kernel, version=3, undoes=first)


def held() -> dict[str, Any]:
    return {"attempt_token": uuid4(), "lease_until": timezone.now()}


# Named as in the models; what a single column says of itself is `model.column`.
SPECIAL: list[tuple[str, Violation]] = [
    ("guideline_operation_valid", once(make.a_guideline, operation_type=NO_CHOICE)),
    ("guidelineexample_operation_valid", once(make.a_guideline_example, operation_type=NO_CHOICE)),
    ("linecomment_about_one_item", about_both(make.a_line_comment)),
    ("repository_tier_1_to_3", once(make.a_repository, tier=0)),
    ("repository_tier_1_to_3", once(make.a_repository, tier=4)),
    ("optout_of_paths_or_of_an_author", once(make.an_opt_out, path="a.py")),
    ("optout_of_paths_or_of_an_author", once(make.an_opt_out, author="")),
    ("repository_weight_positive", once(make.a_repository, upsampling_weight=0)),
    (
        "repository_token_estimate_ordered",
        once(make.a_repository, estimated_tokens_low=2, estimated_tokens_high=1),
    ),
    ("repository_refresh_at_least_daily", once(make.a_repository, refresh_days=0)),
    (
        "repository.name",
        lambda: [make.a_repository(name="a/b", url=url) for url in ("https://a", "https://b")],
    ),
    ("sourcefile_one_per_content", alike(make.a_source_file, CONTENT, retired_at=timezone.now)),
    ("correction.decision", alike(make.a_correction, ["decision"], decision=make.a_decision)),
    ("secondreview.request", alike(make.a_second_review, ["request"], request=uuid4)),
    (
        "secondreview.settled_by",
        alike(make.a_second_review, ["settled_by"], settled_by=make.a_decision),
    ),
    ("provenance_permissive_names_license", once(make.a_provenance, license_verdict=PERMISSIVE)),
    ("licenseevidence_confidence_fraction", once(make.some_license_evidence, confidence=1.01)),
    ("licenseevidence_confidence_fraction", once(make.some_license_evidence, confidence=-0.01)),
    (
        "licenseevidence_permissive_names_license",
        once(make.some_license_evidence, verdict=PERMISSIVE),
    ),
    ("kernel_permissive_names_license", once(make.a_kernel, license_verdict=PERMISSIVE)),
    ("pair_rung_iff_ladder", once(make.a_pair, ladder="matmul")),
    ("pair_rung_iff_ladder", once(make.a_pair, rung="1 naive")),
    ("pair_permissive_names_license", once(make.a_pair, license_verdict=PERMISSIVE)),
    ("draft_finished_iff_pair", once(make.a_draft, state=DraftState.FINISHED)),
    ("draft_finished_iff_pair", lambda: make.a_draft(pair=make.a_pair())),
    ("question_answered_by_somebody", once(make.a_question, answered_at=timezone.now())),
    (
        "secondreview_about_one_item",
        lambda: make.a_second_review(kernel=make.a_kernel(), pair=make.a_pair()),
    ),
    ("secondreview_given_by_somebody", once(make.a_second_review, status=Status.APPROVED)),
    (
        "invitation_ended_once",
        lambda: make.an_invitation(accepted_at=timezone.now(), revoked_at=timezone.now()),
    ),
    ("decision_actor_named", once(make.a_decision, user=None)),
    ("decision_actor_named", once(make.a_decision, user=None, actor="policy")),
    ("decision_actor_named", once(make.a_decision, actor="policy", rules="licence 1")),
    ("decision_actor_named", once(make.a_decision, actor=NO_CHOICE)),
    ("decision.undoes", a_second_undoing),
    ("ingestrun_state_valid", once(make.an_ingest_run, state=NO_CHOICE, finished_at=None)),
    ("ingestrun_running_iff_held", once(make.an_ingest_run, state=RunState.RUNNING)),
    (
        "ingestrun_running_iff_held",
        lambda: make.an_ingest_run(state=RunState.RUNNING, attempt_token=uuid4()),
    ),
    ("ingestrun_running_iff_held", lambda: make.an_ingest_run(**held())),
    ("ingestrun_ended_iff_finished", once(make.an_ingest_run, state=RunState.SUCCEEDED)),
    ("ingestrun_ended_iff_finished", lambda: make.an_ingest_run(finished_at=timezone.now())),
    ("provenance_lines_ordered", once(make.a_provenance, start_line=5, end_line=4)),
    ("provenance_lines_ordered", once(make.a_provenance, start_line=0)),
    ("exportrun_push_names_a_release", once(make.an_export_run, push_to="lab/pairs")),
    ("linecomment_line_counts", once(make.a_line_comment, line=0)),
    ("linecomment_empty_iff_deleted", once(make.a_line_comment, text="")),
    (
        "linecomment_thread_resolved_by_somebody",
        once(make.a_line_comment, resolved_at=timezone.now()),
    ),
    ("repairtrace_verdict_rejects", once(make.a_repair_trace, verdict="passed")),
    ("repairtrace_line_counts", once(make.a_repair_trace, line=0)),
    ("repairtrace_has_message", once(make.a_repair_trace, message="")),
    (
        "duplicatelink_about_one_item",
        lambda: make.a_duplicate_link(
            kernel=make.a_kernel(), of_kernel=make.a_kernel(), pair=make.a_pair()
        ),
    ),
    ("duplicatelink_similarity_fraction", once(make.a_duplicate_link, similarity=1.01)),
    (
        "duplicatelink_like_with_like",
        lambda: make.a_duplicate_link(kernel=make.a_kernel(), of_pair=make.a_pair()),
    ),
    ("duplicatelink_like_with_like", once(make.a_duplicate_link, of_kernel=None)),
    ("duplicatelink_not_of_itself", a_link_to_itself),
    ("copyflag_similarity_fraction", once(make.a_copy_flag, similarity=1.01)),
    ("copyflag_not_of_itself", a_flag_because_of_itself),
    ("contaminationmatch_similarity_fraction", once(make.a_contamination_match, similarity=-1)),
    ("passrate_names_model", once(make.a_pass_rate, model="")),
    ("passrate_attempts_suffice", once(make.a_pass_rate, k=9, n=8)),
    ("passrate_passed_at_most_all", once(make.a_pass_rate, n=8, passed=9)),
    ("guidelineexample_status_valid", once(make.a_guideline_example, status=Status.PENDING)),
]


def every_constraint() -> Iterator[tuple[str, type[models.Model], tuple[str, ...]]]:
    """Its name, its model and, where it is about uniqueness, its fields."""
    for model in apps.get_app_config("curation").get_models():
        for constraint in model._meta.constraints:
            yield constraint.name, model, tuple(getattr(constraint, "fields", ()))
        for field in model._meta.concrete_fields:
            if field.unique and not field.primary_key:
                yield f"{model._meta.model_name}.{field.name}", model, (field.name,)


CONSTRAINTS = {name: (model, fields) for name, model, fields in every_constraint()}
FACTORIES: dict[object, Any] = {}
for _name, _factory in vars(make).items():
    if _name.startswith(("a_", "an_", "some_")):
        FACTORIES.setdefault(_factory.__annotations__["return"], _factory)


def usual_violations() -> Iterator[tuple[str, Violation]]:
    """Violate the constraints of a usual name that are not in the table."""
    for name in CONSTRAINTS.keys() - {name for name, _ in SPECIAL}:
        model, fields = CONSTRAINTS[name]
        make_it = FACTORIES[model]
        if fields:
            yield name, alike(make_it, fields)
        match name.partition("_")[2].rsplit("_", 1):
            case ["about_one", "item"]:
                yield name, about_both(make_it)
                yield name, once(make_it, kernel=None)
            case ["running_iff", "held"]:
                yield name, once(make_it, state=RunState.RUNNING)
            case ["ended_iff", "finished"]:
                yield name, once(make_it, state=RunState.FAILED)
            case [field, "valid"]:
                is_hash = field.endswith(("hash", "sha256", "digest"))
                yield name, once(make_it, **{field: NO_SHA if is_hash else NO_CHOICE})


VIOLATIONS = sorted([*SPECIAL, *usual_violations()], key=lambda row: row[0])


def test_each_model_constraint_has_a_violation_in_the_table() -> None:
    assert {name for name, _ in VIOLATIONS} == set(CONSTRAINTS)


@pytest.mark.parametrize(("name", "violate"), VIOLATIONS, ids=[name for name, _ in VIOLATIONS])
def test_the_database_refuses_each_constraint_violation(name: str, violate: Violation) -> None:
    with pytest.raises(IntegrityError) as refused, transaction.atomic():
        violate()

    # A state that does not exist is neither live nor ended: either constraint may speak first.
    also = name.replace("state_valid", "ended_iff_finished")
    assert is_about(refused.value, name) or is_about(refused.value, also)


def is_about(error: IntegrityError, name: str) -> bool:
    """PostgreSQL names the constraint; SQLite names the columns where two rows are alike."""
    model, fields = CONSTRAINTS[name]
    columns_of = {field.name: str(field.column) for field in model._meta.concrete_fields}
    table, columns = model._meta.db_table, [columns_of[field] for field in fields]
    if connection.vendor == "sqlite":
        listed = ", ".join(f"{table}.{column}" for column in columns)
        return str(error) in (
            f"CHECK constraint failed: {name}",
            f"UNIQUE constraint failed: {listed}",
        )
    violated: str = error.__cause__.diag.constraint_name  # type: ignore[union-attr]
    if "." in name:  # a name that Django made up, from the table and the column
        return violated.startswith(f"{table}_{columns[0]}")
    return violated == name


def test_a_unique_place_is_free_again_after_its_row_has_ended() -> None:
    claim, now = make.a_claim(), timezone.now()
    claim.delete()
    run = make.an_ingest_run(state=RunState.FAILED, finished_at=now)
    file = make.a_source_file(retired_at=now)

    assert make.a_claim(kernel=claim.kernel).kernel == claim.kernel
    assert make.an_ingest_run(repository=run.repository).repository == run.repository
    assert make.a_source_file(repository=file.repository, path=file.path).path == file.path


@pytest.mark.parametrize(
    ("used", "name"),
    [
        (make.a_decision, "kernel"),
        (make.a_provenance, "kernel"),
        (make.a_release_member, "kernel"),
        (make.a_source_file, "repository"),
    ],
)
def test_a_row_that_others_refer_to_can_not_be_deleted(used: Callable[[], Any], name: str) -> None:
    row = used()

    with pytest.raises(models.ProtectedError):
        getattr(row, name).delete()


# --- Written once ---------------------------------------------------------------------------
WRITTEN_ONCE: dict[type[AppendOnly], tuple[Callable[..., Any], dict[str, Any]]] = {
    Correction: (make.a_correction, {"after": {"tags": []}}),
    Decision: (make.a_decision, {"status": Status.REJECTED}),
    Guideline: (make.a_guideline, {"text": "Another text."}),
    Release: (make.a_release, {"seed": 1}),
    ReleaseFile: (make.a_release_file, {"path": "README.md"}),
    ReleaseMember: (make.a_release_member, {"record_id": "other"}),
    RepairTrace: (make.a_repair_trace, {"kind": "wrong-axis"}),
    SplitAssignment: (make.a_split_assignment, {"split": "test"}),
    Withdrawal: (make.a_withdrawal, {"reason": "opted-out"}),
}
each_written_once = pytest.mark.parametrize("model", WRITTEN_ONCE, ids=lambda m: m.__name__)


def test_the_table_lists_every_append_only_model() -> None:
    assert set(WRITTEN_ONCE) == set(AppendOnly.__subclasses__())


@each_written_once
@pytest.mark.parametrize("write", ["save", "update", "bulk_update", "update_or_create"])
def test_an_append_only_row_can_not_be_changed(model: type[AppendOnly], write: str) -> None:
    make_it, over = WRITTEN_ONCE[model]
    row = make_it()
    before = model.objects.values().get()
    for name, value in over.items():
        setattr(row, name, value)

    with pytest.raises(WrittenOnce):
        {
            "save": row.save,
            "update": lambda: model.objects.filter(pk=row.pk).update(**over),
            "bulk_update": lambda: model.objects.bulk_update([row], list(over)),
            "update_or_create": lambda: model.objects.update_or_create(pk=row.pk, defaults=over),
        }[write]()

    assert model.objects.values().get() == before


@each_written_once
def test_an_append_only_row_can_not_be_deleted(model: type[AppendOnly]) -> None:
    row = WRITTEN_ONCE[model][0]()

    with pytest.raises(WrittenOnce):
        row.delete()
    with pytest.raises(WrittenOnce):
        model.objects.all().delete()

    assert model.objects.count() == 1


def test_an_append_only_row_is_protected_through_its_related_manager() -> None:
    member = make.a_release_member()

    with pytest.raises(WrittenOnce):
        member.release.members.update(record_id="other")
    with pytest.raises(WrittenOnce):
        member.release.members.all().delete()
