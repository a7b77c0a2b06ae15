"""What the database itself refuses: each constraint violated once, on whichever it is."""

from collections.abc import Callable, Iterator
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
    Repository,
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

Violation = Callable[[], object]


def twice(make_it: Callable[..., models.Model], **over: Callable[[], Any]) -> Violation:
    """Make two rows that share what `over` makes."""

    def violation() -> None:
        shared = {name: value() for name, value in over.items()}
        make_it(**shared)
        make_it(**shared)

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
VIOLATIONS: list[tuple[str, Violation]] = [
    ("repository_origin_valid", once(make.a_repository, origin=NO_CHOICE)),
    ("repository_role_valid", once(make.a_repository, role=NO_CHOICE)),
    ("repository_condition_valid", once(make.a_repository, condition=NO_CHOICE)),
    ("repository_category_valid", once(make.a_repository, category=NO_CHOICE)),
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
    ("repository.url", twice(make.a_repository, url=lambda: "https://example.org/a/b")),
    ("provenance_license_verdict_valid", once(make.a_provenance, license_verdict=NO_CHOICE)),
    ("provenance_permissive_names_license", once(make.a_provenance, license_verdict=PERMISSIVE)),
    ("sourcetext_sha256_valid", once(make.a_source_text, sha256=NO_SHA)),
    ("sourcefile_sha256_valid", once(make.a_source_file, sha256=NO_SHA)),
    (
        "sourcefile_one_per_content",
        twice(
            make.a_source_file,
            repository=make.a_repository,
            path=lambda: "a.py",
            blob_hash=lambda: "b",
            retired_at=timezone.now,
        ),
    ),
    (
        "sourcefile_one_current_per_path",
        twice(make.a_source_file, repository=make.a_repository, path=lambda: "a.py"),
    ),
    ("license_verdict_valid", once(make.a_license, verdict=NO_CHOICE)),
    ("license.expression", twice(make.a_license, expression=lambda: "MIT")),
    ("licenseevidence_verdict_valid", once(make.some_license_evidence, verdict=NO_CHOICE)),
    ("licenseevidence_read_from_valid", once(make.some_license_evidence, read_from=NO_CHOICE)),
    ("licenseevidence_confidence_fraction", once(make.some_license_evidence, confidence=1.01)),
    ("licenseevidence_confidence_fraction", once(make.some_license_evidence, confidence=-0.01)),
    (
        "licenseevidence_permissive_names_license",
        once(make.some_license_evidence, verdict=PERMISSIVE),
    ),
    ("kernel_content_hash_valid", once(make.a_kernel, content_hash=NO_SHA)),
    ("kernel_kind_valid", once(make.a_kernel, kind=NO_CHOICE)),
    ("kernel_language_valid", once(make.a_kernel, language=NO_CHOICE)),
    ("kernel_hardware_valid", once(make.a_kernel, hardware=NO_CHOICE)),
    ("kernel_status_valid", once(make.a_kernel, status=NO_CHOICE)),
    ("kernel_license_verdict_valid", once(make.a_kernel, license_verdict=NO_CHOICE)),
    ("kernel_operation_type_valid", once(make.a_kernel, operation_type=NO_CHOICE)),
    ("kernel_difficulty_valid", once(make.a_kernel, difficulty=NO_CHOICE)),
    ("kernel_permissive_names_license", once(make.a_kernel, license_verdict=PERMISSIVE)),
    ("kernel.content_hash", twice(make.a_kernel, content_hash=lambda: make.sha(1))),
    ("pair_content_hash_valid", once(make.a_pair, content_hash=NO_SHA)),
    ("pair_origin_valid", once(make.a_pair, origin=NO_CHOICE)),
    ("pair_operation_type_valid", once(make.a_pair, operation_type=NO_CHOICE)),
    ("pair_difficulty_valid", once(make.a_pair, difficulty=NO_CHOICE)),
    ("pair_hardware_valid", once(make.a_pair, hardware=NO_CHOICE)),
    ("pair_rung_iff_ladder", once(make.a_pair, ladder="matmul")),
    ("pair_rung_iff_ladder", once(make.a_pair, rung="1 naive")),
    ("pair_status_valid", once(make.a_pair, status=NO_CHOICE)),
    ("pair_license_verdict_valid", once(make.a_pair, license_verdict=NO_CHOICE)),
    ("pair_permissive_names_license", once(make.a_pair, license_verdict=PERMISSIVE)),
    ("pair.content_hash", twice(make.a_pair, content_hash=lambda: make.sha(1))),
    (
        "draft_one_per_operation",
        twice(
            make.a_draft,
            repository=make.a_repository,
            path=lambda: "a.py",
            operation=lambda: "add",
        ),
    ),
    ("draft_state_valid", once(make.a_draft, state=NO_CHOICE)),
    ("draft_operation_type_valid", once(make.a_draft, operation_type=NO_CHOICE)),
    ("draft_difficulty_valid", once(make.a_draft, difficulty=NO_CHOICE)),
    ("draft_finished_iff_pair", once(make.a_draft, state=DraftState.FINISHED)),
    ("draft_finished_iff_pair", lambda: make.a_draft(pair=make.a_pair())),
    ("claim_about_one_item", about_both(make.a_claim)),
    ("claim_about_one_item", once(make.a_claim, kernel=None)),
    ("claim_one_per_kernel", twice(make.a_claim, kernel=make.a_kernel)),
    ("claim_one_per_pair", twice(make.a_claim, pair=make.a_pair)),
    ("skip_about_one_item", about_both(make.a_skip)),
    ("skip_once_per_kernel", twice(make.a_skip, kernel=make.a_kernel, user=make.a_reviewer)),
    ("skip_once_per_pair", twice(make.a_skip, pair=make.a_pair, user=make.a_reviewer)),
    ("decisionreason_status_valid", once(make.a_reason, status=NO_CHOICE)),
    ("decisionreason.text", twice(make.a_reason, text=lambda: "wrong")),
    ("correction_about_one_item", about_both(make.a_correction)),
    ("correction.decision", twice(make.a_correction, decision=make.a_decision)),
    ("question_about_one_item", about_both(make.a_question)),
    ("question_answered_by_somebody", once(make.a_question, answered_at=timezone.now())),
    ("question_one_open_per_kernel", twice(make.a_question, kernel=make.a_kernel)),
    ("question_one_open_per_pair", twice(make.a_question, pair=make.a_pair)),
    (
        "secondreview_about_one_item",
        lambda: make.a_second_review(kernel=make.a_kernel(), pair=make.a_pair()),
    ),
    ("secondreview_state_valid", once(make.a_second_review, state=NO_CHOICE)),
    ("secondreview_given_by_somebody", once(make.a_second_review, status=Status.APPROVED)),
    ("secondreview.first", twice(make.a_second_review, first=make.a_decision)),
    ("secondreview.request", twice(make.a_second_review, request=uuid4)),
    ("secondreview.settled_by", twice(make.a_second_review, settled_by=make.a_decision)),
    ("bulkdecision_status_valid", once(make.a_bulk_decision, status=NO_CHOICE)),
    ("bulkdecision.request", twice(make.a_bulk_decision, request=uuid4)),
    ("savedview_once", twice(make.a_saved_view, user=make.a_reviewer, name=lambda: "mine")),
    ("apitoken_digest_valid", once(make.an_api_token, digest=NO_SHA)),
    ("apitoken.digest", twice(make.an_api_token, digest=lambda: make.sha(1))),
    (
        "invitation_ended_once",
        lambda: make.an_invitation(accepted_at=timezone.now(), revoked_at=timezone.now()),
    ),
    ("invitation_one_pending_per_name", twice(make.an_invitation, username=lambda: "rhea")),
    ("decision_about_one_item", about_both(make.a_decision)),
    ("decision_about_one_item", once(make.a_decision, kernel=None)),
    ("decision_content_hash_valid", once(make.a_decision, content_hash=NO_SHA)),
    ("decision_status_valid", once(make.a_decision, status=NO_CHOICE)),
    ("decision_previous_status_valid", once(make.a_decision, previous_status=NO_CHOICE)),
    ("decision_actor_named", once(make.a_decision, user=None)),
    ("decision_actor_named", once(make.a_decision, user=None, actor="policy")),
    ("decision_actor_named", once(make.a_decision, actor="policy", rules="licence 1")),
    ("decision_actor_named", once(make.a_decision, actor=NO_CHOICE)),
    ("decision_one_per_kernel_version", twice(make.a_decision, kernel=make.a_kernel)),
    ("decision_one_per_pair_version", twice(make.a_decision, pair=make.a_pair)),
    ("decision.undoes", a_second_undoing),
    ("decision.request", twice(make.a_decision, request=uuid4)),
    ("ingestrun_state_valid", once(make.an_ingest_run, state=NO_CHOICE, finished_at=None)),
    ("ingestrun_running_iff_held", once(make.an_ingest_run, state=RunState.RUNNING)),
    (
        "ingestrun_running_iff_held",
        lambda: make.an_ingest_run(state=RunState.RUNNING, attempt_token=uuid4()),
    ),
    ("ingestrun_running_iff_held", lambda: make.an_ingest_run(**held())),
    ("ingestrun_ended_iff_finished", once(make.an_ingest_run, state=RunState.SUCCEEDED)),
    ("ingestrun_ended_iff_finished", lambda: make.an_ingest_run(finished_at=timezone.now())),
    (
        "ingestrun_one_live_per_repository",
        twice(make.an_ingest_run, repository=make.a_repository),
    ),
    ("provenance_container_valid", once(make.a_provenance, container=NO_CHOICE)),
    ("provenance_sha256_valid", once(make.a_provenance, sha256=NO_SHA)),
    (
        "provenance_once",
        twice(make.a_provenance, kernel=make.a_kernel, source_file=make.a_source_file),
    ),
    ("provenance_lines_ordered", once(make.a_provenance, start_line=5, end_line=4)),
    ("provenance_lines_ordered", once(make.a_provenance, start_line=0)),
    ("qualityfinding_action_valid", once(make.a_finding, action=NO_CHOICE)),
    ("qualityfinding_one_per_gate", twice(make.a_finding, kernel=make.a_kernel)),
    ("release.name", twice(make.a_release, name=lambda: "2026-01")),
    ("releasemember_about_one_item", about_both(make.a_release_member)),
    ("releasemember_about_one_item", once(make.a_release_member, kernel=None)),
    ("releasemember_content_hash_valid", once(make.a_release_member, content_hash=NO_SHA)),
    ("releasemember_split_valid", once(make.a_release_member, split=NO_CHOICE)),
    (
        "releasemember_once",
        twice(make.a_release_member, release=make.a_release, record_id=lambda: "a"),
    ),
    (
        "releasefile_once",
        twice(make.a_release_file, release=make.a_release, number=lambda: 0),
    ),
    ("splitassignment_about_one_item", about_both(make.a_split_assignment)),
    ("splitassignment_about_one_item", once(make.a_split_assignment, kernel=None)),
    ("splitassignment_split_valid", once(make.a_split_assignment, split=NO_CHOICE)),
    ("splitassignment_one_per_kernel", twice(make.a_split_assignment, kernel=make.a_kernel)),
    ("splitassignment_one_per_pair", twice(make.a_split_assignment, pair=make.a_pair)),
    ("withdrawal.member", twice(make.a_withdrawal, member=make.a_release_member)),
    ("exportrun_state_valid", once(make.an_export_run, state=NO_CHOICE)),
    ("exportrun_running_iff_held", once(make.an_export_run, state=RunState.RUNNING)),
    ("exportrun_ended_iff_finished", once(make.an_export_run, state=RunState.FAILED)),
    ("exportrun_push_names_a_release", once(make.an_export_run, push_to="lab/pairs")),
    ("linecomment_about_one_item", about_both(make.a_line_comment)),
    ("linecomment_content_hash_valid", once(make.a_line_comment, content_hash=NO_SHA)),
    ("linecomment_line_counts", once(make.a_line_comment, line=0)),
    ("linecomment_empty_iff_deleted", once(make.a_line_comment, text="")),
    (
        "linecomment_thread_resolved_by_somebody",
        once(make.a_line_comment, resolved_at=timezone.now()),
    ),
    ("noticechoice.user", twice(make.a_notice_choice, user=make.a_reviewer)),
    ("notice_kind_valid", once(make.a_notice, kind=NO_CHOICE)),
    ("notice_once_an_event", twice(make.a_notice, user=make.a_reviewer, event=lambda: "run-1")),
    ("repairtrace_device_valid", once(make.a_repair_trace, device=NO_CHOICE)),
    ("repairtrace_verdict_rejects", once(make.a_repair_trace, verdict="passed")),
    ("repairtrace_content_hash_valid", once(make.a_repair_trace, content_hash=NO_SHA)),
    ("repairtrace_faulty_hash_valid", once(make.a_repair_trace, faulty_hash=NO_SHA)),
    ("repairtrace_line_counts", once(make.a_repair_trace, line=0)),
    ("repairtrace_has_message", once(make.a_repair_trace, message="")),
    ("repairtrace.faulty_hash", twice(make.a_repair_trace, faulty_hash=lambda: make.sha(1))),
    ("triedcase_state_valid", once(make.a_tried_case, state=NO_CHOICE)),
    ("triedcase_running_iff_held", once(make.a_tried_case, state=RunState.RUNNING)),
    ("triedcase_ended_iff_finished", once(make.a_tried_case, state=RunState.FAILED)),
    ("triedcase_device_valid", once(make.a_tried_case, device=NO_CHOICE)),
    ("triedcase_content_hash_valid", once(make.a_tried_case, content_hash=NO_SHA)),
    ("fingerprint_about_one_item", about_both(make.a_fingerprint)),
    ("fingerprint_about_one_item", once(make.a_fingerprint, kernel=None)),
    ("fingerprint_content_hash_valid", once(make.a_fingerprint, content_hash=NO_SHA)),
    ("fingerprint_status_valid", once(make.a_fingerprint, status=NO_CHOICE)),
    ("fingerprint_license_verdict_valid", once(make.a_fingerprint, license_verdict=NO_CHOICE)),
    ("fingerprint_one_per_kernel", twice(make.a_fingerprint, kernel=make.a_kernel)),
    ("fingerprint_one_per_pair", twice(make.a_fingerprint, pair=make.a_pair)),
    ("band_once", twice(make.a_band, fingerprint=make.a_fingerprint)),
    (
        "duplicatelink_about_one_item",
        lambda: make.a_duplicate_link(
            kernel=make.a_kernel(), of_kernel=make.a_kernel(), pair=make.a_pair()
        ),
    ),
    ("duplicatelink_likeness_valid", once(make.a_duplicate_link, likeness=NO_CHOICE)),
    ("duplicatelink_similarity_fraction", once(make.a_duplicate_link, similarity=1.01)),
    (
        "duplicatelink_like_with_like",
        lambda: make.a_duplicate_link(kernel=make.a_kernel(), of_pair=make.a_pair()),
    ),
    ("duplicatelink_like_with_like", once(make.a_duplicate_link, of_kernel=None)),
    ("duplicatelink_not_of_itself", a_link_to_itself),
    ("duplicatelink_one_per_kernel", twice(make.a_duplicate_link, kernel=make.a_kernel)),
    ("duplicatelink_one_per_pair", twice(make.a_duplicate_link, pair=make.a_pair)),
    ("copyflag_likeness_valid", once(make.a_copy_flag, likeness=NO_CHOICE)),
    ("copyflag_similarity_fraction", once(make.a_copy_flag, similarity=1.01)),
    ("copyflag_not_of_itself", a_flag_because_of_itself),
    ("copyflag_once", twice(make.a_copy_flag, kernel=make.a_kernel, blocked=make.a_kernel)),
    ("operationoverlap_about_one_item", about_both(make.an_operation_overlap)),
    ("contaminationmatch_about_one_item", about_both(make.a_contamination_match)),
    ("contaminationmatch_about_one_item", once(make.a_contamination_match, kernel=None)),
    ("contaminationmatch_method_valid", once(make.a_contamination_match, method=NO_CHOICE)),
    ("contaminationmatch_similarity_fraction", once(make.a_contamination_match, similarity=-1)),
    ("validationrun_state_valid", once(make.a_validation_run, state=NO_CHOICE)),
    ("validationrun_running_iff_held", once(make.a_validation_run, state=RunState.RUNNING)),
    ("validationrun_ended_iff_finished", once(make.a_validation_run, state=RunState.FAILED)),
    ("validationrun_device_valid", once(make.a_validation_run, device=NO_CHOICE)),
    ("validationresult_about_one_item", about_both(make.a_validation_result)),
    ("validationresult_about_one_item", once(make.a_validation_result, kernel=None)),
    ("validationresult_verdict_valid", once(make.a_validation_result, verdict=NO_CHOICE)),
    ("validationresult_content_hash_valid", once(make.a_validation_result, content_hash=NO_SHA)),
    (
        "validationresult_one_per_kernel",
        twice(make.a_validation_result, run=make.a_validation_run, kernel=make.a_kernel),
    ),
    (
        "validationresult_one_per_pair",
        twice(make.a_validation_result, run=make.a_validation_run, pair=make.a_pair),
    ),
    ("validationcheck_outcome_valid", once(make.a_validation_check, outcome=NO_CHOICE)),
    ("validationcheck_once", twice(make.a_validation_check, result=make.a_validation_result)),
    ("compiledtext_once", twice(make.a_compiled_text, result=make.a_validation_result)),
    ("passrate_once", twice(make.a_pass_rate, pair=make.a_pair)),
    ("passrate_names_model", once(make.a_pass_rate, model="")),
    ("passrate_attempts_suffice", once(make.a_pass_rate, k=9, n=8)),
    ("passrate_passed_at_most_all", once(make.a_pass_rate, n=8, passed=9)),
    ("guideline_operation_valid", once(make.a_guideline, operation_type=NO_CHOICE)),
    ("guidelineexample_about_one_item", about_both(make.a_guideline_example)),
    (
        "guidelineexample_operation_valid",
        once(make.a_guideline_example, operation_type=NO_CHOICE),
    ),
    ("guidelineexample_status_valid", once(make.a_guideline_example, status=Status.PENDING)),
    (
        "guidelineexample_once_per_kernel",
        twice(make.a_guideline_example, kernel=make.a_kernel),
    ),
    ("guidelineexample_once_per_pair", twice(make.a_guideline_example, pair=make.a_pair)),
]


def every_constraint() -> Iterator[tuple[str, type[models.Model], tuple[str, ...]]]:
    """Its name, its model and, where it is about uniqueness, its columns."""
    for model in apps.get_app_config("curation").get_models():
        columns = {field.name: str(field.column) for field in model._meta.concrete_fields}
        for constraint in model._meta.constraints:
            fields = getattr(constraint, "fields", ())
            yield constraint.name, model, tuple(columns[field] for field in fields)
        for field in model._meta.concrete_fields:
            if field.unique and not field.primary_key:
                yield f"{model._meta.model_name}.{field.name}", model, (columns[field.name],)


CONSTRAINTS = {name: (model, columns) for name, model, columns in every_constraint()}


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
    model, columns = CONSTRAINTS[name]
    table = model._meta.db_table
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


def test_an_item_can_be_claimed_again_after_its_release() -> None:
    claim = make.a_claim()
    claim.delete()

    make.a_claim(kernel=claim.kernel)


def test_a_repository_can_be_ingested_again_after_its_run_ended() -> None:
    run = make.an_ingest_run(state=RunState.FAILED, finished_at=timezone.now())

    make.an_ingest_run(repository=run.repository)


def test_a_path_accepts_new_content_after_its_source_file_is_retired() -> None:
    file = make.a_source_file(retired_at=timezone.now())

    make.a_source_file(repository=file.repository, path=file.path)


@pytest.mark.parametrize("used", [make.a_decision, make.a_provenance, make.a_release_member])
def test_a_kernel_with_referencing_rows_can_not_be_deleted(used: Callable[[], Any]) -> None:
    row = used()

    with pytest.raises(models.ProtectedError):
        row.kernel.delete()


def test_an_ingested_repository_can_not_be_deleted() -> None:
    file = make.a_source_file()

    with pytest.raises(models.ProtectedError):
        Repository.objects.all().delete()
    file.refresh_from_db()


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
