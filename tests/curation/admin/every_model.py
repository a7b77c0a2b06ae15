"""Every model that the admin shows: how to make a row, and what each kind of person may do."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import Group, User
from django.db.models import Model
from django.urls import reverse

from curation.models import (
    Band,
    BulkDecision,
    Claim,
    CompiledGraph,
    ContaminationMatch,
    CopyFlag,
    Correction,
    Decision,
    DecisionReason,
    Draft,
    Drop,
    DuplicateLink,
    ExportRun,
    Figures,
    Fingerprint,
    IngestRun,
    Kernel,
    Lease,
    License,
    LicenseEvidence,
    LicenseReading,
    LineComment,
    LoginFailure,
    Notice,
    OptOut,
    Pair,
    PassRate,
    Provenance,
    QualityFinding,
    Question,
    Release,
    ReleaseFile,
    ReleaseMember,
    RepairTrace,
    Repository,
    SecondReview,
    Skip,
    SourceFile,
    SourceText,
    SplitAssignment,
    TriedCase,
    ValidationCheck,
    ValidationResult,
    ValidationRun,
    Withdrawal,
)
from tests import factories as make


@dataclass(frozen=True, slots=True)
class Shown:
    """`curator` and `superuser` answer to GET on the list, adding, changing and deleting."""

    model: type[Model]
    a_row: Callable[..., Model]
    curator: tuple[int, int, int, int] = (200, 403, 200, 403)
    superuser: tuple[int, int, int, int] = (200, 403, 200, 403)

    def page(self, page: str, *args: Any) -> str:
        options = self.model._meta
        return reverse(f"admin:{options.app_label}_{options.model_name}_{page}", args=args)

    def __str__(self) -> str:
        return self.model.__name__


def a_group() -> Group:
    return Group.objects.create(name=f"group {Group.objects.count()}")


# What machines and decisions write.
READ_ONLY = (
    Shown(Band, make.a_band),
    Shown(BulkDecision, make.a_bulk_decision),
    Shown(Claim, make.a_claim),
    Shown(CompiledGraph, make.a_compiled_graph),
    Shown(Correction, make.a_correction),
    Shown(ContaminationMatch, make.a_contamination_match),
    Shown(CopyFlag, make.a_copy_flag),
    Shown(Decision, make.a_decision),
    Shown(Draft, make.a_draft),
    Shown(Drop, make.a_drop),
    Shown(DuplicateLink, make.a_duplicate_link),
    Shown(ExportRun, make.an_export_run),
    Shown(Figures, make.some_figures),
    Shown(Fingerprint, make.a_fingerprint),
    Shown(IngestRun, make.an_ingest_run),
    Shown(Kernel, make.an_approved_kernel),
    Shown(Lease, make.a_lease),
    Shown(LicenseEvidence, make.some_license_evidence),
    Shown(LicenseReading, make.a_license_reading),
    Shown(LoginFailure, make.a_login_failure),
    Shown(Pair, make.a_pair),
    Shown(PassRate, make.a_pass_rate),
    Shown(Provenance, make.a_provenance),
    Shown(QualityFinding, make.a_finding),
    Shown(Question, make.a_question),
    Shown(Release, make.a_release),
    Shown(ReleaseFile, make.a_release_file),
    Shown(ReleaseMember, make.a_release_member),
    Shown(RepairTrace, make.a_repair_trace),
    Shown(SecondReview, make.a_dispute),
    Shown(Skip, make.a_skip),
    Shown(SourceFile, make.a_source_file),
    Shown(SourceText, make.a_source_text),
    Shown(SplitAssignment, make.a_split_assignment),
    Shown(ValidationCheck, make.a_validation_check),
    Shown(ValidationResult, make.a_validation_result),
    Shown(ValidationRun, make.a_validation_run),
    Shown(TriedCase, make.a_tried_case),
    Shown(LineComment, make.a_line_comment),
    Shown(Notice, make.a_notice),
    Shown(Withdrawal, make.a_withdrawal),
)

EDITED = (
    Shown(
        DecisionReason, make.a_reason, curator=(200, 200, 200, 403), superuser=(200, 200, 200, 403)
    ),
    Shown(License, make.a_license),
    Shown(OptOut, make.an_opt_out, curator=(200, 200, 200, 403), superuser=(200, 200, 200, 403)),
    Shown(
        Repository, make.a_repository, curator=(200, 200, 200, 403), superuser=(200, 200, 200, 403)
    ),
    Shown(User, make.a_reviewer, curator=(200, 200, 200, 403), superuser=(200, 200, 200, 200)),
    Shown(Group, a_group, curator=(200, 403, 200, 403), superuser=(200, 200, 200, 200)),
)

EVERY_MODEL = (*READ_ONLY, *EDITED)
